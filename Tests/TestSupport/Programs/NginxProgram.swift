import Foundation
import Testing

/// An nginx on loopback; where it is not installed, the tests that need it are
/// reported as skipped.
final class NginxProgram: Sendable {
  private static let path = [
    "/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }
  static var isPossible: Bool { path != nil }

  private let child: ChildProcess
  private let reserved: ReservedPort
  private let scratch: Scratch
  let port: UInt16

  /// Starts it, and waits until its port answers.
  ///
  /// - Parameter text: Returns the content of `http { … }` for the port to listen on.
  init(_ text: (UInt16) -> String) async throws {
    let scratch = try Scratch()
    let reserved = try ReservedPort()
    let port = reserved.number
    (self.scratch, self.reserved, self.port) = (scratch, reserved, port)
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(scratch / $0);" }.joined(separator: " ")
    let whole = """
      daemon off; pid \(scratch / "pid"); error_log \(scratch / "errors"); worker_processes 1; events {}
      http { access_log off; \(places)
      \(text(port))
      }
      """
    try Data(whole.utf8).write(to: URL(fileURLWithPath: scratch / "nginx.conf"))
    child = try ChildProcess(
      try #require(Self.path), ["-p", scratch / "", "-c", scratch / "nginx.conf"],
      errors: scratch / "said")
    await Condition.until(turns: Condition.turnsOfStart) { [child] in
      (try? RawClient(port: port)) != nil || child.endedStatus != nil
    }
    let said = try? String(contentsOfFile: scratch / "said", encoding: .utf8)
    try #require(child.endedStatus == nil, "nginx did not start: \(said ?? "it said nothing")")
  }

  func stop() { child.stop() }
}
