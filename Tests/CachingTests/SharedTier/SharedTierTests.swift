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
    var client = RedisClient.Configuration(servers: servers)
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

  @Test func `fills a key once for many clients that request it at once`() async throws {
    let server = try await server()
    let tiers = try (0..<3).map { _ in try tier([server.endpoint]) }
    let made = Locked<[String: Int]>([:])

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<600 {
        group.addTask {
          let tier = tiers[number % 3]
          let key = TierKey(url: "https://example.org/\(number / 3 % 20).jpg")
          switch try await tier.turn(for: key) {
          case .use(let value, _):
            #expect(value.body == Array("image \(key.url)".utf8))
          case .make(let lock):
            made.withLock { $0[key.url.text, default: 0] += 1 }
            // Another one waits.
            await Condition.until { tiers.contains { $0.statistics.lockWaits > 0 } }
            tier.write(value("image \(key.url)"), for: key, lock.generation, lock: lock)
          case .makeAlone: Issue.record("the servers did not answer")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(made.withLock { $0.count } == 20)
    #expect(made.withLock { $0.values.allSatisfy { $0 == 1 } })
    for tier in tiers { await tier.shutDown() }
  }

  @Test func `passes the lock on when its holder fails, dies or exceeds its time`() async throws {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))

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
    for tier in [one, two] { await tier.shutDown() }
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
    for tier in [one, two] { await tier.shutDown() }
  }

  @Test func `delivers purges to all servers`()
    async throws
  {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    let received = Locked<[TierPurge]>([])
    let receiving = Task {
      await two.receivePurges(since: Date()) { purge in received.withLock { $0.append(purge) } }
    }
    // It has subscribed once it has received a message.
    try await one.purge(TierPurge(tags: ["first"], time: Date()))
    try await RedisProgram.wait { received.withLock { !$0.isEmpty } }
    let url = "https://example.org/ü.jpg"
    guard case .unrelated(let before) = await two.confirm(url, nil) else {
      Issue.record("a generation of a source that no server knows")
      return
    }
    #expect(!two.isConfirmed(url, before))
    #expect(await two.confirm(url, before) == .current(before))
    #expect(two.isConfirmed(url, before))

    try await one.purge(TierPurge(urls: [url], tags: ["a"], time: Date()))
    // The list contains the tag as well.
    try await RedisProgram.wait { received.withLock { $0.contains { $0.urls == [url] } } }
    #expect(received.withLock { $0.last?.tags } == ["a"])
    #expect(!two.isConfirmed(url, before))
    #expect(await two.confirm(url, before) == .purged)

    // Nothing tells whether what was stored without a generation was purged.
    #expect(await two.confirm(url, nil) == .purged)
    receiving.cancel()
    for tier in [one, two] { await tier.shutDown() }
    await receiving.value
  }

  @Test func `works on a cluster when a master dies`() async throws {
    let cluster = try await RedisClusterPrograms()
    let tier = try tier(cluster.endpoints) { $0.servers.deadline = .seconds(8) }
    let keys = (0..<30).map { TierKey(url: "https://example.org/\($0)", variant: "w=1") }
    for key in keys { try await fill(tier, key, value("\(key.url)")) }
    for key in keys { #expect(await tier.read(key).text == key.url.text) }
    try await cluster.waitUntilReplicated()

    cluster.masters[1].kill()
    for key in keys { #expect(await tier.read(key).text == key.url.text) }
    #expect(tier.statistics.misses == 30)
    await tier.shutDown()
  }
}
