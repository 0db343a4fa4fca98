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
  }

  @Test func `a target without a question mark has no query`() throws {
    #expect(try #require(parsed("GET /a HTTP/1.0")).query == nil)
    #expect(try #require(parsed("GET /a? HTTP/1.0")).query == "")
  }

  @Test func `names of headers are lower-case and their values keep colons`() throws {
    let request = try #require(
      parsed("GET / HTTP/1.1\r\nHOST: \t a:80\r\nnot a header\r\nX:1\r\nx: 2"))

    #expect(request.headers.map(\.name) == ["host", "x", "x"])
    #expect(request.headers.map(\.value) == ["a:80", "1", "2"])
    #expect(request["x"] == "1")
    #expect(request["y"] == nil)
  }

  @Test(arguments: [
    "", "GET", "GET /", "GET / HTTP/2", "GET /a b HTTP/1.1", "GET / FTP/1.1", "\u{0}\u{1}\u{2}",
  ])
  func `another first line is malformed`(head: String) {
    #expect(parsed(head) == nil)
  }

  @Test(arguments: [
    ("", false), ("\r\nConnection: close", true), ("\r\nConnection: Close", true),
    ("\r\nConnection: keep-alive", false),
  ])
  func `only Connection close ends the connection`(header: String, wantsClose: Bool) throws {
    #expect(try #require(parsed("GET / HTTP/1.1\(header)")).wantsClose == wantsClose)
  }

  // MARK: Responses

  @Test func `a response has its headers in order, then the length of its body`() {
    let response = LoopbackResponse(headers: [("B", "1"), ("A", "2")], body: Array("body".utf8))

    #expect(wire(response) == "HTTP/1.1 200 OK\r\nB: 1\r\nA: 2\r\nContent-Length: 4\r\n\r\nbody")
    #expect(
      wire(response, isHead: true, keepsAlive: false)
        == "HTTP/1.1 200 OK\r\nB: 1\r\nA: 2\r\nContent-Length: 4\r\nConnection: close\r\n\r\n")
  }

  @Test func `a length that the response names itself is kept`() {
    let response = LoopbackResponse(
      headers: [("content-length", "100")], body: Array("cut".utf8))

    #expect(wire(response) == "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ncut")
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

  private func file(_ headers: String = "") throws -> LoopbackResponse {
    .file(
      Array("0123456789".utf8), mediaType: "text/plain", entityTag: "\"v1\"",
      cacheControl: "max-age=1", for: try #require(parsed("GET / HTTP/1.1\(headers)")))
  }

  private func value(_ name: String, of response: LoopbackResponse) -> String? {
    response.headers.first { $0.name == name }?.value
  }

  @Test func `a file is sent whole with its validator`() throws {
    let response = try file()

    #expect(response.status == 200)
    #expect(response.body == Array("0123456789".utf8))
    #expect(
      response.headers.map { "\($0.name): \($0.value)" } == [
        "ETag: \"v1\"", "Accept-Ranges: bytes", "Cache-Control: max-age=1",
        "Content-Type: text/plain",
      ])
  }

  @Test(arguments: [
    ("\"v1\"", 304), ("W/\"v1\"", 304), ("\"v0\", \"v1\"", 304), ("*", 304), ("\"v0\"", 200),
  ])
  func `a client that has the file gets 304`(tags: String, status: Int) throws {
    let response = try file("\r\nIf-None-Match: \(tags)")

    #expect(response.status == status)
    #expect(response.body.isEmpty == (status == 304))
    #expect((value("Content-Type", of: response) == nil) == (status == 304))
  }

  @Test func `several ranges give the whole file`() throws {
    #expect(try file("\r\nRange: bytes=0-0,2-3").status == 200)
  }
}
