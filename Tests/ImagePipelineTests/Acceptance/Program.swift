import Foundation
import Testing

/// The built `imgcache` beside the tests, run as a user runs it.
enum Program {
  /// What a run did.
  struct Outcome: Sendable {
    var exitStatus: Int32
    var output: String
    var diagnostics: String

    /// The records of `--json`, one a line.
    var records: [[String: Any]] {
      output.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
    }

    func records(_ event: String) -> [[String: Any]] {
      records.filter { $0["event"] as? String == event }
    }

    var images: [[String: Any]] { records("image") }
    var failed: [[String: Any]] { images.filter { $0["status"] as? String == "failed" } }
    var summary: [String: Any] { records("summary").last ?? [:] }

    /// The stable codes of the records that failed, by URL.
    var codes: [String: String] {
      var codes: [String: String] = [:]
      for record in failed {
        guard let url = record["url"] as? String, let error = record["error"] as? [String: Any]
        else { continue }
        codes[url] = error["code"] as? String ?? "(no code)"
      }
      return codes
    }
  }

  /// Where it lies: beside the test bundle.
  static let path: String = {
    let candidates = [
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
      SharedFixtures.packageRoot.appendingPathComponent(".build/debug"),
    ]
    let found = candidates.map { $0.appendingPathComponent("imgcache").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    return found ?? "/nonexistent/imgcache"
  }()

  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Runs it to its end, or until `interrupting` has done something to it.
  static func run(
    _ arguments: [String], input: String? = nil,
    interrupting: (@Sendable (Process) async -> Void)? = nil
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
    // Files, not pipes: nobody has to read while it runs.
    for name in ["in", "out", "err"] {
      FileManager.default.createFile(
        atPath: folder.file(name), contents: name == "in" ? Data((input ?? "").utf8) : nil)
    }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.file("in")))
    process.standardOutput = try FileHandle(
      forWritingTo: URL(fileURLWithPath: folder.file("out")))
    process.standardError = try FileHandle(
      forWritingTo: URL(fileURLWithPath: folder.file("err")))

    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    await interrupting?(process)
    for await _ in ended {}
    return Outcome(
      exitStatus: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      output: try String(contentsOfFile: folder.file("out"), encoding: .utf8),
      diagnostics: try String(contentsOfFile: folder.file("err"), encoding: .utf8))
  }
}

/// A folder of a test's own, gone when nobody holds it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/imgcache-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func file(_ name: String) -> String { path + "/" + name }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
