import Testing

@testable import CachingProxy
@testable import TestSupport

@Suite struct `A field that imitates another` {
  @Test(arguments: [
    "X_Real_IP: 127.0.0.1", "x_forwarded-for: 127.0.0.1", "Content_Length: 5", "_: x",
    "Remote_User: admin", "Proxy: http://evil.invalid", "proxy: http://evil.invalid",
  ])
  func `does not reach the origin`(line: String) async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.text("page")]])

    let answer = try proxy.exchange("POST", "/a", [line, "X-Real-IP: 192.0.2.1"], body: "body")

    let request = try #require(origin.requests.first)
    #expect(answer.text == "page")
    #expect(request[String(line.prefix { $0 != ":" }).lowercased()] == nil)
    #expect(request["x-real-ip"] == "192.0.2.1")
    #expect(request.body == Array("body".utf8))
  }

  @Test func `of a response stays the origin's, and reaches the client`() async throws {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [.text("page", fields: ["X_Cache_Key: 1", "Cache-Control: max-age=60"])]
    ])

    let fetched = try proxy.get("/a")
    let stored = try proxy.get("/a")

    #expect(fetched["x_cache_key"] == "1")
    #expect(stored["x_cache_key"] == "1")
  }
}
