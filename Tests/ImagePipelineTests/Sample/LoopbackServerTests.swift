import Foundation
import Testing

@testable import SampleFeed
@testable import TestSupport

@Suite struct `A loopback server` {
  @Test func `answers requests of one connection in turn and stops cleanly`() throws {
    let server = try LoopbackServer { request in
      LoopbackResponse(headers: [("X-Path", request.path)], body: Array(request.target.utf8))
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)

    client.send(
      "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\nHEAD /d HTTP/1.1\r\nConnection: close\r\n\r\n")
    let answer = client.readToEnd()

    #expect(answer.contains("X-Path: /a\r\nContent-Length: 6\r\n\r\n/a?b=c"))
    #expect(answer.hasSuffix("X-Path: /d\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"))
    #expect(server.connectionCount == 1)
  }

  @Test func `stops while clients are connected and silent`() throws {
    let server = try LoopbackServer { _ in LoopbackResponse() }
    let clients = try (0..<5).map { _ in try RawClient(port: server.port) }

    server.stop()

    for client in clients { #expect(client.readToEnd() == "") }
  }
}
