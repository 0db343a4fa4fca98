import Foundation
import Testing

@testable import TestSupport

/// `imgcache serve` or `proxy`, started by a shell that sets limits first.
final class LimitedServer: Sendable {
  let child: ChildProcess
  let port: UInt16
  private let scratch: Scratch

  /// - Parameters:
  ///   - arguments: The command and its options; the address is added.
  ///   - limits: Commands of the shell, such as `ulimit -n 100`.
  ///   - user: The number of a user to run it as, which root may: root's threads are not limited.
  ///     Default: the own.
  init(
    _ arguments: [String], limits: String, user: Int? = nil, scratch: Scratch
  ) async throws {
    self.scratch = scratch
    if user != nil {
      let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o777]
      try FileManager.default.setAttributes(permissions, ofItemAtPath: scratch / ".")
    }
    child = try Self.shell.start(
      Self.script(limits, user: user) + arguments
        + ["--listen", "127.0.0.1:0", "--json", "--cache-dir", scratch / "cache"],
      writingTo: scratch)
    port = try await child.listening(from: scratch).port
  }

  /// Runs a command to its end.
  static func run(_ arguments: [String], limits: String) async throws -> Tool.Outcome {
    try await shell.run(script(limits) + arguments)
  }

  private static let shell = Tool(path: "/bin/bash")

  private static func script(_ limits: String, user: Int? = nil) -> [String] {
    // Two processors: with these, limits that leave room for some threads and event loops hold
    // on every machine.
    let affinity = "taskset -cp 0,1 $$ >/dev/null 2>&1"
    let run = user.map { "setpriv --reuid \($0) --regid \($0) --clear-groups " } ?? ""
    return [
      "-c", "ulimit -c 0; \(affinity); \(limits) && exec \(run)\"$0\" \"$@\"",
      Tool.imgcache.path,
    ]
  }

  /// Its stderr so far.
  var errors: String {
    (try? String(contentsOfFile: scratch / "errors", encoding: .utf8)) ?? ""
  }

  /// The number of its open files.
  var openFileCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.pid)/fd").count) ?? 0
  }

  /// The processor time that it has used, in seconds.
  var processorSeconds: Double {
    let text = (try? String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8)) ?? ""
    // After the name, which may have blanks: the state is the third field, utime and stime are the
    // 14th and 15th.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return .infinity
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// One request on a new connection.
  func exchange(_ target: String, _ lines: [String] = []) async throws -> RawAnswer {
    let port = port
    return try await OffPool.run {
      try RawClient(port: port).exchange("GET", target, lines: lines)
    }
  }

  /// Sends SIGTERM and returns the exit status.
  func stop() async throws -> Int32 {
    child.signal(SIGTERM)
    return try await child.end()
  }
}
