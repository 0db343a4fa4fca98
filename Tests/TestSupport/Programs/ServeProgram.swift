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
    scratch: Scratch? = nil
  ) async throws {
    let scratch = try scratch ?? Scratch()
    self.scratch = scratch
    let child = try Tool.imgcache.start(
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

extension ServeProgram {
  /// Serves the days of the sample, with their stories' pages, which `imgcache prefetch` has fetched:
  /// the whole program, nothing of the test's own.
  static func sample(days: Int, _ arguments: [String] = []) async throws -> ServeProgram {
    let scratch = try Scratch()
    let outcome = try await Tool.imgcache.run([
      "prefetch", "--quiet", "--sample", "--days", "\(days)", "--bodies", "--cache-dir",
      scratch / "cache",
    ])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try await ServeProgram(["--sample"] + arguments, scratch: scratch)
  }
}
