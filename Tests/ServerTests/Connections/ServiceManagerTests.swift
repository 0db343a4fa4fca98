import Foundation
import Testing

@testable import HTTPListening
@testable import TestSupport

@Suite struct `The protocol of the service manager` {
  @Test(arguments: [
    [:], ["LISTEN_PID": "self"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
    ["LISTEN_PID": "self", "LISTEN_FDS": "0"], ["LISTEN_PID": "self", "LISTEN_FDS": "-1"],
    ["LISTEN_PID": "self", "LISTEN_FDS": "65"], ["LISTEN_PID": "self", "LISTEN_FDS": "two"],
    ["LISTEN_PID": "self", "LISTEN_FDS": ""],
  ])
  func `passes no socket to another process or in a malformed number`(
    environment: [String: String]
  ) {
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    let environment = environment.mapValues { $0 == "self" ? own : $0 }

    #expect(SocketFile.activated(environment).isEmpty)
  }

  @Test func `receives the state as one datagram`() throws {
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
