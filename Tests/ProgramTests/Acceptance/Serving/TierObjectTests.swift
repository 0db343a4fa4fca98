import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageFetching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import imgcache
@testable import TestSupport

/// A tier on its own `redis-server`, with a bucket of its own moto server.
@Suite(
  .needsRedis,
  .needsMoto)
struct `A bucket behind the shared tier` {
  private struct Fixture {
    let redis: RedisProgram
    let moto: MotoServer
    let client: S3Client
    var tiers: [SharedTier] = []

    init(count: Int = 2) async throws {
      redis = try RedisProgram()
      moto = try await MotoServer(checksSignatures: true)
      try await redis.waitUntilReady()
      client = try S3Client(try moto.bucket())
      for _ in 0..<count { tiers.append(try tier()) }
    }

    func tier() throws -> SharedTier {
      var servers = RedisClient.Configuration(servers: [redis.endpoint])
      servers.deadline = .seconds(30)
      servers.connectTimeout = .seconds(30)
      var configuration = SharedTier.Configuration(servers: servers)
      configuration.writeDeadline = .seconds(30)
      configuration.objectReadDeadline = .seconds(30)
      configuration.maximumBodyByteCount = 100_000
      configuration.objects = try TierBucket(
        try moto.bucket(), TrustedCertificates(),
        maximumByteCount: configuration.maximumObjectByteCount)
      return try SharedTier(configuration)
    }

    func object(_ key: TierKey) async throws -> [UInt8]? {
      do {
        return try await client.get(tiers[0].names.object(key)).bytes
      } catch let error as ImageError where error.status == 404 {
        return nil
      }
    }

    func stop() async {
      for tier in tiers { await tier.shutDown() }
      await client.shutdown()
      moto.stop()
    }
  }

  private let source = TierKey(url: "https://example.org/a.jpg")
  private let variant = TierKey(url: "https://example.org/a.jpg", variant: "w=100")

  private func value(_ byteCount: Int) -> TierValue {
    let now = Date()
    return TierValue(
      response: StoredResponse(
        status: 200, fields: [.contentType: "image/jpeg"], requestTime: now, responseTime: now),
      body: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }, freshUntil: now + 60,
      staleUntil: now + 120, tags: ["host-example.org"])
  }

  private func fill(_ tier: SharedTier, _ key: TierKey, _ value: TierValue) async throws {
    guard case .make(let lock) = try await tier.turn(for: key) else {
      Issue.record("the lock is not free")
      return
    }
    tier.write(value, for: key, lock.generation, lock: lock)
    await tier.finishWriting()
  }

  private func body(_ reading: TierReading) -> [UInt8]? {
    if case .hit(let value, _) = reading { value.body } else { nil }
  }

  private func body(_ turn: TierTurn) -> [UInt8]? {
    if case .use(let value, _) = turn { value.body } else { nil }
  }

  @Test func `has originals and large values; the Redis servers have pointers to them`()
    async throws
  {
    let fixture = try await Fixture()
    let (one, two) = (fixture.tiers[0], fixture.tiers[1])
    let (original, small, large) = (value(20_000), value(5000), value(300_000))
    let other = TierKey(url: source.url.text, variant: "w=5000")
    try await fill(one, source, original)
    try await fill(one, variant, small)
    try await fill(one, other, large)

    #expect(body(await two.read(source)) == original.body)
    #expect(body(await two.read(variant)) == small.body)
    #expect(body(await two.read(other)) == large.body)
    #expect(two.statistics.objectReads == 2 && one.statistics.objectWrites == 2)
    #expect(try await fixture.object(source)?.count ?? 0 > 20_000)
    #expect(try await fixture.object(variant) == nil)
    for key in [source, other] {
      let name = String(buffer: one.names.value(key).bytes)
      let length = try #require(Int(await fixture.redis.cli("strlen", name)))
      #expect((64...1000).contains(length))
    }
    #expect(one.names.object(source).wholeMatch(of: /ic1\/[0-9a-f]{2}\/[0-9a-f]{32}\/o/) != nil)
    #expect(
      one.names.object(other).wholeMatch(of: /ic1\/[0-9a-f]{2}\/[0-9a-f]{32}\/t\/[0-9a-f]{16}/)
        != nil)
    await fixture.stop()
  }

  @Test func `still has the originals when the servers have lost everything`() async throws {
    let fixture = try await Fixture()
    let (one, two) = (fixture.tiers[0], fixture.tiers[1])
    try await fill(one, source, value(20_000))
    _ = try await fixture.redis.cli("flushall")
    // A variant is looked up before its original.
    guard case .make(let lock) = try await two.turn(for: variant) else {
      Issue.record("the lock is not free")
      return
    }
    #expect(body(try await two.turn(for: source)) == value(20_000).body)
    two.release(lock)
    await two.finishWriting()
    #expect(body(await one.read(source)) == value(20_000).body)
    #expect(try await fixture.redis.cli("keys", "*:l:*") == "")

    // A useless value is not stored.
    _ = try await fixture.redis.cli("flushall")
    guard case .make = try await two.turn(for: source, isUsable: { _ in false }) else {
      Issue.record("what is of no use was taken")
      return
    }
    await fixture.stop()
  }

  @Test func `loses purged objects, also for servers that lose their data later`() async throws {
    let fixture = try await Fixture()
    let (one, two) = (fixture.tiers[0], fixture.tiers[1])
    try await fill(one, source, value(20_000))
    try await two.purge(TierPurge(urls: [source.url.text], time: Date()))
    #expect(try await fixture.object(source) == nil)
    _ = try await fixture.redis.cli("flushall")
    guard case .make(let slow) = try await one.turn(for: source) else {
      Issue.record("a purged original was found")
      return
    }
    // A value fetched before a purge is removed.
    try await two.purge(TierPurge(urls: [source.url.text], time: Date()))
    one.write(value(100), for: source, slow.generation, lock: slow)
    await one.finishWriting()
    #expect(try await fixture.object(source) == nil)
    #expect(body(await two.read(source)) == nil)
    await fixture.stop()
  }

  @Test func `may be damaged, emptied or gone, which costs only misses`() async throws {
    let fixture = try await Fixture(count: 1)
    let tier = fixture.tiers[0]
    try await fill(tier, source, value(20_000))
    var bytes = try #require(try await fixture.object(source))
    bytes[100] ^= 1
    try await fixture.client.put(tier.names.object(source), bytes)
    #expect(body(await tier.read(source)) == nil)
    #expect(tier.statistics.damages == 1)
    try await fixture.client.delete(tier.names.object(source))
    #expect(body(await tier.read(source)) == nil)
    try await fill(tier, source, value(10_000))
    #expect(body(await tier.read(source)) == value(10_000).body)

    fixture.moto.stop()
    #expect(body(await tier.read(source)) == nil)
    guard case .make(let lock) = try await tier.turn(for: source) else {
      Issue.record("found without the store")
      return
    }
    tier.write(value(100), for: source, lock.generation, lock: lock)
    await tier.finishWriting()
    #expect(try await fixture.redis.cli("keys", "*:l:*") == "")
    try await fill(tier, variant, value(50))
    #expect(body(await tier.read(variant)) == value(50).body)
    let failure = await #expect(throws: TierPurgeFailure.self) {
      try await tier.purge(TierPurge(urls: [source.url.text], time: Date()))
    }
    #expect(failure?.isRetried == true)
    #expect(body(await tier.read(variant)) == nil)
    await fixture.stop()
  }
}
