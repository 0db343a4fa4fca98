import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

/// Tiers of several servers on one `redis-server`.
@Suite(.needsRedis)
struct `The shared tier` {
  private func tier(
    _ servers: [RedisEndpoint], _ change: (inout SharedTier.Configuration) -> Void = { _ in }
  ) throws -> SharedTier {
    var client = RedisConfiguration(servers: servers)
    client.deadline = .seconds(30)
    client.connectTimeout = .seconds(30)
    var configuration = SharedTier.Configuration(servers: client)
    configuration.writeDeadline = .seconds(30)
    change(&configuration)
    return try SharedTier(configuration)
  }

  private func server() async throws -> RedisProgram {
    let server = try RedisProgram()
    try await server.waitUntilReady()
    return server
  }

  private func value(_ text: String, tags: [String] = [], fresh: TimeInterval = 60) -> TierValue {
    let now = Date()
    let response = StoredResponse(
      status: 200, fields: [.contentType: "image/jpeg"], requestTime: now, responseTime: now)
    return TierValue(
      response: response, body: Array(text.utf8), freshUntil: now + fresh,
      staleUntil: now + fresh + 60, tags: tags)
  }

  /// Takes the free lock and writes.
  private func fill(_ tier: SharedTier, _ key: TierKey, _ value: TierValue) async throws {
    let lock = try #require(try await tier.turn(for: key).lock)
    tier.write(value, for: key, lock.generation, lock: lock)
    await tier.finishWriting()
  }

  private let key = TierKey(url: "https://example.org/a.jpg", variant: "w=100")

  @Test func `passes the lock on when its holder fails, dies or exceeds its time`() async throws {
    let server = try await server()
    let one = try tier([server.endpoint])
    // Longer than a busy machine may take to look at it.
    let two = try tier([server.endpoint]) { $0.lockLifetime = .seconds(600) }

    let first = try #require(try await one.turn(for: key).lock)
    async let next = two.turn(for: key)
    try await RedisProgram.wait { two.statistics.lockWaits == 1 }
    one.release(first)
    let second = try #require(try await next.lock)
    #expect(first.generation == second.generation)
    two.release(second)
    await two.finishWriting()

    // It expires.
    let third = try #require(try await one.turn(for: key).lock)
    let lifetime = try #require(
      Int(await server.cli("pttl", String(buffer: one.names.lock(key).bytes))))
    #expect((1...10_000).contains(lifetime))
    _ = try await server.cli("pexpire", String(buffer: one.names.lock(key).bytes), "1")
    let fourth = try #require(try await two.turn(for: key).lock)
    // Its former holder may still write, and does not release a lock it no longer holds.
    one.write(value("late"), for: key, third.generation, lock: third)
    await one.finishWriting()
    #expect(try await server.cli("keys", "*:l:*") != "")
    two.write(value("later"), for: key, fourth.generation, lock: fourth)
    await two.finishWriting()
    #expect(await one.read(key).text == "later")
  }

  @Test func `does not return purged values, nor store values made before the purge`() async throws
  {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    try await fill(one, key, value("first"))
    let slow = try #require(try await two.turn(for: key.source).lock)

    try await one.purge(TierPurge(urls: [key.url.text], time: Date()))
    #expect(await two.read(key).text == "miss")
    two.write(value("original"), for: key.source, slow.generation, lock: slow)
    await two.finishWriting()
    #expect(await one.read(key.source).text == "miss")
    #expect(two.statistics.failedWrites == 1)
    #expect(try await server.cli("keys", "*:l:*") == "")
    try await fill(two, key, value("second"))
    #expect(await one.read(key).text == "second")
  }

  @Test func `works on a cluster when a master dies`() async throws {
    let cluster = try await RedisClusterPrograms()
    let tier = try tier(cluster.endpoints) { $0.servers.deadline = .seconds(60) }
    let keys = (0..<30).map { TierKey(url: "https://example.org/\($0)", variant: "w=1") }
    for key in keys { try await fill(tier, key, value("\(key.url)")) }
    for key in keys { #expect(await tier.read(key).text == key.url.text) }
    try await cluster.waitUntilReplicated()

    cluster.masters[1].kill()
    for key in keys { #expect(await tier.read(key).text == key.url.text) }
    #expect(tier.statistics.misses == 30)
  }
}
