import Foundation
import Testing

@testable import ImageModel

/// `imgcache serve` over a cache that `imgcache prefetch` filled: the whole program, nothing of the
/// test's own.
final class ServedDays: Sendable {
  let port: UInt16
  private let scratch: Scratch
  private let child: ChildProcess

  /// The days of the sample, with their stories' pages.
  static func sample(days: Int) async throws -> ServedDays {
    try await ServedDays(["--sample", "--days", "\(days)", "--bodies"], serving: ["--sample"])
  }

  /// - Parameters:
  ///   - prefetch: What is fetched first; nothing leaves the cache empty.
  ///   - preparing: Whole commands that go before.
  ///   - missing: Whether some of the pictures cannot be had.
  ///   - serving: Further options of `serve`.
  init(
    _ prefetch: [String], preparing: [[String]] = [], missing: Bool = false, serving: [String] = []
  ) async throws {
    scratch = try Scratch()
    let cache = ["--cache-dir", scratch / "cache"]
    for command in preparing + (prefetch.isEmpty ? [] : [["prefetch", "--quiet"] + prefetch]) {
      let outcome = try await Tool.imgcache.run(command + cache)
      try #require(outcome.status == 0 || missing && outcome.status == 1, "\(outcome.errors)")
    }
    child = try Tool.imgcache.start(
      ["serve", "--listen", "127.0.0.1:0", "--json"] + serving + cache, writingTo: scratch)
    port = try await child.listening(from: scratch).port
  }

  var address: String { "http://127.0.0.1:\(port)/" }

  /// Ends the server and waits for it.
  func stop() { child.stop() }
}
