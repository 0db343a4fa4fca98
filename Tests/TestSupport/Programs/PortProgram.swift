import Foundation
import Testing

/// A server of another project, on a port of loopback that no other test uses.
final class PortProgram: Sendable {
  let port: UInt16
  private let child: ChildProcess
  private let reserved: ReservedPort
  private let scratch: Scratch

  /// Starts it, and waits until its port answers.
  ///
  /// - Parameter arguments: Returns its arguments for the port, and a folder for its files.
  init(
    _ path: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
    arguments: (UInt16, Scratch) throws -> [String]
  ) async throws {
    (scratch, reserved) = (try Scratch(), try ReservedPort())
    port = reserved.number
    let path = try #require(path)
    child = try ChildProcess(
      path, arguments(port, scratch), environment: environment, errors: scratch / "said")
    await Condition.until(turns: Condition.turnsOfStart) { [child, port] in
      (try? RawClient(port: port)) != nil || child.endedStatus != nil
    }
    let said = try? String(contentsOfFile: scratch / "said", encoding: .utf8)
    try #require(child.endedStatus == nil, "\(path) did not start: \(said ?? "it said nothing")")
  }

  func stop() { child.stop() }
}
