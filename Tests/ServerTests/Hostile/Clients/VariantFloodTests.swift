import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPCaching
@testable import ImageFeeds
@testable import TestSupport

@Suite struct `A client that makes variants` {
  /// A page with a variant for each value of `X-Variant`, from an origin that refuses a long head
  /// as nginx does.
  static func page(_ control: String = "max-age=60") -> FaultyOrigin.Answer {
    .custom { request, connection in
      let byteCount = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      guard byteCount < 8 << 10 else {
        return connection.send(
          "HTTP/1.1 400 Bad Request\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n")
      }
      let value = request["x-variant"] ?? ""
      let tag = "\"\(value)-0123456789abcdef0123456789abcdef\""
      return connection.send(
        """
        HTTP/1.1 200 OK\r\nCache-Control: \(control)\r\nVary: X-Variant\r\nETag: \(tag)\r\n\
        Content-Length: \(value.utf8.count)\r\n\r\n\(value)
        """)
    }
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `does not affect the next client`(kind: ProxyStorage.Kind) async throws {
    let (proxy, origin) = try await ProxyFixture.start(
      ["/page": [Self.page()]], try ProxyStorage(kind))

    for number in 0..<230 { _ = try proxy.get("/page", ["X-Variant: v\(number)"]) }
    let next = try proxy.get("/page", ["X-Variant: next"])

    let questions = origin.requests.compactMap { $0["if-none-match"] }
    #expect(next.status == 200)
    #expect(next.text == "next")
    #expect(!questions.isEmpty)
    #expect(questions.allSatisfy { $0.utf8.count <= 1024 && $0.split(separator: ",").count <= 8 })
  }

  @Test(arguments: zip(ProxyStorage.Kind.allCases, [[], ["If-None-Match: *"]]))
  func `evicts unused variants, and 64 remain`(
    kind: ProxyStorage.Kind, lines: [String]
  ) async throws {
    let storage = try ProxyStorage(kind)
    let (proxy, origin) = try await ProxyFixture.start(["/page": [Self.page()]], storage)
    func isHit(_ value: String, _ lines: [String] = []) throws -> Bool {
      try proxy.get("/page", ["X-Variant: \(value)"] + lines)["cache-status"]?
        .hasPrefix("imgcache; hit") == true
    }

    #expect(try !isHit("used"))
    for number in 0..<100 {
      #expect(try !isHit("v\(number)"))
      #expect(try isHit("used", lines))
    }
    let kept = await storage.cache?.variations(of: origin.url("/page")).count
    #expect(kept == (kind == .disk ? StoredResponse.maximumVariantCount : nil))
    #expect(try isHit("v99") && isHit("v37"))
    #expect(try !isHit("v36"))
  }

  @Test func `cannot exceed the memory limit with long fields`() throws {
    let store = MemoryProxyStore(maximumByteCount: 1 << 20)
    for number in 0..<1000 {
      let answer = StoredResponse(
        status: 200, fields: [.eTag: "\"\(number)\""], requestTime: .distantPast,
        responseTime: .distantPast, selection: String(repeating: "x", count: 64 << 10))
      let staged = try #require(store.stage(byteCount: 0))
      try staged.commit(answer, for: "u\(number)")
    }

    let kept = (0..<1000).count { !store.entries(for: "u\($0)", request: [:]).isEmpty }
    #expect((1...16).contains(kept))
  }
}

/// Requests of the cache itself, in place of the client's request.
@Suite struct `A condition added by the cache` {
  enum Question: CaseIterable, Sendable {
    /// Whether a stale response is still valid.
    case confirm
    /// Which variant a new request selects.
    case select
    /// The rest of a stored range.
    case complete
  }

  static let page = "the page"

  /// Refuses every conditional request with a cacheable status.
  static func refusing(_ status: Int, control: String = "max-age=10") -> FaultyOrigin.Answer {
    .custom { request, connection in
      let conditions = ["if-none-match", "if-modified-since", "if-range"]
      guard conditions.allSatisfy({ request[$0] == nil }) else {
        return connection.send(
          "HTTP/1.1 \(status) No\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nno")
      }
      var head = "Cache-Control: \(control)\r\nETag: \"1\"\r\nVary: X-Variant\r\n"
      let body = request["range"] == nil ? page : String(page.prefix(3))
      if request["range"] != nil { head += "Content-Range: bytes 0-2/\(page.utf8.count)\r\n" }
      return connection.send(
        """
        HTTP/1.1 \(request["range"] == nil ? 200 : 206) OK\r\n\(head)\
        Content-Length: \(body.utf8.count)\r\n\r\n\(body)
        """)
    }
  }

  @Test(arguments: [400, 413, 431], Question.allCases)
  func `that the origin refuses is retried without it, as the client requested`(
    status: Int, question: Question
  ) async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/page": [Self.refusing(status)]])

    _ = try proxy.get("/page", question == .complete ? ["Range: bytes=0-2"] : [])
    if question == .confirm { proxy.clock.advance(by: 20) }
    let variant = question == .select ? ["X-Variant: other"] : []
    let answer = try proxy.get("/page", variant)
    let stored = try proxy.get("/page", variant)

    #expect(answer.status == 200)
    #expect([answer.text, stored.text] == [Self.page, Self.page])
    #expect(stored["cache-status"]?.hasPrefix("imgcache; hit") == true)
    #expect(origin.requests.count == 3)
  }

  @Test func `that is refused in the background still refreshes the stored response`() async throws
  {
    let control = "max-age=1, stale-while-revalidate=100"
    let (proxy, origin) = try await ProxyFixture.start([
      "/page": [Self.refusing(400, control: control)]
    ])

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 5)
    let stale = try proxy.get("/page")
    await Condition.until { origin.requests.count == 3 }
    // Waits for the background exchange.
    try await proxy.stop()

    #expect(stale.text == Self.page)
    #expect(origin.requests.map { $0["if-none-match"] } == [nil, "\"1\"", nil])
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `that is refused twice stores nothing for other clients`(
    kind: ProxyStorage.Kind
  ) async throws {
    let refusal = FaultyOrigin.Answer.text(
      "no", status: 400, fields: ["Cache-Control: public, max-age=60"])
    let page = FaultyOrigin.Answer.text(
      Self.page, fields: ["Cache-Control: max-age=10", "ETag: \"1\""])
    let (proxy, origin) = try await ProxyFixture.start(
      ["/page": [page, refusal, refusal, page]], try ProxyStorage(kind))

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 20)
    let refused = try proxy.get("/page")
    let next = try proxy.get("/page")

    #expect(refused.status == 400 && refused.text == "no")
    #expect(next.status == 200)
    #expect(origin.requests.map { $0["if-none-match"] } == [nil, "\"1\"", nil, "\"1\""])
  }

  @Test func `names no entity tag above 1 KiB`() async throws {
    let tag = "\"" + String(repeating: "t", count: 1024) + "\""
    let (proxy, origin) = try await ProxyFixture.start([
      "/page": [.text(Self.page, fields: ["Cache-Control: max-age=10", "ETag: \(tag)"])]
    ])

    _ = try proxy.get("/page")
    proxy.clock.advance(by: 20)
    let answer = try proxy.get("/page")

    #expect(answer.text == Self.page)
    #expect(origin.requests.map { $0["if-none-match"] } == [nil, nil])
  }
}
