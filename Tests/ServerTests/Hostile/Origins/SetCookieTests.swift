import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import ImageFeeds
@testable import ImageModel
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// An origin that begins a session with each response: the request's number, in a cookie and
/// in the page.
private final class SessionOrigin: Sendable {
  let origin: FaultyOrigin

  /// - Parameters:
  ///   - fields: Lines of every response, `Set-Cookie` aside.
  ///   - gate: The gate that the first response waits for.
  init(_ fields: [String], heldBy gate: Gate? = nil) throws {
    let count = Locked(0)
    let lines = fields.map { $0 + "\r\n" }.joined()
    origin = try FaultyOrigin([
      "/page": [
        .custom { _, connection in
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
      ]
    ])
  }

  deinit { origin.stop() }
}

@Suite struct `A Set-Cookie session` {
  /// Everything that makes a response fresh without `public`. The clock is at 2020-09-13 12:26:40.
  static let fresh = [
    "Cache-Control: max-age=60", "Cache-Control: s-maxage=60", "CDN-Cache-Control: max-age=60",
    "Cache-Control: max-age=60, no-cache=\"x\"", "Expires: Mon, 14 Sep 2020 12:26:40 GMT",
    "Last-Modified: Sat, 01 Aug 2020 00:00:00 GMT",
  ]

  @Test(arguments: fresh, ProxyStorage.Kind.allCases)
  func `is sent to one client alone, however fresh the response`(
    line: String, kind: ProxyStorage.Kind
  ) async throws {
    let sessions = try SessionOrigin([line])
    let storage = try ProxyStorage(kind)
    let proxy = try await ProxyFixture(origin: sessions.origin, storage)

    let first = try proxy.get("/page")
    let second = try proxy.get("/page")

    #expect(first["set-cookie"] == "session=1")
    #expect(first["cache-status"]?.contains("stored") == false)
    #expect(second["set-cookie"] == "session=2")
    #expect(second.text == "page 2")
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `is removed from a public response that is stored`(kind: ProxyStorage.Kind) async throws {
    let sessions = try SessionOrigin(["Cache-Control: public, max-age=60"])
    let storage = try ProxyStorage(kind)
    let proxy = try await ProxyFixture(origin: sessions.origin, storage)

    let first = try proxy.get("/page")
    let second = try proxy.get("/page")

    #expect(first["set-cookie"] == "session=1")
    #expect(second["set-cookie"] == nil)
    // An obsolete field (RFC 6265 §9.4), which clients ignore.
    #expect(second["set-cookie2"] == "old=1")
    #expect(second.text == "page 1")
    let kept = await storage.cache?.variations(of: sessions.origin.url("/page")).first
    #expect(kept?.headers.first("set-cookie") == nil)
  }

  @Test func `is not shared with clients that wait for the same response`() async throws {
    let gate = Gate()
    let sessions = try SessionOrigin(["Cache-Control: max-age=60"], heldBy: gate)
    let proxy = try await ProxyFixture(origin: sessions.origin.url(""))

    let answers = try await Self.together(5, proxy, gate)

    #expect(Set(answers.map { $0["set-cookie"] ?? "" }).count == 5)
    #expect(answers.allSatisfy { $0["set-cookie"] == "session=\($0.text.dropFirst(5))" })
  }

  @Test func `is sent to the first client alone where others wait for a public response`()
    async throws
  {
    let gate = Gate()
    let sessions = try SessionOrigin(
      ["Cache-Control: public, max-age=60, private=\"X-Own\"", "X-Own: 1"], heldBy: gate)
    let proxy = try await ProxyFixture(origin: sessions.origin.url(""))

    let answers = try await Self.together(5, proxy, gate)

    #expect(answers.allSatisfy { $0.text == "page 1" })
    #expect(answers.compactMap { $0["set-cookie"] } == ["session=1"])
    // A field that `private` names is for one client, too (RFC 9111 §5.2.2.7).
    #expect(answers.compactMap { $0["x-own"] } == ["1"])
    #expect(sessions.origin.requests.count == 1)
  }

  /// Equal concurrent requests, the first of which the origin holds.
  private static func together(
    _ count: Int, _ proxy: ProxyFixture, _ gate: Gate
  ) async throws -> [RawAnswer] {
    let clients = try (0..<count).map { _ in
      try proxy.client("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    }
    await gate.arrivals(1)
    await Condition.until { proxy.waiterCount == count - 1 }
    gate.open()
    return try clients.map { try $0.answer() }
  }

  @Test(arguments: ProxyStorage.Kind.allCases, [[], ["If-None-Match: \"1\""]])
  func `in a 304 is sent to the client that revalidated, and not stored`(
    kind: ProxyStorage.Kind, lines: [String]
  ) async throws {
    let storage = try ProxyStorage(kind)
    let (proxy, origin) = try await ProxyFixture.start(
      [
        "/page": [
          .text("page", fields: ["Cache-Control: max-age=10", "ETag: \"1\""]),
          .whole(
            [], status: 304,
            fields: [
              "Cache-Control: max-age=10", "ETag: \"1\"", "Set-Cookie: session=2", "X-New: 1",
            ]),
        ]
      ], storage)

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 20)
    let asked = try proxy.get("/page", lines)
    let next = try proxy.get("/page")
    try await proxy.stop()

    #expect(asked.status == (lines.isEmpty ? 200 : 304))
    #expect(asked["set-cookie"] == "session=2")
    #expect(next.text == "page")
    #expect(next["set-cookie"] == nil)
    #expect(next["x-new"] == "1")
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: ProxyStorage.Kind.allCases, ["private, max-age=60", "no-store"])
  func `is not the only field a 304 may keep to one client`(
    kind: ProxyStorage.Kind, control: String
  ) async throws {
    let storage = try ProxyStorage(kind)
    let (proxy, _) = try await ProxyFixture.start(
      [
        "/page": [
          .text("page", fields: ["Cache-Control: max-age=10", "ETag: \"1\""]),
          .whole([], status: 304, fields: ["Cache-Control: \(control)", "ETag: \"1\""]),
          .text("mine", fields: ["Cache-Control: \(control)", "ETag: \"1\""]),
          .text("next"),
        ]
      ], storage)

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 20)
    let asked = try proxy.get("/page")
    let next = try proxy.get("/page")

    #expect(asked.text == "mine")
    #expect(next.text == "next")
  }

  @Test func `that comes with the rest of a stored range is not stored with the whole`()
    async throws
  {
    let fields = ["Cache-Control: public, max-age=100", "ETag: \"1\""]
    let (proxy, origin) = try await ProxyFixture.start([
      "/page": [
        .text("01234", status: 206, fields: fields + ["Content-Range: bytes 0-4/10"]),
        .text(
          "56789", status: 206,
          fields: fields + ["Content-Range: bytes 5-9/10", "Set-Cookie: session=2"]),
      ]
    ])

    _ = try proxy.get("/page", ["Range: bytes=0-4"])
    let whole = try proxy.get("/page")
    let stored = try proxy.get("/page")

    #expect([whole.text, stored.text] == ["0123456789", "0123456789"])
    #expect(whole["set-cookie"] == "session=2")
    #expect(stored["set-cookie"] == nil)
    #expect(origin.requests.count == 2)
  }

  @Test func `and private fields of a range request do not reach the client of the whole`()
    async throws
  {
    let control = "Cache-Control: public, max-age=100, private=\"x-session\""
    let (proxy, _) = try await ProxyFixture.start([
      "/page": [
        .text(
          "01234", status: 206,
          fields: [control, "ETag: \"1\"", "X-Session: first", "Content-Range: bytes 0-4/10"]),
        .text(
          "56789", status: 206,
          fields: [control, "ETag: \"1\"", "Content-Range: bytes 5-9/10"]),
      ]
    ])

    let part = try proxy.get("/page", ["Range: bytes=0-4"])
    let whole = try proxy.get("/page")

    #expect(part["x-session"] == "first")
    #expect(whole.text == "0123456789")
    #expect(whole["x-session"] == nil)
  }

  @Test func `in a trailer reaches neither the client nor the store`() async throws {
    let wire = """
      HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\
      Trailer: Set-Cookie\r\n\r\n4\r\npage\r\n0\r\nSet-Cookie: session=1\r\n\r\n
      """
    let (proxy, origin) = try await ProxyFixture.start(["/page": [.raw(Array(wire.utf8))]])

    let answers = try (0..<2).map { _ in try proxy.get("/page") }

    #expect(answers.map(\.text) == ["page", "page"])
    #expect(answers.allSatisfy { $0["set-cookie"] == nil })
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: [("max-age=1000", false), ("public, max-age=1000", true)])
  func `stored by an older version is not served from the directory`(
    control: String, isServed: Bool
  ) async throws {
    let origin = try FaultyOrigin(["/page": [.text("new")]])
    let storage = try ProxyStorage(.disk)
    var record = CacheRecord(key: .original(url: origin.url("/page")), at: storage.clock.now)
    record.headers = HeaderText([.cacheControl: control, .setCookie: "session=1"])
    try await storage.cache?.store(Array("old".utf8), record)
    let proxy = try await ProxyFixture(origin: origin, storage)

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
    var question = ImageRequest(url: origin.url("/a.jpg"))
    question.cachePolicy = .revalidate
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
        .whole(
          SampleImages.photo, fields: ["Set-Cookie: session=1", "Cache-Control: max-age=60"])
      ]
    ])

    var answers: [RawAnswer] = []
    for path in ["/image?url=", "/thumb?w=8&url=", "/image?url="] {
      let url = server.origin.url("/a.jpg").replacing(":", with: "%3A").replacing("/", with: "%2F")
      answers.append(try await server.get(path + url))
    }
    let count = server.origin.requests.count

    #expect(answers.map(\.status) == [200, 200, 200])
    #expect(answers.allSatisfy { $0["set-cookie"] == nil })
    #expect(count == 1)
  }
}
