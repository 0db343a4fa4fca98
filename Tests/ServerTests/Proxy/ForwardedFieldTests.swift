import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// What the proxy says to its origin of its client.
@Suite struct `Forwarded fields of the proxy` {
  private static let names = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"]
  private static let claimed = [
    "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.test",
  ]

  private func start(
    _ fields: [String] = ["Cache-Control: max-age=60"],
    _ change: (inout ListenerConfiguration) throws -> Void = { _ in }
  ) async throws -> (proxy: ProxyFixture, origin: FaultyOrigin) {
    var listener = ListenerConfiguration([.tcp(host: "127.0.0.1", port: 0)])
    try change(&listener)
    return try await ProxyFixture.start(["/a": [.text("a", fields: fields)]]) { [listener] in
      $0.listener.trustedProxies = listener.trustedProxies
      $0.listener.serverNames = listener.serverNames
    }
  }

  private func fields(_ request: LoopbackRequest?) -> [String?] {
    Self.names.map { request?[$0] }
  }

  @Test func `are the client's address, the scheme and the host, whatever it claims`() async throws
  {
    let (proxy, origin) = try await start([])
    _ = try proxy.get("/a")
    _ = try proxy.get("/a", Self.claimed)
    #expect(
      origin.requests.map(fields) == Array(repeating: ["127.0.0.1", "http", "localhost"], count: 2))
  }

  @Test func `are kept from a trusted proxy, which is added`() async throws {
    let (proxy, origin) = try await start([]) {
      $0.trustedProxies = try TrustedProxies(["127.0.0.0/8"])
    }
    _ = try proxy.get("/a", Self.claimed)
    #expect(fields(origin.requests.first) == ["192.0.2.7, 127.0.0.1", "https", "evil.test"])
  }

  @Test func `a host that a client has made up gets responses of its own`() async throws {
    let (proxy, origin) = try await start()
    func get(_ host: String) throws -> RawAnswer {
      try proxy.client("GET /a HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n").answer()
    }
    _ = try get("evil.test")
    #expect(try get("localhost")["cache-status"]?.contains("; hit") == false)
    #expect(try get("127.0.0.1:\(proxy.port)")["cache-status"]?.contains("; hit") == true)
    for _ in 0..<3 { #expect(try get("evil.test")["cache-status"]?.contains("; hit") == true) }
    #expect(
      origin.requests.compactMap { $0["x-forwarded-host"] } == ["evil.test", "localhost"])
  }

  @Test func `named hosts share responses, and no other does`() async throws {
    let (proxy, origin) = try await start {
      $0.serverNames = try HostAllowList(["a.test", "*.b.test", "*"])
    }
    func isHit(_ host: String) throws -> Bool? {
      try proxy.client("GET /a HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n").answer()[
        "cache-status"]?.contains("; hit")
    }
    #expect(try ["evil.test", "localhost", "a.test:99"].map(isHit) == [false, false, false])
    #expect(try ["a.test", "x.b.test", "A.test"].map(isHit) == [false, true, true])
    #expect(origin.requests.count == 4)
  }

  @Test func `a Vary that names them is obeyed where responses are ready`() async throws {
    let (proxy, origin) = try await start([
      "Cache-Control: max-age=60", "Vary: X-Forwarded-Proto",
    ]) { $0.trustedProxies = try TrustedProxies(["127.0.0.1"]) }
    for _ in 0..<3 {
      _ = try proxy.get("/a")
      _ = try proxy.get("/a", ["X-Forwarded-Proto: https"])
      _ = try proxy.get("/a", ["X-Forwarded-Proto: http"])
    }
    #expect(origin.requests.count == 2)
  }
}
