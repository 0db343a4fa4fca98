import ImageModel
import Testing

@testable import SampleFeed

@Suite struct `Messages of the loopback server` {
  private func parsed(_ head: String) -> LoopbackRequest? {
    LoopbackRequest(head: Array(head.utf8))
  }

  private func wire(
    _ response: LoopbackResponse, isHead: Bool = false, keepsAlive: Bool = true
  ) -> String {
    String(decoding: response.wire(isHead: isHead, keepsAlive: keepsAlive), as: UTF8.self)
  }

  // MARK: Requests

  @Test func `a target is a path and a query, both still encoded`() throws {
    let request = try #require(parsed("GET /a%20b?c=%26?d HTTP/1.1\r\nHost: a"))

    #expect(request.method == "GET")
    #expect(request.target == "/a%20b?c=%26?d")
    #expect(request.path == "/a%20b")
    #expect(request.query == "c=%26?d")
    #expect(try #require(parsed("GET /a HTTP/1.0")).query == nil)
    #expect(try #require(parsed("GET /a? HTTP/1.0")).query == "")
  }

  // MARK: Responses

  @Test func `a response has its headers in order, then the length of its body`() {
    let response = LoopbackResponse(headers: [("B", "1"), ("A", "2")], body: Array("body".utf8))

    #expect(wire(response) == "HTTP/1.1 200 OK\r\nB: 1\r\nA: 2\r\nContent-Length: 4\r\n\r\nbody")
    #expect(
      wire(response, isHead: true, keepsAlive: false)
        == "HTTP/1.1 200 OK\r\nB: 1\r\nA: 2\r\nContent-Length: 4\r\nConnection: close\r\n\r\n")
    let own = LoopbackResponse(headers: [("content-length", "100")], body: Array("cut".utf8))
    #expect(wire(own) == "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ncut")
  }

  @Test(arguments: [
    (204, "HTTP/1.1 204 Status 204\r\n\r\n"), (304, "HTTP/1.1 304 Not Modified\r\n\r\n"),
    (103, "HTTP/1.1 103 Status 103\r\n\r\n"),
    (206, "HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\nx"),
    (404, "HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx"),
    (416, "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 1\r\n\r\nx"),
    (500, "HTTP/1.1 500 Status 500\r\nContent-Length: 1\r\n\r\nx"),
  ])
  func `a status that forbids a body has none`(status: Int, expected: String) {
    #expect(wire(LoopbackResponse(status: status, body: Array("x".utf8))) == expected)
  }

  // MARK: Files

  private static let files: [(headers: String, status: Int, body: String, range: String?)] = [
    ("", 200, "abcdef", nil), ("If-None-Match: \"v1\"", 304, "", nil),
    ("If-None-Match: W/\"v1\"", 304, "", nil), ("If-None-Match: *", 304, "", nil),
    ("If-None-Match: \"v0\", \"v1\"", 304, "", nil), ("If-None-Match: \"v0\"", 200, "abcdef", nil),
    ("Range: bytes=2-3", 206, "cd", "bytes 2-3/6"), ("Range: bytes=4-", 206, "ef", "bytes 4-5/6"),
    ("Range: bytes=-1", 206, "f", "bytes 5-5/6"),
    ("Range: bytes=0-99", 206, "abcdef", "bytes 0-5/6"), ("Range: bytes=6-", 416, "", "bytes */6"),
    ("Range: bytes=3-2", 200, "abcdef", nil), ("Range: bytes=0-0,2-3", 200, "abcdef", nil),
    ("Range: bytes=2-3\r\nIf-Range: \"v0\"", 200, "abcdef", nil),
    ("Range: bytes=2-3\r\nIf-Range: \"v1\"", 206, "cd", "bytes 2-3/6"),
  ]

  @Test(arguments: files)
  func `a file has a validator and ranges`(
    headers: String, status: Int, body: String, range: String?
  ) throws {
    let response = LoopbackResponse.file(
      Array("abcdef".utf8), mediaType: "text/plain", entityTag: "\"v1\"",
      cacheControl: "max-age=1", for: try #require(parsed("GET / HTTP/1.1\r\n\(headers)")))

    #expect(response.status == status)
    #expect(String(decoding: response.body, as: UTF8.self) == body)
    #expect(response.headers.first { $0.name == "Content-Range" }?.value == range)
    #expect(response.headers.contains { $0.name == "Content-Type" } || [304, 416].contains(status))
    guard headers.isEmpty else { return }
    #expect(
      response.headers.map { "\($0.name): \($0.value)" } == [
        "ETag: \"v1\"", "Accept-Ranges: bytes", "Cache-Control: max-age=1",
        "Content-Type: text/plain",
      ])
  }
}
