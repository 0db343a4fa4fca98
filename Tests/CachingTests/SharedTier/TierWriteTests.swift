import Foundation
import NIOCore
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching
@testable import TestSupport

@Suite struct `A value that is written to the shared tier` {
  private func write(_ value: TierValue, _ fixture: TierFixture) async throws {
    let lock = try #require(try await fixture.tier.turn(for: fixture.key).lock)
    fixture.tier.write(value, for: fixture.key, lock.generation, lock: lock)
    await fixture.tier.finishWriting()
  }

  @Test(arguments: [
    (0.9, 120.0, 108_000, 216_000), (1, 120, 120_000, 240_000), (1.1, 120, 132_000, 264_000),
    (1, 10_000, 130_000, 260_000),
  ])
  func `lives until it is of no use, give or take a tenth, or for the maximum`(
    jitter: Double, stale: TimeInterval, lifetime: Int, generation: Int
  ) async throws {
    let fixture = try await TierFixture(jitter: jitter) { $0.maximumLifetime = .seconds(130) }
    let first = TierGeneration.random()
    fixture.redis[fixture.generationName] = ByteBuffer(string: first.text)
    try await write(fixture.value("a", stale: stale), fixture)

    #expect(fixture.redis.lifetime(of: fixture.valueName) == lifetime)
    // Twice as long: a generation that is lost before its values cannot show a purge.
    #expect(fixture.redis.lifetime(of: fixture.generationName) == generation)
  }

  @Test(arguments: ["too long", "selected by a field", "of no use"])
  func `is left out, and its lock released, if it is`(_ what: String) async throws {
    let fixture = try await TierFixture { $0.maximumBodyByteCount = 4 }
    var value = fixture.value(what == "too long" ? "12345" : "1234")
    if what == "selected by a field" { value.response.selection = "accept" }
    if what == "of no use" { value.staleUntil = fixture.clock.now }
    try await write(value, fixture)

    #expect(fixture.redis.keys == [fixture.generationName])
    #expect(fixture.tier.statistics.writes == 0)
    // One of exactly the maximum length is kept.
    try await write(fixture.value("1234"), fixture)
    #expect(await fixture.tier.read(fixture.key).text == "1234")
    #expect(fixture.tier.statistics.writtenByteCount == 4)
    #expect(fixture.tier.statistics.readByteCount == 4)
  }

  @Test func `is sent with the text of the script where the servers do not know it`() async throws {
    let fixture = try await TierFixture()
    fixture.redis.fail {
      $0[0] == "EVALSHA" ? .reply("-NOSCRIPT No matching script. Please use EVAL.\r\n") : nil
    }
    try await write(fixture.value("a"), fixture)

    #expect(fixture.redis.commands.map { $0[0] }.suffix(2) == ["EVALSHA", "EVAL"])
    #expect(await fixture.tier.read(fixture.key).text == "a")
    #expect(fixture.redis[fixture.lockName] == nil)
  }

  @Test func `that servers without room refuse is reported, and its lock released`() async throws {
    let fixture = try await TierFixture()
    fixture.redis.fail { words in
      words[0] == "EVALSHA" && words[1] == TierScripts.store.digest
        ? .reply("-OOM command not allowed when used memory > 'maxmemory'.\r\n") : nil
    }
    try await write(fixture.value("a"), fixture)

    #expect(fixture.redis.keys == [fixture.generationName])
    #expect(fixture.tier.statistics.failedWrites == 1)
    #expect(fixture.tier.lastError?.code == .serverError)
    #expect(fixture.tier.lastError?.message.contains("OOM") == true)
    #expect(!fixture.tier.isSuspended)
  }

  @Test func `under a generation that a purge has replaced is not kept`() async throws {
    let fixture = try await TierFixture()
    let lock = try #require(try await fixture.tier.turn(for: fixture.key).lock)
    fixture.redis[fixture.generationName] = ByteBuffer(
      string: TierGeneration.random(isOfPurge: true).text)
    fixture.tier.write(fixture.value("a"), for: fixture.key, lock.generation, lock: lock)
    await fixture.tier.finishWriting()

    #expect(fixture.redis.keys == [fixture.generationName])
    #expect(fixture.tier.statistics.failedWrites == 1)
    #expect(!fixture.tier.isConfirmed(fixture.key.url.text, lock.generation))
  }

  @Test func `that finds no place in the queue is dropped, and its lock released`() async throws {
    let fixture = try await TierFixture { $0.waitingWrites.maximumByteCount = 3 }
    try await write(fixture.value("1234"), fixture)

    #expect(fixture.redis.keys == [fixture.generationName])
    #expect(fixture.tier.statistics.droppedWrites == 1)
  }
}

@Suite struct `A value that the shared tier reads` {
  @Test func `is removed if it is damaged, which costs a miss`() async throws {
    let fixture = try await TierFixture()
    fixture.put(fixture.value("a"))
    fixture.redis[fixture.valueName]?.setInteger(UInt8(ascii: "!"), at: 70)

    #expect(await fixture.tier.read(fixture.key).text == "miss")
    await fixture.tier.finishWriting()
    #expect(fixture.redis.keys == [fixture.generationName])
    #expect(fixture.tier.statistics.damages == 1)
    #expect(fixture.tier.statistics.misses == 1)
    // One of another version of the program is left alone.
    fixture.put(fixture.value("a"))
    fixture.redis[fixture.valueName]?.setInteger(UInt8(3), at: 4)
    #expect(await fixture.tier.read(fixture.key).text == "miss")
    await fixture.tier.finishWriting()
    #expect(fixture.redis.keys == [fixture.generationName, fixture.valueName])
    #expect(fixture.tier.statistics.damages == 1)
  }

  @Test(arguments: ["*0\r\n", "*1\r\n$-1\r\n", "+OK\r\n", ":1\r\n", "$-1\r\n"])
  func `is missing where the servers reply with something else`(reply: String) async throws {
    let fixture = try await TierFixture()
    fixture.put(fixture.value("a"))
    fixture.redis.fail { $0[0] == "MGET" ? .reply(reply) : nil }

    #expect(await fixture.tier.read(fixture.key).text == "miss")
  }

  /// Once it is so old that purges of its time are forgotten, it does not count.
  @Test(arguments: [(120.0, 120.0), (1000, 200)])
  func `counts for as long as it is of use`(stale: TimeInterval, end: TimeInterval) async throws {
    let fixture = try await TierFixture { $0.maximumLifetime = .seconds(200) }
    fixture.put(fixture.value("a", stale: stale))

    fixture.clock.advance(by: end - 1)
    #expect(await fixture.tier.read(fixture.key).text == "a")
    fixture.clock.advance(by: 1)
    #expect(await fixture.tier.read(fixture.key).text == "miss")
  }
}
