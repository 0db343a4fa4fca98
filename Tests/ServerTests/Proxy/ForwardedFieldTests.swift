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
    let foreign = ["evil.test", "localhost", "a.test:99", "x.b.test"]
    #expect(try foreign.map(isHit) == [false, false, false, false])
    #expect(try ["a.test", "A.test.", "a.test"].map(isHit) == [false, true, true])
    // A stranger does not get the page of another host, either.
    #expect(try isHit("late.test") == false)
    #expect(
      origin.requests.compactMap { $0["x-forwarded-host"] } == foreign + ["a.test", "late.test"])
  }

  @Test func `an entity tag does not select the response to another host`() async throws {
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [
        .custom { request, connection in
          let fields = "ETag: \"1\"\r\nCache-Control: max-age=60\r\n"
          if request["if-none-match"] != nil {
            return connection.send(Array("HTTP/1.1 304 Not Modified\r\n\(fields)\r\n".utf8))
          }
          let host = request["x-forwarded-host"] ?? ""
          let length = "Content-Length: \(host.utf8.count)"
          return connection.send(Array("HTTP/1.1 200 OK\r\n\(fields)\(length)\r\n\r\n\(host)".utf8))
        }
      ]
    ])
    func get(_ host: String) throws -> String {
      try RawClient(port: proxy.port).exchange("GET", "/a", host: host).text
    }
    for host in ["evil.test", "localhost", "other.test", "evil.test", "localhost"] {
      #expect(try get(host) == host)
    }
    proxy.clock.advance(by: 61)
    for host in ["localhost", "evil.test", "localhost", "new.test"] {
      #expect(try get(host) == host)
    }
    #expect(origin.requests.count == 6)
  }

  @Test func `a redirect to https is for http`() async throws {
    let (proxy, origin) = try await start {
      $0.trustedProxies = try TrustedProxies(["127.0.0.1"])
    }
    for scheme in ["http", "https", "http", "https", "HTTPS", "gopher"] {
      _ = try proxy.get("/a", ["X-Forwarded-Proto: \(scheme)"])
    }
    #expect(origin.requests.compactMap { $0["x-forwarded-proto"] } == ["http", "https"])
  }

  @Test func `others of this kind are dropped from a client's request`() async throws {
    let (proxy, origin) = try await start([])
    _ = try proxy.get("/a", ["Forwarded: host=evil.test", "X-Forwarded-Port: 6", "X-Forward: 1"])
    let fields = origin.requests.first?.headers.map(\.name) ?? []
    #expect(!fields.contains("forwarded") && !fields.contains("x-forwarded-port"))
    #expect(fields.contains("x-forward"))
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
