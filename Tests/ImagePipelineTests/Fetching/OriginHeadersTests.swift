import Foundation
import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Origin headers` {
  private static let secret = "s3cret-value"

  @Test(
    arguments: [
      ("example.org: X-Key: a b", "example.org", nil, "X-Key", "a b"),
      ("Example.ORG.:X-Key:a", "example.org", nil, "X-Key", "a"),
      ("example.org:8080: X-Key:  a ", "example.org", 8080, "X-Key", "a"),
      ("[::1]:81: X-Key: a:b", "[::1]", 81, "X-Key", "a:b"),
      ("[::1]: X-Key: @a", "[::1]", nil, "X-Key", "@a"),
      ("127.0.0.1: 8080: a", "127.0.0.1", nil, "8080", "a"),
      ("example.org: X-Key: caf\u{e9}", "example.org", nil, "X-Key", "caf\u{e9}"),
    ] as [(String, String, Int?, String, String)])
  func `are parsed in curl's form, after a host`(
    text: String, host: String, port: Int?, name: String, value: String
  ) throws {
    let rule = try #require(try OriginHeaders([text]).rules.first)

    #expect(rule.host == host)
    #expect(rule.port == port)
    #expect(rule.field.name.rawName == name)
    #expect(rule.field.value == value)
  }

  @Test(arguments: [
    "", "example.org", "example.org: s3cret-value", ": X: s3cret-value", "*: X: s3cret-value",
    "*.example.org: X: s3cret-value", "http://example.org: X: s3cret-value",
    "me@example.org: X: s3cret-value", "a/b: X: s3cret-value",
    "example.org:0: X: s3cret-value", "example.org:65536: X: s3cret-value",
    "example.org: X Y: s3cret-value", "example.org: X:", "example.org: X: ",
    "example.org: X: s3cret-value\r\nY: z", "example.org: X: s3cret-value\nz",
    "example.org: X: s3cret-value\0", "example.org: Host: s3cret-value",
    "example.org: CONTENT-LENGTH: 3", "example.org: Transfer-Encoding: chunked",
    "example.org: connection: s3cret-value", "example.org: Proxy-Authorization: s3cret-value",
    "example.org: Range: bytes=0-", "example.org: If-None-Match: *", "example.org: TE: trailers",
    "example.org: Accept-Encoding: gzip", "example.org: Expect: 100-continue",
  ])
  func `that cannot be sent are refused, and no message has a value`(text: String) throws {
    let error = try #require(throws: ImageError.self) { try OriginHeaders([text]) }

    #expect(error.code == .invalidArgument)
    #expect(!"\(error) \(error.message)".contains("s3cret"))
  }

  @Test func `of a file lose only their line end`() throws {
    for (bytes, value) in [("a\n", "a"), ("a\r\n", "a"), ("a", "a"), (" a b \n", "a b")] {
      let headers = try OriginHeaders(["h: X: @/f"]) { path throws(ImageError) in
        #expect(path == "/f")
        return Array(bytes.utf8)
      }
      #expect(headers.rules.first?.field.value == value)
    }
    for bytes in [[], [10], Array("a\n\n".utf8), Array("a\nb\n".utf8), [97, 0], [97, 0xFF, 10]] {
      let error = imageError { try OriginHeaders(["h: X: @/f"]) { _ throws(ImageError) in bytes } }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `are described without their values`() throws {
    let headers = try OriginHeaders(["a.example:81: Authorization: Bearer \(Self.secret)"])
    var configuration = HTTPFetcher.Configuration()
    configuration.originHeaders = headers
    var dumped = ""
    dump(configuration, to: &dumped)

    #expect("\(headers)" == "[a.example:81: Authorization: ***]")
    for text in ["\(configuration)", String(reflecting: headers), dumped] {
      #expect(text.contains("Authorization") || text == dumped)
      #expect(!text.contains(Self.secret))
    }
    #expect(OriginHeaders.masked("a.example: X: \(Self.secret)") == "a.example: X: ***")
    #expect(OriginHeaders.masked("a.example:81:X:@/etc/key") == "a.example:81: X: @/etc/key")
    #expect(OriginHeaders.masked(Self.secret) == "***")
  }

  private func hops(_ texts: [String]) throws -> [WebURL] {
    try texts.map { try #require(WebURL($0)) }
  }

  @Test(arguments: [
    ("a: X: 1", ["http://a/"], true), ("a: X: 1", ["https://A./"], true),
    ("a: X: 1", ["http://b/"], false), ("a: X: 1", ["http://x.a/"], false),
    ("a:81: X: 1", ["http://a:81/"], true), ("a:81: X: 1", ["http://a/"], false),
    ("a:443: X: 1", ["https://a/"], true), ("a: X: 1", ["http://a:99/"], true),
    ("a: X: 1", ["http://a/", "https://a/"], true),
    ("a: X: 1", ["https://a/", "http://a/"], false),
    ("a: X: 1", ["https://a/", "http://a/", "https://a/"], false),
    ("a: X: 1", ["http://b/", "http://a/"], true),
    ("a: X: 1", ["http://a/", "http://b/"], false),
    ("a: X: 1", ["http://a/", "http://b/", "http://a/"], false),
    ("a:81: X: 1", ["http://a:81/", "http://a:82/", "http://a:81/"], false),
  ])
  func `follow a redirect only within their host`(
    text: String, urls: [String], isSent: Bool
  ) throws {
    let sent = try OriginHeaders([text]).sent(along: hops(urls))

    #expect(sent.isEmpty == !isSent)
  }

  @Test func `for a port precede those for every port, and later ones precede earlier ones`() throws
  {
    let headers = try OriginHeaders(["a:80: X: port", "a: X: all", "a: Y: 1", "a: y: 2"])

    let fields = try headers.sent(along: hops(["http://a/"])).fields

    #expect(fields == [.init("X")!: "port", .init("y")!: "2"])
  }

  @Test func `replace the request's fields, and are in the response as sent`() async throws {
    let origin = try FaultyOrigin(.whole([1]))
    let headers = try OriginHeaders([
      "127.0.0.1: Authorization: Bearer \(Self.secret)", "127.0.0.1: Accept: image/x",
      "other.example: X-Other: 1",
    ])
    let url = origin.url("/").replacing("http://", with: "http://me:password@")

    let response = try await FetcherFixture { $0.originHeaders = headers }.fetch(url) {
      $0.headers = [.authorization: "Basic abc", .cookie: "a=b"]
    }

    let request = try #require(origin.requests.last)
    #expect(request.headers.filter { $0.name.lowercased() == "authorization" }.count == 1)
    #expect(request["authorization"] == "Bearer \(Self.secret)")
    #expect(request["accept"] == "image/x")
    #expect(request["cookie"] == "a=b")
    #expect(request["x-other"] == nil)
    #expect(response.originHeaders.rules.count == 2)
  }

  @Test(arguments: [("localhost", false), ("127.0.0.1", true)])
  func `do not reach another host, nor another port where theirs has one`(
    host: String, namesPort: Bool
  ) async throws {
    let other = try FaultyOrigin()
    let origin = try FaultyOrigin(["/back": [.whole([1])]])
    let there = other.url("/far").replacing("127.0.0.1", with: host)
    origin["/"] = [.whole([], status: 302, fields: ["Location: /near"])]
    origin["/near"] = [.whole([], status: 307, fields: ["Location: \(there)"])]
    other["/far"] = [.whole([], status: 302, fields: ["Location: \(origin.url("/back"))"])]
    let place = namesPort ? "127.0.0.1:\(origin.port)" : "127.0.0.1"
    let headers = try OriginHeaders(["\(place): X-Key: \(Self.secret)"])

    let response = try await FetcherFixture { $0.originHeaders = headers }.fetch(origin.url("/"))

    #expect(origin.requests.map { $0["x-key"] } == [Self.secret, Self.secret, nil])
    #expect(other.requests.map { $0["x-key"] } == [nil])
    #expect(response.originHeaders == headers)
  }

  @Test func `are not in the CONNECT to a proxy, and no failure shows them`() async throws {
    let proxy = try FaultyOrigin()
    let headers = try OriginHeaders(["private.example: X-Key: \(Self.secret)"])
    let fixture = try FetcherFixture {
      $0.originHeaders = headers
      $0.proxy = proxy.url("")
    }

    let error = try #require(await fixture.failure(of: "https://private.example/a.jpg"))

    #expect(proxy.requests.map(\.method) == ["CONNECT"])
    #expect(proxy.requests.allSatisfy { $0["x-key"] == nil })
    #expect(!"\(error) \(error.message)".contains(Self.secret))
  }

  @Test func `replace those of a forwarded request`() async throws {
    let origin = try FaultyOrigin(["/a": [.whole([1])]])
    let client = try OriginClient(
      origin: origin.url(""),
      headers: OriginHeaders(["127.0.0.1: Authorization: own", "localhost: X-Key: 1"]))
    defer { client.stop() }

    for method in ["GET", "TRACE"] {
      try await client.exchange(
        OriginRequest(
          method: method, target: "/a", fields: [.authorization: "the client's", .accept: "*/*"])
      ) { _ in }
    }

    // The response to a TRACE shows the client what was sent.
    #expect(origin.requests.map { $0["authorization"] } == ["own", "the client's"])
    #expect(origin.requests.allSatisfy { $0["x-key"] == nil })
  }
}

@Suite struct `Typed origin headers` {
  @Test func `are those of the text`() throws {
    let typed = try OriginHeaders(
      [.authorization: "Bearer 1"], host: "images.example.org", port: 8080)

    #expect(try typed == OriginHeaders(["images.example.org:8080: Authorization: Bearer 1"]))
    #expect(
      try typed.union(OriginHeaders([.cookie: "a=b"], host: "example.org")).fields.count == 2)
  }

  @Test(arguments: ["", "a b", "http://example.org", "example.org/path"])
  func `of text that is not a host are refused without their values`(host: String) {
    let error = imageError { try OriginHeaders([.authorization: "secret"], host: host) }

    #expect(error?.code == .invalidArgument)
    #expect(error.map { !"\($0)".contains("secret") } == true)
  }
}
