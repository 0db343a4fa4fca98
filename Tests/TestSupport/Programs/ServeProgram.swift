import Foundation
import Testing

@testable import ImageModel

/// `imgcache serve`, running beside the test.
final class ServeProgram: Sendable {
  let child: ChildProcess
  let port: UInt16
  let scratch: Scratch
  /// The reported address.
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

  /// One request on a new connection.
  func exchange(
    _ method: String = "GET", _ target: String, _ lines: [String] = []
  ) async throws -> RawAnswer {
    let port = port
    return try await OffPool.run {
      try RawClient(port: port).exchange(method, target, lines: lines)
    }
  }

  /// Sends SIGTERM and returns the exit status.
  func stop() async throws -> Int32 {
    child.signal(SIGTERM)
    return try await child.end()
  }
}
