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

  @Test func `has the permissions asked for and is removed at the end`() throws {
    let path = scratch.path("s")

    let file = try BoundSocketFile(path, mode: 0o600)
    defer { close(file.descriptor) }

    let facts = try FileManager.default.attributesOfItem(atPath: path)
    #expect(facts[.posixPermissions] as? Int == 0o600)
    #expect(facts[.type] as? FileAttributeType == .typeSocket)
    file.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `is not replaced while a process listens on it`() throws {
    let path = scratch.path("s")
    let first = try BoundSocketFile(path, mode: 0o600)
    defer { close(first.descriptor) }

    let message = message { _ = try BoundSocketFile(path, mode: 0o600) }

    #expect(message == "cannot listen on unix:\(path): Address already in use")
  }

  @Test func `is replaced if its process has ended`() throws {
    let path = scratch.path("s")
    let first = try BoundSocketFile(path, mode: 0o600)
    close(first.descriptor)

    let second = try BoundSocketFile(path, mode: 0o666)
    defer { close(second.descriptor) }

    let facts = try FileManager.default.attributesOfItem(atPath: path)
    #expect(facts[.posixPermissions] as? Int == 0o666)
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

  @Test func `a TCP port in use is named with the reason`() async throws {
    let socket = LoopbackSocket.make()
    defer { close(socket) }
    let port = try LoopbackSocket.bind(socket)
    #expect(listen(socket, 1) == 0)

    let error = await #expect(throws: ImageError.self) {
      try await ListenTarget.tcp(host: "127.0.0.1", port: Int(port)).probe()
    }

    #expect(error?.code == .cannotListen)
    #expect(error?.message == "cannot listen on 127.0.0.1:\(port): Address already in use")
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

  @Test func `of the service manager receives the state as one datagram`() throws {
    let scratch = TemporaryDirectory()
    let manager = try #require(UnixSocket(scratch.path("notify"), .datagram))
    defer { manager.closeSocket() }
    #expect(manager.bindSocket())

    SocketFile.notify("READY=1", ["NOTIFY_SOCKET": scratch.path("notify")])

    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(manager.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    #expect(count == 7)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
  }
}
