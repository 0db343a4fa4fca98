import HTTPTypes
import NIOHTTP1
import Testing

@testable import CachingProxy
@testable import HTTPListening

@Suite struct `A request that a proxy passes on` {
  private func head(
    _ method: String, _ target: String, _ fields: KeyValuePairs<String, String>, isOld: Bool = false
  ) -> HTTPRequestHead {
    let hosts = isOld ? [] : [("Host", "example.org")]
    return HTTPRequestHead(
      version: isOld ? .http1_0 : .http1_1, method: HTTPMethod(rawValue: method), uri: target,
      headers: HTTPHeaders(hosts + fields.map { ($0.key, $0.value) }))
  }

  private func request(
    _ method: String = "GET", _ target: String = "/a",
    _ fields: KeyValuePairs<String, String> = [:], isOld: Bool = false
  ) throws -> ProxyRequest {
    let head = head(method, target, fields, isOld: isOld)
    try #require(ProxyRequest.refusal(of: head, RequestFacts(head)) == nil)
    return ProxyRequest(
      head, body: RequestBody(onFirstRead: {}), RequestKeys([], base: "http://origin.test"),
      ForwardedFields(ListenerConfiguration([])), from: nil)
  }

  private func status(
    _ method: String = "GET", _ target: String = "/a",
    _ fields: KeyValuePairs<String, String> = [:], isOld: Bool = false
  ) -> Int? {
    let head = head(method, target, fields, isOld: isOld)
    return ProxyRequest.refusal(of: head, RequestFacts(head))?.status.code
  }

  @Test func `has a path of visible ASCII as its target, and a length of digits that fit`() throws {
    for target in ["", "a", "http://other.example/", "/a b", "/a#b", "/\u{7F}", "/ü", "*"] {
      #expect(status("GET", target) == 400, "\(target)")
    }
    for length in ["-1", "+1", "1.0", "", "0x1", "1, 1", "99999999999999999999"] {
      #expect(status("POST", "/a", ["Content-Length": length]) == 400, "\(length)")
    }
    #expect(try request("OPTIONS", "*").target == "*")
  }

  @Test func `opens no WebSocket, and other protocols are not offered to the origin`() throws {
    for names in ["websocket", "WebSocket", "h2c, websocket/13"] {
      #expect(status("GET", "/a", ["Connection": "Upgrade", "Upgrade": names]) == 501, "\(names)")
    }
    let fields: KeyValuePairs = [
      "Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQA",
    ]
    #expect(
      try request("GET", "/a", fields).fields.map(\.name.canonicalName) == [
        "x-forwarded-proto", "x-forwarded-host",
      ])
  }

  @Test func `of HTTP 1.0 may leave its host out, and has no chunks`() throws {
    #expect(try request(isOld: true).fields.map(\.name.canonicalName) == ["x-forwarded-proto"])
    #expect(status("POST", "/a", ["Transfer-Encoding": "chunked"], isOld: true) == 400)
  }

  @Test(
    arguments: [
      ("GET", "0", nil), ("HEAD", "0", nil), ("POST", "0", 0), ("PUT", "0", 0), ("GET", "7", 7),
      ("POST", "7", 7),
    ] as [(String, String, Int?)])
  func `of a reading method has no empty body`(method: String, length: String, count: Int?) throws {
    let request = try request(method, "/a", ["Content-Length": length])

    #expect(request.bodyByteCount == count)
    #expect((request.body != nil) == (count != nil))
    #expect(request.fields[.contentLength] == nil)
  }

  @Test(
    arguments: [
      ("GET", [:], true), ("HEAD", [:], false), ("POST", [:], false),
      ("GET", ["Range": "bytes=0-1"], false), ("GET", ["Cache-Control": "no-store"], false),
      ("GET", ["Cache-Control": "no-cache"], false), ("GET", ["Cache-Control": "max-age=0"], true),
      ("GET", ["Via": "1.1 imgcache-00"], false), ("GET", ["Via": "1.1 squid"], true),
      ("GET", ["Content-Length": "3"], false),
    ] as [(String, KeyValuePairs<String, String>, Bool)])
  func `joins an equal one in flight only if any response would do`(
    method: String, fields: KeyValuePairs<String, String>, mayCollapse: Bool
  ) throws {
    #expect(try request(method, "/a", fields).mayCollapse == mayCollapse)
  }

  @Test(arguments: ["OPTIONS", "TRACE"])
  func `ends where Max-Forwards says`(method: String) throws {
    let last = try request(method, "/a", ["Max-Forwards": "0"])
    let other = try request(method, "/a", ["Max-Forwards": "2"])
    let endless = try request(method, "/a")
    let ignored = try request(method, "/a", ["Max-Forwards": "few"])

    #expect(last.forwarded == nil)
    let reflection = try request(
      method, "/a", KeyValuePairs(dictionaryLiteral: ("Cookie", "a=b"), ("X-A", "1"))
    ).reflection
    #expect(reflection.hasPrefix("\(method) /a HTTP/1.1\r\n") && reflection.hasSuffix("\r\n\r\n"))
    #expect(reflection.lowercased().contains("\r\nx-a: 1\r\n"))
    #expect(!reflection.contains("a=b"))
    #expect(other.forwarded?.fields[.maxForwards] == "1")
    #expect(endless.forwarded?.fields[.maxForwards] == nil)
    #expect(ignored.forwarded?.fields[.maxForwards] == "few")
  }
}
