import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPCaching
@testable import HTTPListening
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

/// Proxies of several servers around one origin and one `redis-server`.
@Suite(.needsRedis)
struct `Caching proxies with a shared tier` {
  private struct Server {
    let tier: SharedTier
    let proxy: ProxyFixture

    init(
      _ redis: RedisProgram, _ origin: FaultyOrigin,
      _ change: (inout SharedTier.Configuration) -> Void = { _ in }
    ) async throws {
      var client = RedisConfiguration(servers: [redis.endpoint])
      client.deadline = .seconds(30)
      client.connectTimeout = .seconds(30)
      var configuration = SharedTier.Configuration(servers: client)
      configuration.writeDeadline = .seconds(30)
      change(&configuration)
      let tier = try SharedTier(configuration)
      let proxies = try TrustedProxies(["127.0.0.1"])
      self.tier = tier
      proxy = try await ProxyFixture(origin: origin.url("")) {
        $0.clock = { Date() }
        $0.sharedTier = tier
        $0.listener.trustedProxies = proxies
        $0.adminKeys = [SigningKey(name: nil, secret: Array("secret".utf8))]
      }
    }

    /// The body of the response, and its `Cache-Status` without the name.
    func get(_ target: String, _ lines: [String] = []) async throws -> (String, String) {
      let answer = try await OffPool.run { [proxy] in try proxy.get(target, lines) }
      await tier.finishWriting()
      let status = answer["cache-status"] ?? ""
      return (answer.text, status.replacing("imgcache; ", with: ""))
    }

    func send(_ method: String, _ target: String) async throws -> Int {
      try await OffPool.run { [proxy] in
        try proxy.exchange(method, target, ["Authorization: Bearer secret"]).status
      }
    }

    func stop() async throws {
      try await proxy.stop()
      await tier.shutDown()
    }
  }

  private func servers(_ origin: FaultyOrigin) async throws -> (RedisProgram, Server, Server) {
    let redis = try RedisProgram()
    try await redis.waitUntilReady()
    let (one, two) = (try await Server(redis, origin), try await Server(redis, origin))
    // Both have subscribed once they have received a message.
    try await RedisProgram.wait {
      _ = try? await one.tier.purge(TierPurge(urls: ["none:"], time: Date()))
      _ = try? await two.tier.purge(TierPurge(urls: ["none:"], time: Date()))
      return one.tier.statistics.receivedPurges > 0 && two.tier.statistics.receivedPurges > 0
    }
    return (redis, one, two)
  }

  private func whole(_ text: String, _ fields: String...) -> FaultyOrigin.Answer {
    .text(text, fields: fields.isEmpty ? ["Cache-Control: max-age=600"] : fields)
  }

  @Test func `serve what another one has fetched, with its age and its fields`() async throws {
    let origin = try FaultyOrigin([
      "/a": [whole("text", "Cache-Control: max-age=600", "ETag: \"1\"", "X-Own: 1", "Age: 20")]
    ])
    let (redis, one, two) = try await servers(origin)
    defer { redis.kill() }
    #expect(try await one.get("/a") == ("text", "fwd=uri-miss; fwd-status=200; stored"))
    let proxy = two.proxy
    let answer = try await OffPool.run { try proxy.get("/a") }
    #expect(answer["cache-status"]?.hasPrefix("imgcache; hit;") == true)
    #expect(answer["cache-status"]?.hasSuffix("detail=shared") == true)
    #expect(answer["x-own"] == "1" && answer["etag"] == "\"1\"")
    #expect((20...600).contains(answer["age"].flatMap { Int($0) } ?? 0))
    let again = try await two.get("/a")
    #expect(again.0 == "text" && again.1.hasPrefix("hit") && !again.1.contains("shared"))
    let part = try await OffPool.run { try proxy.get("/a", ["Range: bytes=1-2"]) }
    #expect(part.status == 206 && part.text == "ex")
    #expect(origin.requests.count == 1)
    for server in [one, two] { try await server.stop() }
  }

  @Test func `share responses over https apart from those over http, but not those of other hosts`()
    async throws
  {
    let origin = try FaultyOrigin(["/a": [whole("1"), whole("2"), whole("3"), whole("4")]])
    let (redis, one, two) = try await servers(origin)
    defer { redis.kill() }
    let https = ["X-Forwarded-Proto: https"]
    #expect(try await one.get("/a", https).0 == "1")
    for _ in 0..<2 { #expect(try await two.get("/a", https).0 == "1") }
    #expect(try await two.get("/a").0 == "2")
    #expect(try await one.get("/a").0 == "2")
    let foreign = https + ["X-Forwarded-Host: other.test"]
    #expect(try await one.get("/a", foreign).0 == "3")
    #expect(try await two.get("/a", foreign).0 == "4")
    for server in [one, two] {
      #expect(try await server.get("/a", https).0 == "1")
      #expect(try await server.get("/a", https).1.hasPrefix("hit"))
    }
    #expect(try await one.send("PURGE", "/a") == 200)
    #expect(try await two.get("/a", https).1.hasPrefix("fwd"))
    for server in [one, two] { try await server.stop() }
  }

  @Test func `send one origin request for all clients of all servers`() async throws {
    let gate = Gate()
    let origin = try FaultyOrigin([
      "/a": [
        .held(
          Array(
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nCache-Control: max-age=600\r\n\r\nte".utf8),
          gate, Array("xt".utf8))
      ]
    ])
    let (redis, one, two) = try await servers(origin)
    defer { redis.kill() }
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<8 { group.addTask { try await (number % 2 == 0 ? one : two).get("/a").0 } }
      // The server that does not fetch waits for the one that does.
      try await RedisProgram.wait {
        one.tier.statistics.lockWaits + two.tier.statistics.lockWaits == 1
      }
      gate.open()
      for try await text in group { #expect(text == "text") }
    }
    #expect(origin.requests.count == 1)
    for server in [one, two] { try await server.stop() }
  }

  @Test func `drop what another one has purged or invalidated`() async throws {
    let origin = try FaultyOrigin([
      "/a": [whole("first"), whole("second"), whole("done"), whole("third")]
    ])
    let (redis, one, two) = try await servers(origin)
    defer { redis.kill() }
    for server in [one, two] { #expect(try await server.get("/a").0 == "first") }
    #expect(try await one.send("PURGE", "/a") == 200)
    try await RedisProgram.wait { try await two.get("/a").0 == "second" }
    #expect(try await one.get("/a").0 == "second")
    #expect(origin.requests.count == 2)
    // An unsafe method invalidates at all of them (RFC 9111 §4.4).
    #expect(try await one.send("POST", "/a") == 200)
    #expect(try await one.get("/a").0 == "third")
    try await RedisProgram.wait { try await two.get("/a").0 == "third" }
    #expect(origin.requests.count == 4)
    for server in [one, two] { try await server.stop() }
  }

  @Test func `share nothing that depends on the request or its client`() async throws {
    let origin = try FaultyOrigin([
      "/vary": [whole("a", "Cache-Control: max-age=600", "Vary: Accept")],
      "/group": [whole("a", "Cache-Control: max-age=600", "Cache-Groups: \"g\"")],
      "/private": [whole("a", "Cache-Control: private, max-age=600")],
      "/none": [whole("a", "Cache-Control: no-store")],
      "/stale": [whole("a", "Cache-Control: no-cache", "ETag: \"1\"")],
    ])
    let (redis, one, two) = try await servers(origin)
    for path in ["/vary", "/group", "/private", "/none", "/stale"] {
      for server in [one, two] {
        let (text, status) = try await server.get(path)
        #expect(text == "a" && !status.contains("shared"), "\(path): \(status)")
      }
    }
    #expect(origin.requests.count == 10)
    #expect(try await redis.cli("keys", "*:o") == "")
    #expect(try await redis.cli("keys", "*:l:*") == "")
    for server in [one, two] { try await server.stop() }
  }

  @Test func `work without the tier, and report a purge that has not reached it`() async throws {
    let origin = try FaultyOrigin(["/a": [whole("a")], "/b": [whole("b")]])
    let (redis, one, two) = try await servers(origin)
    #expect(try await one.get("/a").0 == "a")
    redis.kill()
    #expect(try await one.get("/a").0 == "a")
    #expect(try await two.get("/a").0 == "a")
    #expect(try await one.get("/b").0 == "b")
    #expect(try await one.send("PURGE", "/b") == 503)
    #expect(try await one.get("/b").0 == "b")
    #expect(origin.requests.count == 4)
    for server in [one, two] { try await server.stop() }
  }
}
