import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

@Suite struct `The caching proxy` {
  static let fresh = ["Cache-Control: max-age=100"]

  /// A response without a length, in chunks.
  static func chunked(_ pieces: [String], fields: [String] = fresh) -> [UInt8] {
    let lines = fields.map { $0 + "\r\n" }.joined()
    let chunks = pieces.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
    return Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(lines)\r\n\(chunks)".utf8)
  }

  @Test func `hop-by-hop fields are removed, all others and the body are forwarded`() async throws {
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [
        .text(
          "made", status: 201,
          fields: ["Connection: x-hop", "X-Hop: 1", "Keep-Alive: 5", "X-End: 1", "X-Empty:"])
      ]
    ])

    let answer = try proxy.exchange(
      "LINK", "/a?b=%2F..//c", ["X-Own: 1", "TE: trailers", "Proxy-Authorization: x", "X-Blank:"],
      body: "hello")

    let request = try #require(origin.requests.first, "\(answer)")
    #expect(request.method == "LINK" && request.target == "/a?b=%2F..//c")
    #expect(request.body == Array("hello".utf8))
    #expect(request["x-own"] == "1" && request["x-blank"] == "")
    for name in ["te", "proxy-authorization", "user-agent", "accept"] {
      #expect(request[name] == nil, "\(name)")
    }
    #expect(request["via"]?.wholeMatch(of: /1\.1 imgcache-[0-9a-f]{16}/) != nil)
    #expect(answer.status == 201 && answer.text == "made")
    #expect(answer["x-end"] == "1" && answer["x-empty"] == "")
    #expect(answer["x-hop"] == nil && answer["keep-alive"] == nil)
    #expect(answer["via"] == request["via"])
    #expect(answer["cache-status"] == "imgcache; fwd=method; fwd-status=201")
  }

  @Test(arguments: [false, true])
  func `a response streams while it arrives, and is stored although its client has left`(
    hasLeft: Bool
  ) async throws {
    let gate = Gate()
    let (proxy, origin) = try await ProxyFixture.start([
      "/slow": [.held(Self.chunked(["begin"]), gate, Array("3\r\nend\r\n0\r\n\r\n".utf8))]
    ])

    var client: RawClient? = try proxy.client(
      "GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let early = client?.read(until: "begin")
    if hasLeft { client = nil }
    gate.open()
    let rest = client?.readToEnd()
    let second = try proxy.get("/slow")

    #expect(early?.contains("Transfer-Encoding: chunked") == true)
    #expect(rest?.contains("end") ?? hasLeft)
    #expect(second.text == "beginend" && second.isWhole)
    #expect(second["cache-status"]?.contains("; hit") == true || hasLeft)
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: [Self.fresh, ["Cache-Control: no-store"]])
  func `a range that the origin ignores is cut out of its response`(fields: [String]) async throws {
    let letters = String(repeating: "abcdefghij", count: 20_000)
    let whole = FaultyOrigin.Answer.text(letters, fields: ["ETag: \"1\""] + fields)
    let names = ["tail", "start", "middle", "behind", "other", "parts"]
    let (proxy, origin) = try await ProxyFixture.start(
      Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", [whole]) }))
    func answer(_ name: String, _ range: String, _ more: [String] = []) throws -> RawAnswer {
      let answer = try proxy.get("/\(name)", ["Range: \(range)"] + more)
      #expect(answer.isWhole)
      return answer
    }

    let tail = try answer("tail", "bytes=-5")
    #expect(tail.status == 206 && tail.text == "fghij")
    #expect(tail["content-range"] == "bytes 199995-199999/200000")
    #expect(tail["content-length"] == "5" && tail["etag"] == "\"1\"")
    #expect(tail["cache-status"]?.contains("fwd-status=200") == true)
    #expect(try answer("start", "bytes=0-2").text == "abc")
    let middle = try answer("middle", "bytes=100001-100003", ["If-Range: \"1\""])
    #expect(middle.status == 206 && middle.text == "bcd")
    let behind = try answer("behind", "bytes=200000-")
    #expect(behind.status == 416 && behind["content-range"] == "bytes */200000")
    // The whole is the response for a part of another one, for several parts, and without a length.
    #expect(try answer("other", "bytes=0-2", ["If-Range: \"2\""]).text.utf8.count == 200_000)
    #expect(try answer("parts", "bytes=0-2,100000-100002").status == 200)
    origin["/chunks"] = [
      .raw(Self.chunked(["abc", "def"], fields: fields) + Array("0\r\n\r\n".utf8))
    ]
    #expect(try answer("chunks", "bytes=0-2").text == "abcdef")
    origin["/gone"] = [.text("gone", status: 404, fields: fields)]
    #expect(try answer("gone", "bytes=0-2").status == 404)
  }

  @Test func `a truncated response is truncated for the client too, and not stored`() async throws {
    let whole = FaultyOrigin.head(length: 10, fields: Self.fresh)
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.raw(whole + Array("short".utf8))]])

    let first = try proxy.get("/a")
    let second = try proxy.get("/a")

    #expect(!first.isWhole)
    #expect(!second.isWhole)
    #expect(origin.requests.count >= 2)
  }

  @Test func `a stale response is served and revalidated once in the background`() async throws {
    let gate = Gate()
    let fields = ["Cache-Control: max-age=1, stale-while-revalidate=100"]
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [
        .text("old", fields: fields),
        .held([], gate, FaultyOrigin.head(length: 3, fields: Self.fresh) + Array("new".utf8)),
      ]
    ])

    _ = try proxy.get("/a")
    proxy.clock.advance(by: 5)
    let stale = try (0..<3).map { _ in try proxy.get("/a") }
    await gate.arrivals(1)
    gate.open()
    try await proxy.stop()

    #expect(stale.allSatisfy { $0.text == "old" && $0["cache-status"]?.contains("; hit") == true })
    #expect(origin.requests.count == 2)
  }

  @Test func `a body of one megabyte is streamed both ways`() async throws {
    let size = 1 << 20
    let (proxy, _) = try await ProxyFixture.start([
      "/up": [
        .custom { request, connection in
          let response = LoopbackResponse(body: request.body)
          return connection.send(response.wire(isHead: false, keepsAlive: true))
        }
      ]
    ])
    let body = String(repeating: "0123456789abcdef", count: (size - 16) / 16)

    let answer = try proxy.exchange("POST", "/up", body: body)

    #expect(answer.text == body)
  }

  @Test(arguments: [
    ("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n", "HTTP/1.1 400 "),
    // Who has closed the connection reads nothing more.
    ("Content-Length: 9\r\n\r\nab", ""),
  ])
  func `a malformed or short request body is not logged as a failure of the origin`(
    rest: String, status: String
  ) async throws {
    let lines = Locked<[String]>([])
    let (proxy, _) = try await ProxyFixture.start(["/up": [.text("")]]) {
      $0.log = { [lines] line in lines.withLock { $0.append(line) } }
    }

    let client = try proxy.client("POST /up HTTP/1.1\r\nHost: localhost\r\n\(rest)")
    client.endSending()
    let answer = client.readToEnd()
    try await proxy.stop()

    #expect(answer.prefix(13) == status)
    #expect(lines.withLock(\.self) == [])
  }

  @Test func `stored responses outlive the proxy, and another program finds them`() async throws {
    let origin = try FaultyOrigin(["/a": [.text("kept", fields: Self.fresh)]])
    let scratch = try Scratch()
    let clock = ManualClock()
    var configuration = DiskCache.Configuration(directory: scratch / "cache")
    configuration.clock = { clock.now }

    for _ in 0..<2 {
      let cache = try DiskCache(configuration)
      let proxy = try await ProxyFixture(
        origin: origin.url(""), storage: .disk(cache), clock: clock)
      let answer = try proxy.get("/a", ["If-None-Match: \"x\""])
      #expect(answer.text == "kept")
      try await proxy.stop()
      await cache.close()
    }

    let found = try await DiskCache(configuration).read(.original(url: origin.url("/a")))
    #expect(found?.bytes == Array("kept".utf8))
    #expect(origin.requests.count == 1)
  }

  @Test func `on disk a 304 freshens, Vary selects, an unsafe request invalidates`() async throws {
    let vary = ["Cache-Control: max-age=10", "Vary: Accept", "ETag: \"1\""]
    let origin = try FaultyOrigin([
      "/a": [
        .text("one", fields: vary),
        .custom { request, connection in
          // For Accept: b the response has the same bytes.
          connection.send(
            "HTTP/1.1 304 Not Modified\r\nETag: \(request["if-none-match"] ?? "none")\r\n"
              + "Vary: Accept\r\nCache-Control: max-age=10\r\n\r\n")
        }, .whole([], status: 204), .text("new", fields: vary),
      ]
    ])
    let storage = try ProxyStorage(.disk)
    let cache = try #require(storage.cache)
    let proxy = try await ProxyFixture(origin: origin, storage)

    let first = try proxy.get("/a", ["Accept: a"])
    let chosen = try proxy.get("/a", ["Accept: b"])
    let again = try proxy.get("/a", ["Accept: b"])
    let before = await cache.variations(of: origin.url("/a")).count
    _ = try proxy.exchange("DELETE", "/a")
    let after = await cache.variations(of: origin.url("/a")).count
    let fresh = try proxy.get("/a", ["Accept: a"])

    #expect([first.text, chosen.text, again.text, fresh.text] == ["one", "one", "one", "new"])
    #expect(chosen["cache-status"]?.contains("fwd=vary-miss; fwd-status=304") == true)
    #expect(again["cache-status"]?.contains("; hit") == true)
    #expect(before == 2)
    #expect(after == 0)
    #expect(origin.requests.count == 4)
  }

  @Test func `responses of a private cache in the same directory are not shared`() async throws {
    let origin = try FaultyOrigin(["/a": [.text("yours")]])
    let storage = try ProxyStorage(.disk)
    var record = CacheRecord(key: .original(url: origin.url("/a")), at: storage.clock.now)
    record.headers = HeaderText([.cacheControl: "private, max-age=1000"])
    try await storage.cache?.store(Array("mine".utf8), record)
    let proxy = try await ProxyFixture(origin: origin, storage)

    #expect(try proxy.get("/a").text == "yours")
  }

  @Test func `a partial response is completed and stored whole (RFC 9111 §3.4)`() async throws {
    let fields = ["Cache-Control: max-age=100", "ETag: \"1\""]
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [
        .text("01234", status: 206, fields: fields + ["Content-Range: bytes 0-4/10"]),
        .text("56789", status: 206, fields: fields + ["Content-Range: bytes 5-9/10"]),
      ]
    ])

    _ = try proxy.get("/a", ["Range: bytes=0-4"])
    let whole = try proxy.get("/a")
    let stored = try proxy.get("/a")

    #expect(origin.requests.last?["range"] == "bytes=5-")
    #expect(origin.requests.last?["if-range"] == "\"1\"")
    #expect(whole.status == 200 && whole["content-range"] == nil)
    #expect([whole.text, stored.text] == ["0123456789", "0123456789"])
    #expect(origin.requests.count == 2)
  }

  @Test func `a range that contradicts its Content-Range is forwarded and not stored`() async throws
  {
    let part = ["Cache-Control: max-age=100", "Content-Range: bytes 4-9/10"]
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [.text("01234", status: 206, fields: part)]
    ])

    let answers = try (0..<2).map { _ in try proxy.get("/a", ["Range: bytes=-5"]) }

    #expect(answers.map(\.status) == [206, 206] && answers.map(\.text) == ["01234", "01234"])
    #expect(origin.requests.count == 2)
  }

  /// A 416 with the lifetime of the image could be reused by a cache in front for every other
  /// range, and for the whole; the server of thumbnails sends such a problem without these fields.
  @Test func `an unsatisfiable range has no lifetime and no validators`() async throws {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [
        .text(
          "0123456789",
          fields: ["Cache-Control: max-age=60", "ETag: \"1\"", "Content-Type: text/plain"])
      ]
    ])
    _ = try proxy.get("/a")

    let answer = try proxy.get("/a", ["Range: bytes=50-"])

    #expect(answer.status == 416)
    #expect(answer["content-range"] == "bytes */10")
    #expect(answer["cache-control"] == nil || answer["cache-control"] == "no-store")
    #expect(answer["etag"] == nil)
    #expect(answer["content-type"] == nil)
  }
}
