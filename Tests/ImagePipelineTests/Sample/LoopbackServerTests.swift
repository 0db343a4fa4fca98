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

  @Test(arguments: [
    ([("if-none-match", "W/\"v1\"")], 304, "", nil),
    ([("range", "bytes=2-3")], 206, "cd", "bytes 2-3/6"),
    ([("range", "bytes=4-")], 206, "ef", "bytes 4-5/6"),
    ([("range", "bytes=-1")], 206, "f", "bytes 5-5/6"),
    ([("range", "bytes=0-99")], 206, "abcdef", "bytes 0-5/6"),
    ([("range", "bytes=6-")], 416, "", "bytes */6"),
    ([("range", "bytes=3-2")], 200, "abcdef", nil),
    ([("range", "bytes=2-3"), ("if-range", "\"v0\"")], 200, "abcdef", nil),
    ([("range", "bytes=2-3"), ("if-range", "\"v1\"")], 206, "cd", "bytes 2-3/6"),
  ])
  func `serves a file with validators and ranges`(
    headers: [(String, String)], status: Int, body: String, place: String?
  ) throws {
    let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
    let request = try #require(LoopbackRequest(head: Array("GET / HTTP/1.1\r\n\(lines)".utf8)))

    let response = LoopbackResponse.file(
      Array("abcdef".utf8), mediaType: "image/png", entityTag: "\"v1\"", for: request)

    #expect(response.status == status)
    #expect(String(decoding: response.body, as: UTF8.self) == body)
    #expect(response.headers.first { $0.name == "Content-Range" }?.value == place)
  }
}
