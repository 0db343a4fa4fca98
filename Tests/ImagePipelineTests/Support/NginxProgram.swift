import Foundation
import Testing

@testable import ImagePipeline

/// An nginx of the test's own, on loopback; where there is none, the tests that need it are reported as skipped.
final class NginxProgram: Sendable {
  private static let path = [
    "/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }
  static var isPossible: Bool { path != nil }

  private let child: ChildProcess
  let scratch: Scratch

  /// Starts it with what stands in `http { … }`, and waits until a port answers.
  init(_ text: String, port: UInt16, scratch: Scratch) async throws {
    self.scratch = scratch
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(scratch / $0);" }.joined(separator: " ")
    let whole = """
      daemon off; pid \(scratch / "pid"); error_log \(scratch / "errors"); worker_processes 1; events {}
      http { access_log off; \(places)
      \(text)
      }
      """
    try Data(whole.utf8).write(to: URL(fileURLWithPath: scratch / "nginx.conf"))
    child = try ChildProcess(
      try #require(Self.path), ["-p", scratch / "", "-c", scratch / "nginx.conf"],
      errors: scratch / "said")
    await Condition.until { [child] in
      (try? RawClient(port: port)) != nil || child.endedStatus != nil
    }
    try #require(child.endedStatus == nil, "nginx did not start")
  }

  func stop() { child.stop() }

  /// A port that nobody listens on, a moment ago.
  static func freePort() throws -> UInt16 {
    let server = try FaultyOrigin()
    defer { server.stop() }
    return server.port
  }
}
