import Foundation

/// An nginx on loopback; where it is not installed, the tests that need it are
/// reported as skipped.
enum NginxProgram {
  private static let path = [
    "/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }
  static var isPossible: Bool { path != nil }

  /// Starts it.
  ///
  /// - Parameter text: Returns the content of `http { … }` for the port to listen on.
  static func start(_ text: (UInt16) -> String) async throws -> PortProgram {
    try await PortProgram(path) { port, scratch in
      let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map { "\($0)_temp_path \(scratch / $0);" }.joined(separator: " ")
      let whole = """
        daemon off; pid \(scratch / "pid"); error_log \(scratch / "errors"); worker_processes 1; events {}
        http { access_log off; \(places)
        \(text(port))
        }
        """
      return ["-p", scratch / "", "-c", try scratch.write(whole, to: "nginx.conf")]
    }
  }
}
