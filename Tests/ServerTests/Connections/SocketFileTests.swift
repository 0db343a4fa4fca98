import Foundation
import ImageModel
import Testing

@testable import HTTPListening
@testable import TestSupport

@Suite struct `A socket in the file system` {
  private let scratch = TemporaryDirectory()

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as ImageError where error.code == .cannotListen {
      return error.message
    } catch {
      return "another error: \(error)"
    }
  }

  @Test func `stays if another file has replaced it`() throws {
    let path = scratch.path("s")
    let socket = try BoundSocketFile(path, mode: 0o600)
    defer { close(socket.descriptor) }
    try FileManager.default.removeItem(atPath: path)
    try Data("kept".utf8).write(to: URL(fileURLWithPath: path))

    socket.remove()

    #expect(FileManager.default.contents(atPath: path) == Data("kept".utf8))
  }

  @Test func `never replaces a file or a folder`() throws {
    let path = scratch.path("f")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: path))

    #expect(
      message { _ = try BoundSocketFile(path, mode: 0o600) } == "\(path) exists and is not a socket"
    )
    #expect(
      message { try SocketFile.checkPlace(scratch.path) }
        == "\(scratch.path) exists and is not a socket")
    #expect(FileManager.default.contents(atPath: path) == Data("kept".utf8))
  }

  @Test func `can be checked without a trace`() async throws {
    let path = scratch.path("s")

    try await ListenTarget.unix(path: path).probe()

    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [
    [:], ["LISTEN_PID": "self"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
    ["LISTEN_PID": "self", "LISTEN_FDS": "0"], ["LISTEN_PID": "self", "LISTEN_FDS": "-1"],
    ["LISTEN_PID": "self", "LISTEN_FDS": "65"], ["LISTEN_PID": "self", "LISTEN_FDS": "two"],
    ["LISTEN_PID": "self", "LISTEN_FDS": ""],
  ])
  func `is not taken from the service manager of another process or in a malformed number`(
    environment: [String: String]
  ) {
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    let environment = environment.mapValues { $0 == "self" ? own : $0 }

    #expect(SocketFile.activated(environment).isEmpty)
  }
}
