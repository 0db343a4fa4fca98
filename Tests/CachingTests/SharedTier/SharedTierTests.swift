import Foundation
import NIOCore
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

  private func text(_ reading: TierReading) -> String? {
    if case .hit(let value, _) = reading {
      String(decoding: value.body, as: UTF8.self)
    } else {
      nil
    }
  }

  /// Takes the free lock and writes.
  private func fill(_ tier: SharedTier, _ key: TierKey, _ value: TierValue) async throws {
    guard case .make(let lock) = try await tier.turn(for: key) else {
      Issue.record("the lock is not free")
      return
    }
    tier.write(value, for: key, lock.generation, lock: lock)
    await tier.finishWriting()
  }

  private let key = TierKey(url: "https://example.org/a.jpg", variant: "w=100")

  @Test func `returns a written value to every client, and releases its lock`() async throws {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    let other = try tier([server.endpoint]) { $0.namespace = "other" }

    guard case .miss = await two.read(key) else {
      Issue.record("not a miss")
      return
    }
    try await fill(one, key, value("thumbnail"))
    #expect(text(await two.read(key)) == "thumbnail")
    #expect(text(await two.read(key.source)) == nil)
    #expect(text(await other.read(key)) == nil)
    #expect(try await server.cli("keys", "*:l:*") == "")
    #expect(one.statistics.writes == 1)
    #expect(two.statistics.hits == 1)
    #expect(two.statistics.misses == 2)
    for tier in [one, two, other] { await tier.shutDown() }
  }

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

    guard case .make(let first) = try await one.turn(for: key) else {
      Issue.record("the lock is not free")
      return
    }
    async let next = two.turn(for: key)
    try await RedisProgram.wait { two.statistics.lockWaits == 1 }
    one.release(first)
    guard case .make(let second) = try await next else {
      Issue.record("the lock was not passed on")
      return
    }
    #expect(first.generation == second.generation)
    two.release(second)
    await two.finishWriting()

    // It expires.
    guard case .make(let third) = try await one.turn(for: key) else {
      Issue.record("the lock is not free")
      return
    }
    let lifetime = try #require(
      Int(await server.cli("pttl", String(buffer: one.names.lock(key).bytes))))
    #expect((1...10_000).contains(lifetime))
    _ = try await server.cli("pexpire", String(buffer: one.names.lock(key).bytes), "1")
    guard case .make(let fourth) = try await two.turn(for: key) else {
      Issue.record("the lock did not end")
      return
    }
    // Its former holder may still write, and does not release a lock it no longer holds.
    one.write(value("late"), for: key, third.generation, lock: third)
    await one.finishWriting()
    #expect(try await server.cli("keys", "*:l:*") != "")
    two.write(value("later"), for: key, fourth.generation, lock: fourth)
    await two.finishWriting()
    #expect(text(await one.read(key)) == "later")
    for tier in [one, two] { await tier.shutDown() }
  }

  @Test func `is waited for no longer than the request deadline, and not after cancellation`()
    async throws
  {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    guard case .make(let lock) = try await one.turn(for: key) else {
      Issue.record("the lock is not free")
      return
    }
    guard case .makeAlone = try await two.turn(for: key, until: .now + .milliseconds(30)) else {
      Issue.record("it did not give up")
      return
    }
    let waiting = Task { try await two.turn(for: key) }
    try await RedisProgram.wait { two.statistics.lockWaits == 2 }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    // A useless value does not count.
    one.write(value("old", fresh: -10), for: key, lock.generation, lock: lock)
    await one.finishWriting()
    let now = Date()
    guard case .make = try await two.turn(for: key, isUsable: { $0.freshUntil > now }) else {
      Issue.record("a stale value was used")
      return
    }
    #expect(text(await two.read(key)) == "old")
    for tier in [one, two] { await tier.shutDown() }
  }

  @Test func `does not return purged values, nor store values made before the purge`() async throws
  {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    try await fill(one, key, value("first"))
    guard case .make(let slow) = try await two.turn(for: key.source) else {
      Issue.record("the lock is not free")
      return
    }

    try await one.purge(TierPurge(urls: [key.url.text], time: Date()))
    #expect(text(await two.read(key)) == nil)
    two.write(value("original"), for: key.source, slow.generation, lock: slow)
    await two.finishWriting()
    #expect(text(await one.read(key.source)) == nil)
    #expect(two.statistics.failedWrites == 1)
    #expect(try await server.cli("keys", "*:l:*") == "")
    try await fill(two, key, value("second"))
    #expect(text(await one.read(key)) == "second")
    for tier in [one, two] { await tier.shutDown() }
  }

  @Test func `does not return values with tags that were purged after their fetch`() async throws {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    try await fill(one, key, value("a", tags: ["day-20200616", "host-example.org"]))
    try await fill(one, key.source, value("b", tags: ["day-20200617"]))

    try await two.purge(TierPurge(tags: ["day-20200616"], time: Date()))
    #expect(text(await two.read(key)) == nil)
    #expect(text(await two.read(key.source)) == "b")
    // Another server reads the purge from the list.
    let received = Locked<[TierPurge]>([])
    let receiving = Task {
      await one.receivePurges(since: .distantPast) { purge in received.withLock { $0.append(purge) }
      }
    }
    try await RedisProgram.wait { received.withLock { !$0.isEmpty } }
    #expect(received.withLock { $0.map(\.tags) } == [["day-20200616"]])
    #expect(text(await one.read(key)) == nil)
    receiving.cancel()
    await one.shutDown()
    await receiving.value
    await two.shutDown()
  }

  @Test func `delivers purges to all servers, also those with lost messages`()
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

    // Now the message is lost.
    // Nothing tells whether what was stored without a generation was purged.
    #expect(await two.confirm(url, nil) == .purged)
    let present = try #require(await two.generation(of: url))
    #expect(await two.confirm(url, present) == .current(present))
    // What is confirmed is one generation, not the source.
    #expect(two.isConfirmed(url, present) && !two.isConfirmed(url, before))
    _ = try await server.cli("client", "kill", "type", "pubsub")
    try await RedisProgram.wait { !two.isConfirmed(url, present) }
    try await one.purge(TierPurge(urls: [url], time: Date()))
    #expect(await two.confirm(url, present) == .purged)
    receiving.cancel()
    for tier in [one, two] { await tier.shutDown() }
    await receiving.value
  }

  @Test func `distrusts a generation that the Redis servers have lost`() async throws {
    let server = try await server()
    let tier = try tier([server.endpoint])
    try await fill(tier, key, value("a"))
    guard case .hit(_, let generation) = await tier.read(key) else {
      Issue.record("not a hit")
      return
    }
    _ = try await server.cli("del", String(buffer: tier.names.generation(key).bytes))
    #expect(text(await tier.read(key)) == nil)
    guard case .unrelated(let new) = await tier.confirm(key.url.text, generation) else {
      Issue.record("a lost generation was set again")
      return
    }
    #expect(new != generation)
    #expect(text(await tier.read(key)) == nil)
    await tier.shutDown()
  }

  @Test func `purges many sources at once, without a replica`() async throws {
    let server = try await server()
    let tier = try tier([server.endpoint])
    let keys = (0..<300).map { TierKey(url: "https://example.org/\($0)") }
    for key in keys {
      guard case .make(let lock) = try await tier.turn(for: key) else {
        Issue.record("the lock is not free")
        return
      }
      tier.write(value("a"), for: key, lock.generation, lock: lock)
    }
    await tier.finishWriting()
    try await tier.purge(TierPurge(urls: keys.dropLast().map(\.url.text), time: Date()))
    for key in keys.dropLast() { #expect(text(await tier.read(key)) == nil) }
    #expect(text(await tier.read(keys[299])) == "a")
    await tier.shutDown()
  }

  @Test func `returns values again that were fetched shortly after a purge of their tag`()
    async throws
  {
    let server = try await server()
    let (one, two) = (try tier([server.endpoint]), try tier([server.endpoint]))
    try await one.purge(TierPurge(tags: ["day-20200616"], time: Date()))
    // The server that purged knows that it fetched afterwards.
    try await fill(one, key, value("new", tags: ["day-20200616"]))
    #expect(text(await one.read(key)) == "new")
    let receiving = Task { await two.receivePurges(since: .distantPast) { _ in } }
    try await RedisProgram.wait { two.statistics.receivedPurges > 0 }
    #expect(text(await two.read(key)) == "new")
    receiving.cancel()
    for tier in [one, two] { await tier.shutDown() }
    await receiving.value
  }

  @Test func `writes pending purges as soon as the Redis servers are back`() async throws {
    let server = try await server()
    let one = try tier([server.endpoint]) {
      $0.servers.deadline = .milliseconds(200)
      $0.servers.downTime = .zero
    }
    let two = try tier([server.endpoint])
    try await fill(two, key, value("a"))
    server.suspend()
    let failure = await #expect(throws: TierPurgeFailure.self) {
      try await one.purge(TierPurge(urls: [key.url.text], time: Date()))
    }
    #expect(failure?.isRetried == true)
    #expect(one.purger.count == 1)
    server.resume()
    try await RedisProgram.wait { one.purger.count == 0 }
    #expect(text(await two.read(key)) == nil)
    for tier in [one, two] { await tier.shutDown() }
  }

  @Test func `removes damaged values, and leaves those of other versions`() async throws {
    let server = try await server()
    let tier = try tier([server.endpoint])
    try await fill(tier, key, value("thumbnail"))
    let name = String(buffer: tier.names.value(key).bytes)

    _ = try await server.cli("setrange", name, "4", "\u{3}")
    #expect(text(await tier.read(key)) == nil)
    await tier.finishWriting()
    #expect(try await server.cli("exists", name) == "1")
    _ = try await server.cli("setrange", name, "4", "\u{2}")
    #expect(text(await tier.read(key)) == "thumbnail")
    _ = try await server.cli("setrange", name, "70", "x")
    #expect(text(await tier.read(key)) == nil)
    await tier.finishWriting()
    #expect(try await server.cli("exists", name) == "0")
    #expect(tier.statistics.damages == 1)
    // Another value under the key.
    _ = try await server.cli("lpush", name, "x")
    #expect(text(await tier.read(key)) == nil)
    await tier.shutDown()
  }

  @Test func `stores what may be stored, for its useful lifetime`() async throws {
    let server = try await server()
    let tier = try tier([server.endpoint]) {
      ($0.maximumBodyByteCount, $0.maximumLifetime) = (1000, .seconds(100))
    }
    let name = String(buffer: tier.names.value(key).bytes)
    try await fill(tier, key, value(String(repeating: "x", count: 1001)))
    #expect(text(await tier.read(key)) == nil)
    var selected = value("for some")
    selected.response.selection = "accept: image/webp"
    try await fill(tier, key, selected)
    #expect(text(await tier.read(key)) == nil)
    try await fill(tier, key, value("over", fresh: -1000))
    #expect(text(await tier.read(key)) == nil)
    #expect(try await server.cli("keys", "*:l:*") == "")

    try await fill(tier, key, value(String(repeating: "x", count: 1000), fresh: 1000))
    let lifetime = try #require(Int(await server.cli("pttl", name)))
    let generation = String(buffer: tier.names.generation(key).bytes)
    let whole = try #require(Int(await server.cli("pttl", generation)))
    // 100 s instead of 1,060, with 10 percent jitter; a generation outlives its values.
    #expect((80_000...110_000).contains(lifetime))
    #expect(whole > 150_000)
    await tier.shutDown()
  }

  @Test func `drops a write that times out, and releases its lock`() async throws {
    let server = try await server()
    let tier = try tier([server.endpoint]) { $0.waitingWrites.maximumByteCount = 10 }
    try await fill(tier, key, value("longer than ten bytes"))
    #expect(tier.statistics.droppedWrites == 1)
    #expect(try await server.cli("keys", "*:l:*") == "")
    #expect(text(await tier.read(key)) == nil)
    await tier.shutDown()
  }

  @Test func `is not called while its Redis servers fail`() async throws {
    let server = try await server()
    let elapsed = Locked(Duration.zero)
    var servers = RedisClient.Configuration(servers: [server.endpoint])
    (servers.deadline, servers.downTime) = (.seconds(30), .zero)
    servers.connectTimeout = .seconds(30)
    servers.topologyInterval = .zero
    var clock = TierClock()
    clock.elapsed = { elapsed.withLock { $0 } }
    let tier = try SharedTier(SharedTier.Configuration(servers: servers), clock: clock)
    try await fill(tier, key, value("a"))
    #expect(text(await tier.read(key)) == "a")

    server.kill()
    for _ in 0..<10 { #expect(text(await tier.read(key)) == nil) }
    #expect(tier.isSuspended)
    #expect(tier.statistics.errors == 3)
    #expect(tier.statistics.skipped == 7)
    guard case .makeAlone = try await tier.turn(for: key) else {
      Issue.record("a lock that no server gave")
      return
    }
    #expect(await tier.confirm(key.url.text, nil) == .unknown)
    try server.start()
    try await server.waitUntilReady()
    elapsed.withLock { $0 = .milliseconds(250) }
    guard case .miss = await tier.read(key) else {
      Issue.record("the servers are back")
      return
    }
    #expect(!tier.isSuspended)
    try await fill(tier, key, value("b"))
    #expect(text(await tier.read(key)) == "b")
    await tier.shutDown()
  }

  @Test func `works on a cluster when a master dies`() async throws {
    let cluster = try await RedisClusterPrograms()
    let tier = try tier(cluster.endpoints) { $0.servers.deadline = .seconds(8) }
    let keys = (0..<30).map { TierKey(url: "https://example.org/\($0)", variant: "w=1") }
    for key in keys { try await fill(tier, key, value("\(key.url)")) }
    for key in keys { #expect(text(await tier.read(key)) == key.url.text) }
    try await cluster.waitUntilReplicated()

    cluster.masters[1].kill()
    for key in keys { #expect(text(await tier.read(key)) == key.url.text) }
    #expect(tier.statistics.misses == 30)
    await tier.shutDown()
  }
}
