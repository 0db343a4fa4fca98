import Foundation
import Testing

@testable import ImageModel

/// `imgcache serve`, running beside the test.
final class ServeProgram: Sendable {
  let child: ChildProcess
  let port: UInt16
  let scratch: Scratch
  let line: String

  /// Starts it on a free port, or at the address in the arguments.
  init(
    _ arguments: [String], listening: [String] = ["--listen", "127.0.0.1:0"],
    scratch: Scratch? = nil, environment: [String: String] = [:]
  ) async throws {
    let scratch = try scratch ?? Scratch()
    self.scratch = scratch
    var tool = Tool.imgcache
    tool.environment = environment
    let child = try tool.start(
      ["serve", "--json", "--cache-dir", scratch / "cache"] + listening + arguments,
      writingTo: scratch)
    self.child = child
    (port, line) = try await child.listening(from: scratch)
  }

  func url(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }

  func exchange(
    _ method: String = "GET", _ target: String, _ lines: [String] = []
  ) async throws -> RawAnswer {
    let port = port
    return try await OffPool.run {
      try RawClient(port: port).exchange(method, target, lines: lines)
    }
  }

  func stop() async throws -> Int32 {
    child.signal(SIGTERM)
    return try await child.end()
  }
}

extension ChildProcess {
  /// The program's address, as JSON on its first line.
  ///
  /// - Parameter scratch: Where its output goes.
  func listening(from scratch: Scratch) async throws -> (port: UInt16, line: String) {
    let output = scratch / "output"
    await Condition.until(turns: Condition.turnsOfStart) {
      (try? String(contentsOfFile: output, encoding: .utf8))?.hasSuffix("\n") == true
        || self.endedStatus != nil
    }
    let line = try String(contentsOfFile: output, encoding: .utf8)
    let object = try line.split(separator: "\n").first.flatMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    guard let object, object["event"] as? String == "listening" else {
      // The object of a failure precedes its line on stderr.
      await Condition.until { self.endedStatus != nil }
      let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
      throw ImageError(.connectionFailed, "it did not start: \(errors)")
    }
    return (UInt16(object["port"] as? Int ?? 0), line)
  }
}

/// `imgcache serve` over a cache that `imgcache prefetch` filled: the whole program, nothing of the
/// test's own.
final class ServedDays: Sendable {
  private let program: ServeProgram

  /// The days of the sample, with their stories' pages.
  static func sample(days: Int) async throws -> ServedDays {
    try await ServedDays(["--sample", "--days", "\(days)", "--bodies"], serving: ["--sample"])
  }

  /// - Parameters:
  ///   - prefetch: What is fetched first; nothing leaves the cache empty.
  ///   - preparing: Whole commands that go before.
  ///   - missing: Whether some of the images are unavailable.
  ///   - serving: Further options of `serve`.
  init(
    _ prefetch: [String], preparing: [[String]] = [], missing: Bool = false, serving: [String] = []
  ) async throws {
    let scratch = try Scratch()
    for command in preparing + (prefetch.isEmpty ? [] : [["prefetch", "--quiet"] + prefetch]) {
      let outcome = try await Tool.imgcache.run(command + ["--cache-dir", scratch / "cache"])
      try #require(outcome.status == 0 || missing && outcome.status == 1, "\(outcome.errors)")
    }
    program = try await ServeProgram(serving, scratch: scratch)
  }

  var port: UInt16 { program.port }
  var address: String { program.url("/") }

  func stop() { program.child.stop() }
}
