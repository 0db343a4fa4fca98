import Testing

@testable import TestSupport

/// A proxy whose origin is gone: what it answers from its store, and what it refuses.
@Suite struct `A proxy without its origin` {
  private static let body = Array("0123456789".utf8)

  /// A proxy that has stored some paths, a hundred seconds before its origin resets every
  /// connection.
  private func proxy(_ control: String) async throws -> ProxyFixture {
    let fields = ["Cache-Control: \(control)", "ETag: \"1\"", "X-Own: 1"]
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [.whole(Self.body, fields: fields), .rawThenReset([])], "/b": [.rawThenReset([])],
    ])
    _ = try proxy.get("/a")
    proxy.clock.advance(by: 100)
    return proxy
  }

  @Test(arguments: ["GET", "HEAD", "POST"])
  func `answers what it lacks with a 502 that no cache stores`(method: String) async throws {
    let port = try ReservedPort()
    let proxy = try await ProxyFixture(origin: "http://127.0.0.1:\(port.number)")

    let answer = try proxy.exchange(method, "/a")

    #expect(answer.status == 502)
    #expect(answer["cache-control"] == "no-store")
    #expect(answer["content-type"] == "application/problem+json")
    #expect(answer.text.contains(#""detail":"The origin did not respond""#) == (method != "HEAD"))
    #expect(answer["content-length"].flatMap { Int($0) } ?? 0 > 100)
    #expect(answer["cache-status"] == "imgcache; fwd=\(method == "POST" ? "method" : "uri-miss")")
    #expect(answer["via"] != nil)
  }

  private static let stale: [(String, [String], Int, String)] = [
    ("GET", [], 200, "0123456789"), ("HEAD", [], 200, ""),
    ("GET", ["Range: bytes=2-3"], 206, "23"), ("GET", ["If-None-Match: \"1\""], 304, ""),
    ("GET", ["If-None-Match: \"2\""], 200, "0123456789"),
    ("GET", ["Range: bytes=2-3", "If-Range: \"2\""], 200, "0123456789"),
    // A reload gets what there is (RFC 9111 §4.2.4).
    ("GET", ["Cache-Control: no-cache"], 200, "0123456789"),
  ]

  @Test(arguments: stale)
  func `answers a stale response, and says so`(
    method: String, lines: [String], status: Int, text: String
  ) async throws {
    let proxy = try await proxy("max-age=60")

    let answer = try proxy.exchange(method, "/a", lines)
    try await proxy.stop()

    #expect(answer.status == status)
    #expect(answer.text == text)
    #expect(answer["age"] == "100")
    #expect(answer["x-own"] == "1")
    #expect(answer["cache-status"] == "imgcache; fwd=stale; ttl=-40; detail=stale-if-error")
  }

  @Test(arguments: ["must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"])
  func `answers 504 where a stale response is forbidden (RFC 9111 §5.2.2.2)`(directive: String)
    async throws
  {
    let proxy = try await proxy("max-age=60, \(directive)")

    for method in ["GET", "HEAD"] {
      let answer = try proxy.exchange(method, "/a")

      #expect(answer.status == 504, "\(method)")
      #expect(answer["cache-control"] == "no-store")
      #expect(answer["x-own"] == nil && answer["etag"] == nil)
      #expect(answer["cache-status"] == "imgcache; fwd=stale")
    }
  }

  @Test func `is not asked by a request for what is stored alone`() async throws {
    let proxy = try await proxy("max-age=60")

    let stale = try proxy.get("/a", ["Cache-Control: only-if-cached"])
    let accepted = try proxy.get("/a", ["Cache-Control: only-if-cached, max-stale"])
    let absent = try proxy.exchange("HEAD", "/b", ["Cache-Control: only-if-cached"])

    #expect(stale.status == 504)
    #expect(stale.text.contains("only-if-cached"))
    #expect(accepted.status == 200 && accepted["cache-status"] == "imgcache; hit; ttl=-40")
    #expect(absent.status == 504 && absent.body.isEmpty)
  }
}
