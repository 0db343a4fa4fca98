import NIOCore
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

@Suite struct `A local copy that the shared tier confirms` {
  private let url = "https://example.org/a.jpg"

  @Test func `is valid under the present generation, without a request for a while`() async throws {
    let fixture = try await TierFixture { $0.confirmationLifetime = .seconds(30) }
    let generation = try #require(await fixture.tier.generation(of: url))
    let asked = fixture.redis.commands.count

    #expect(await fixture.tier.validity(of: url, under: generation) == .current(generation))
    #expect(fixture.redis.commands.count == asked + 2)
    fixture.elapsed.advance(by: .milliseconds(29_999))
    #expect(await fixture.tier.validity(of: url, under: generation) == nil)
    #expect(fixture.redis.commands.count == asked + 2)
    fixture.elapsed.advance(by: .milliseconds(1))
    #expect(await fixture.tier.validity(of: url, under: generation) == .current(generation))
  }

  @Test(arguments: [false, true])
  func `was purged if the present generation is that of a purge`(isKnown: Bool) async throws {
    let fixture = try await TierFixture()
    let purge = TierGeneration.random(isOfPurge: true)
    fixture.redis[fixture.generationName] = ByteBuffer(string: purge.text)
    let own = isKnown ? TierGeneration.random() : nil

    #expect(await fixture.tier.confirm(url, own) == .purged)
    #expect(await fixture.tier.validity(of: url, under: own) == .purged)
    // Its own purge, after which it was fetched, does not matter.
    #expect(await fixture.tier.confirm(url, purge) == .current(purge))
  }

  @Test func `is doubtful where the servers have lost its generation`() async throws {
    let fixture = try await TierFixture()
    let own = TierGeneration.random()
    let confirmation = await fixture.tier.confirm(url, own)
    let present = try #require(fixture.generation)

    #expect(confirmation == .unrelated(present))
    #expect(present != own)
    #expect(fixture.redis.lifetime(of: fixture.generationName) == 30 * 86_400_000)
    #expect(await fixture.tier.validity(of: url, under: own) == .unrelated(present))
    #expect(await fixture.tier.validity(of: url, under: nil) == .unrelated(present))
  }

  @Test func `is valid where the servers fail, and is not confirmed by that`() async throws {
    let fixture = try await TierFixture()
    fixture.redis.fail { $0[0] == "GET" ? .close : nil }
    let own = TierGeneration.random()

    #expect(await fixture.tier.confirm(url, own) == .unknown)
    #expect(await fixture.tier.validity(of: url, under: own) == .unknown)
    #expect(!fixture.tier.isConfirmed(url, own))
    #expect(await fixture.tier.generation(of: url) == nil)
    // Something else as the generation.
    fixture.redis.fail { _ in nil }
    fixture.redis[fixture.generationName] = ByteBuffer(string: "7")
    #expect(await fixture.tier.confirm(url, own) == .unknown)
  }

  @Test func `is not confirmed by a reply from before a purge that arrives meanwhile`() async throws
  {
    let fixture = try await TierFixture()
    let generation = try #require(await fixture.tier.generation(of: url))
    fixture.redis.fail { words in
      if words[0] == "GET" { fixture.tier.forgetConfirmation(of: ExactString(url)) }
      return nil
    }

    #expect(await fixture.tier.confirm(url, generation) == .current(generation))
    #expect(!fixture.tier.isConfirmed(url, generation))
  }

  @Test func `is confirmed by a hit for its source, and by a write`() async throws {
    let fixture = try await TierFixture()
    let lock = try #require(try await fixture.tier.turn(for: fixture.key).lock)
    #expect(!fixture.tier.isConfirmed(url, lock.generation))
    fixture.tier.write(fixture.value("a"), for: fixture.key, lock.generation, lock: lock)
    await fixture.tier.finishWriting()

    #expect(fixture.tier.isConfirmed(url, lock.generation))
    fixture.tier.forgetConfirmations()
    #expect(!fixture.tier.isConfirmed(url, lock.generation))
    #expect(await fixture.tier.read(fixture.key).text == "a")
    #expect(fixture.tier.isConfirmed(url, lock.generation))
  }
}

@Suite struct `A shared tier whose servers fail` {
  @Test func `is suspended after three failures, for longer each time, and then tried once`()
    async throws
  {
    let fixture = try await TierFixture()
    fixture.redis.fail { $0[0] == "MGET" ? .close : nil }
    for _ in 0..<5 { #expect(await fixture.tier.read(fixture.key).text == "unavailable") }

    #expect(fixture.tier.isSuspended)
    #expect(fixture.tier.statistics.errors == 3)
    #expect(fixture.tier.statistics.skipped == 2)
    #expect(fixture.tier.statistics.openings == 1)
    #expect(fixture.tier.lastError?.code == .connectionFailed)
    #expect(fixture.tier.lastError?.node?.port == fixture.redis.port)
    // Purges are never suspended.
    try await fixture.purge(TierPurge(urls: [fixture.key.url.text], time: fixture.clock.now))
    #expect(fixture.generation?.isOfPurge == true && fixture.redis.messages.count == 1)
    fixture.elapsed.advance(by: .milliseconds(250))
    for _ in 0..<2 { #expect(await fixture.tier.read(fixture.key).text == "unavailable") }
    #expect(fixture.tier.statistics.errors == 4)
    #expect(fixture.tier.statistics.openings == 2)
    fixture.redis.fail { _ in nil }
    fixture.elapsed.advance(by: .milliseconds(499))
    #expect(await fixture.tier.read(fixture.key).text == "unavailable")
    fixture.elapsed.advance(by: .milliseconds(1))
    #expect(await fixture.tier.read(fixture.key).text == "miss")
    #expect(!fixture.tier.isSuspended)
    #expect(fixture.tier.statistics.skipped == 4)
  }

  @Test(
    arguments: [
      ("-NOAUTH Authentication required.", true),
      ("-NOPERM this user has no permissions to run the 'mget' command", true),
      ("-ERR unknown command", false),
      ("-LOADING Redis is loading the dataset in memory", false),
      ("-WRONGTYPE Operation against a key holding the wrong kind of value", false),
      ("?", true),
    ] as [(String, Bool)])
  func `counts what says that requests are in vain`(reply: String, counts: Bool) async throws {
    let fixture = try await TierFixture()
    fixture.redis.fail { $0[0] == "MGET" ? .reply(reply + "\r\n") : nil }
    for _ in 0..<3 { #expect(await fixture.tier.read(fixture.key).text == "unavailable") }

    #expect(fixture.tier.isSuspended == counts)
    #expect(fixture.tier.statistics.errors == 3)
  }

  @Test func `answers nothing after its end, and takes no values`() async throws {
    let fixture = try await TierFixture()
    fixture.put(fixture.value("a"))
    await fixture.tier.shutDown()

    #expect(await fixture.tier.read(fixture.key).text == "unavailable")
    #expect(try await fixture.tier.turn(for: fixture.key).text == "make alone")
    fixture.tier.write(fixture.value("b"), for: fixture.key, .random())
    await fixture.tier.finishWriting()
    #expect(fixture.tier.statistics.droppedWrites == 1)
  }
}
