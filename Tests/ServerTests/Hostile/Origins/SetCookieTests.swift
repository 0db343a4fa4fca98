import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `A Set-Cookie session` {
  /// An origin that begins a session with each response: the request's number, in a cookie and in
  /// the page.
  ///
  /// - Parameters:
  ///   - fields: Lines of every response, `Set-Cookie` aside.
  ///   - gate: The gate that the first response waits for.
  private static func sessions(
    _ fields: [String], heldBy gate: Gate? = nil
  ) -> [String: [FaultyOrigin.Answer]] {
    let count = Locked(0)
    let lines = fields.map { $0 + "\r\n" }.joined()
    let answer = FaultyOrigin.Answer.custom { _, connection in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 { gate?.block() }
      return connection.send(
        """
        HTTP/1.1 200 OK\r\n\(lines)Set-Cookie: session=\(number)\r\nSet-Cookie2: old=\(number)\r\n\
        Content-Length: 6\r\n\r\npage \(number)
        """)
    }
    return ["/page": [answer]]
  }

  /// Everything that makes a response fresh without `public`. The clock is at 2020-09-13 12:26:40.
  @Test(
    arguments: [
      ("Cache-Control: max-age=60", .memory), ("Cache-Control: max-age=60", .disk),
      ("Cache-Control: s-maxage=60", .memory), ("CDN-Cache-Control: max-age=60", .disk),
      ("Cache-Control: max-age=60, no-cache=\"x\"", .memory),
      ("Expires: Mon, 14 Sep 2020 12:26:40 GMT", .disk),
      ("Last-Modified: Sat, 01 Aug 2020 00:00:00 GMT", .memory),
    ] as [(String, ProxyStorage.Kind)])
  func `is sent to one client alone, however fresh the response`(
    line: String, kind: ProxyStorage.Kind
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start(Self.sessions([line]), try ProxyStorage(kind))

    let first = try proxy.get("/page")
    let second = try proxy.get("/page")

    #expect(first["set-cookie"] == "session=1")
    #expect(first["cache-status"]?.contains("stored") == false)
    #expect(second["set-cookie"] == "session=2" && second.text == "page 2")
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `is removed from a public response that is stored`(kind: ProxyStorage.Kind) async throws {
    let storage = try ProxyStorage(kind)
    let (proxy, origin) = try await ProxyFixture.start(
      Self.sessions(["Cache-Control: public, max-age=60"]), storage)

    let first = try proxy.get("/page")
    let second = try proxy.get("/page")

    #expect(first["set-cookie"] == "session=1")
    #expect(second["set-cookie"] == nil && second.text == "page 1")
    // An obsolete field (RFC 6265 §9.4), which clients ignore.
    #expect(second["set-cookie2"] == "old=1")
    let kept = await storage.cache?.variations(of: origin.url("/page")).first
    #expect(kept?.headers.first("set-cookie") == nil)
  }

  @Test(arguments: [false, true])
  func `is sent to the first client alone where others wait, who share a public response`(
    isPublic: Bool
  ) async throws {
    let gate = Gate()
    let control = isPublic ? "public, max-age=60, private=\"X-Own\"" : "max-age=60"
    let (proxy, origin) = try await ProxyFixture.start(
      Self.sessions(["Cache-Control: \(control)", "X-Own: 1"], heldBy: gate))

    let clients = try (0..<5).map { _ in
      try proxy.client("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    }
    await gate.arrivals(1)
    await Condition.until { proxy.waiterCount == 4 }
    gate.open()
    let answers = try clients.map { try $0.answer() }

    if isPublic {
      #expect(answers.allSatisfy { $0.text == "page 1" })
      #expect(answers.compactMap { $0["set-cookie"] } == ["session=1"])
      // A field that `private` names is for one client, too (RFC 9111 §5.2.2.7).
      #expect(answers.compactMap { $0["x-own"] } == ["1"])
      #expect(origin.requests.count == 1)
    } else {
      #expect(Set(answers.map { $0["set-cookie"] ?? "" }).count == 5)
      #expect(answers.allSatisfy { $0["set-cookie"] == "session=\($0.text.dropFirst(5))" })
    }
  }

  private static let page = FaultyOrigin.Answer.text(
    "page", fields: ["Cache-Control: max-age=10", "ETag: \"1\""])

  @Test(arguments: ProxyStorage.Kind.allCases, [[], ["If-None-Match: \"1\""]])
  func `in a 304 is sent to the client that revalidated, and not stored`(
    kind: ProxyStorage.Kind, lines: [String]
  ) async throws {
    let confirmation = FaultyOrigin.Answer.whole(
      [], status: 304,
      fields: ["Cache-Control: max-age=10", "ETag: \"1\"", "Set-Cookie: session=2", "X-New: 1"])
    let (proxy, origin) = try await ProxyFixture.start(
      ["/page": [Self.page, confirmation]], try ProxyStorage(kind))

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 20)
    let asked = try proxy.get("/page", lines)
    let next = try proxy.get("/page")

    #expect(asked.status == (lines.isEmpty ? 200 : 304))
    #expect(asked["set-cookie"] == "session=2")
    #expect(next.text == "page" && next["set-cookie"] == nil && next["x-new"] == "1")
    #expect(origin.requests.count == 2)
  }

  @Test(
    arguments: [(.memory, "private, max-age=60"), (.disk, "no-store")]
      as [(ProxyStorage.Kind, String)])
  func `is not the only field a 304 may keep to one client`(
    kind: ProxyStorage.Kind, control: String
  ) async throws {
    let fields = ["Cache-Control: \(control)", "ETag: \"1\""]
    let (proxy, _) = try await ProxyFixture.start(
      [
        "/page": [
          Self.page, .whole([], status: 304, fields: fields), .text("mine", fields: fields),
          .text("next"),
        ]
      ], try ProxyStorage(kind))

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 20)

    #expect(try proxy.get("/page").text == "mine")
    #expect(try proxy.get("/page").text == "next")
  }

  @Test func `and private fields of either part of a range are not stored`() async throws {
    func part(_ text: String, _ range: String, _ field: String) -> FaultyOrigin.Answer {
      let control = "Cache-Control: public, max-age=100, private=\"x-session\""
      return .text(
        text, status: 206,
        fields: [control, "ETag: \"1\"", "Content-Range: bytes \(range)/10", field])
    }
    let (proxy, origin) = try await ProxyFixture.start([
      "/page": [
        part("01234", "0-4", "X-Session: first"), part("56789", "5-9", "Set-Cookie: session=2"),
      ]
    ])

    let first = try proxy.get("/page", ["Range: bytes=0-4"])
    let whole = try proxy.get("/page")
    let stored = try proxy.get("/page")

    #expect(first["x-session"] == "first")
    #expect([whole.text, stored.text] == ["0123456789", "0123456789"])
    #expect(whole["set-cookie"] == "session=2" && stored["set-cookie"] == nil)
    #expect(whole["x-session"] == nil && stored["x-session"] == nil)
    #expect(origin.requests.count == 2)
  }

  @Test func `in a trailer reaches neither the client nor the store`() async throws {
    let wire = """
      HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\
      Trailer: Set-Cookie\r\n\r\n4\r\npage\r\n0\r\nSet-Cookie: session=1\r\n\r\n
      """
    let (proxy, origin) = try await ProxyFixture.start(["/page": [.raw(Array(wire.utf8))]])

    let answers = try (0..<2).map { _ in try proxy.get("/page") }

    #expect(answers.allSatisfy { $0.text == "page" && $0["set-cookie"] == nil })
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: [("max-age=1000", false), ("public, max-age=1000", true)])
  func `of an entry that another program stored is not served`(
    control: String, isServed: Bool
  ) async throws {
    let storage = try ProxyStorage(.disk)
    let (proxy, origin) = try await ProxyFixture.start(["/page": [.text("new")]], storage)
    var record = CacheRecord(key: .original(url: origin.url("/page")), at: storage.clock.now)
    record.headers = HeaderText([.cacheControl: control, .setCookie: "session=1"])
    try await storage.cache?.store(Array("old".utf8), record)

    let answer = try proxy.get("/page")

    #expect(answer.text == (isServed ? "old" : "new"))
    #expect(answer["set-cookie"] == nil)
  }

  @Test func `is not stored with an image, and its image is not shared by a proxy`() async throws {
    let origin = try FaultyOrigin(["/a.jpg": [.text("for all")]])
    let scratch = try Scratch()
    let fields: HTTPFields = [
      .cacheControl: "max-age=1000000", .setCookie: "session=secret", .eTag: "\"1\"",
    ]
    let fixture = try PipelineFixture(
      StubFetcher(returning: SampleImages.photo, fields: fields), in: scratch)
    let cache = try #require(fixture.cache)

    _ = try await fixture.pipeline.data(for: ImageRequest(url: origin.url("/a.jpg")))
    let kept = try await fixture.pipeline.data(for: ImageRequest(url: origin.url("/a.jpg")))
    fixture.fetcher.become { StubFetcher.response($0.url, [], status: 304, fields: fields) }
    let question = with(ImageRequest(url: origin.url("/a.jpg"))) { $0.cache.policy = .revalidate }
    let confirmed = try await fixture.pipeline.data(for: question)
    let proxy = try await ProxyFixture(
      origin: origin.url(""), storage: .disk(cache), clock: fixture.clock)
    let answer = try proxy.get("/a.jpg")

    #expect(kept.source == .disk)
    #expect(kept.original.headers.first("set-cookie") == "")
    #expect(confirmed.source == .revalidated)
    #expect(confirmed.original.headers.first("set-cookie") == "")
    #expect(answer.text == "for all")
  }

  @Test func `does not reach the clients of serve, which keeps the image`() async throws {
    let server = try await ServerFixture([
      "/a.jpg": [
        .whole(SampleImages.photo, fields: ["Set-Cookie: session=1", "Cache-Control: max-age=60"])
      ]
    ])

    var answers: [RawAnswer] = []
    for target in [server.image("/a.jpg"), server.thumb("/a.jpg"), server.image("/a.jpg")] {
      answers.append(try await server.get(target))
    }

    #expect(answers.map(\.status) == [200, 200, 200])
    #expect(answers.allSatisfy { $0["set-cookie"] == nil })
    #expect(server.origin.requests.count == 1)
  }
}
