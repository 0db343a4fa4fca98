import Foundation
@testable import TestSupport

/// Programs that see a directory through a read-only mount, which binds root as well.
enum ReadOnlyMount {
  /// Whether this machine lets tests mount; where not, tests that need it are reported as skipped.
  static let isPossible: Bool = {
    let folder = TemporaryDirectory()
    let probe = try? ChildProcess(
      "unshare", arguments(for: folder.path, ["sh", "-c", "! touch \"$0/file\"", folder.path]))
    return probe?.waitForEnd() == 0
  }()

  /// Starts a program in a mount namespace of its own.
  static let tool = Tool(path: "unshare")

  /// The arguments of ``tool`` that run a command with a directory read-only.
  static func arguments(for directory: String, _ command: [String]) -> [String] {
    let script = """
      mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"
      """
    return ["-m", "sh", "-c", script, directory] + command
  }
}
