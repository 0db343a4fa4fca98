import Foundation
import Testing

@testable import CachingProxy
@testable import TestSupport

/// Responses that an origin gives to one request, for its fields or its client, and that no other
/// request may get.
@Suite struct `A refusal of one request` {
  private static let fresh = ["Cache-Control: public, max-age=60"]
  /// Statuses that are about one request.
  private static let statuses = [
    401, 406, 407, 408, 411, 412, 413, 415, 417, 421, 425, 426, 428, 429, 431, 511,
  ]

  private func answer(
    _ text: String, _ status: Int = 200, _ fields: [String] = fresh
  ) -> FaultyOrigin.Answer {
    .text(text, status: status, fields: fields)
  }

  @Test(arguments: statuses, ProxyStorage.Kind.allCases)
  func `is not stored, whatever it says of its lifetime`(
    status: Int, kind: ProxyStorage.Kind
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start(
      ["/a": [answer("refused", status), answer("text")]], try ProxyStorage(kind))

    let answers = try (0..<2).map { _ in try proxy.get("/a") }

    #expect(answers.map(\.status) == [status, 200])
  }

  @Test(
    arguments: [
      "If-Match: \"x\"", "If-Match: *", "If-Unmodified-Since: Sat, 01 Aug 2020 00:00:00 GMT",
    ], [200, 203, 404, 410, 412])
  func `or anything else that a precondition led to is not stored`(
    line: String, status: Int
  ) async throws {
    let fields = Self.fresh + ["ETag: \"x\""]
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [answer("one's own", status, fields), answer("for all", 200, fields)]
    ])

    let own = try proxy.get("/a", [line])
    let other = try proxy.get("/a")
    let hit = try proxy.get("/a")

    #expect(own.status == status && own.text == "one's own")
    #expect(other.text == "for all" && hit.text == "for all")
    #expect(origin.requests.count == 2)
  }

  @Test(
    arguments: statuses + [400, 402, 403, 405, 409, 414, 422, 423, 424],
    [[], ["If-Match: \"x\""], ["Range: bytes=0-1"]])
  func `leaves what is stored and stale, for when the origin is gone`(
    status: Int, lines: [String]
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [
        answer("stored", 200, ["Cache-Control: max-age=10"]), answer("refused", status, []),
        .rawThenReset([]),
      ]
    ])

    _ = try proxy.get("/a")
    proxy.clock.advance(by: 20)
    let refused = try proxy.get("/a", lines)
    let stale = try proxy.get("/a")
    try await proxy.stop()

    #expect(refused.status == status)
    #expect(stale.status == 200 && stale.text == "stored")
  }

  @Test(arguments: [404, 410, 451])
  func `is none that says that the resource is gone, which removes a stale response`(
    status: Int
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [
        answer("stored", 200, ["Cache-Control: max-age=10"]), answer("gone", status, []),
        .rawThenReset([]),
      ]
    ])

    _ = try proxy.get("/a")
    proxy.clock.advance(by: 20)
    _ = try proxy.get("/a")
    let last = try proxy.get("/a")

    #expect(last.status == 502)
  }
}
