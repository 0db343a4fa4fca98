import Foundation
import NIOCore
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching
@testable import TestSupport

@Suite struct `A turn for a key of the shared tier` {
  @Test func `is granted after a lookup, with both keys set only if they are absent`() async throws
  {
    let fixture = try await TierFixture()
    let lock = try #require(try await fixture.tier.turn(for: fixture.key).lock)

    #expect(lock.key == fixture.key)
    #expect(lock.generation == fixture.generation)
    #expect(!lock.generation.isOfPurge)
    #expect(fixture.redis[fixture.lockName] == ByteBuffer(string: lock.token))
    #expect(fixture.redis.lifetime(of: fixture.lockName) == 10_000)
    #expect(fixture.redis.lifetime(of: fixture.generationName) == 30 * 86_400_000)
    #expect(fixture.redis.commands.map { $0[0] } == ["MGET", "SET", "SET", "MGET"])
    #expect(fixture.pauses.isEmpty)
  }

  @Test func `returns a value that appeared between the lookup and the lock, and unlocks`()
    async throws
  {
    let fixture = try await TierFixture()
    fixture.redis.fail { words in
      if words[0] == "SET", words[1] == fixture.lockName { fixture.put(fixture.value("made")) }
      return nil
    }

    #expect(try await fixture.tier.turn(for: fixture.key).text == "use made")
    await fixture.tier.finishWriting()
    #expect(fixture.redis[fixture.lockName] == nil)
  }

  @Test func `polls after 5, 10, 20 and then every 40 ms, and follows a holder that failed`()
    async throws
  {
    let fixture = try await TierFixture()
    fixture.redis[fixture.lockName] = ByteBuffer(string: "of another server")
    fixture.duringWaits { _ in
      if fixture.pauses.count == 6 { fixture.redis[fixture.lockName] = nil }
    }

    #expect(try await fixture.tier.turn(for: fixture.key).text == "make")
    #expect(fixture.pauses == [5, 10, 20, 40, 40, 40].map { .milliseconds($0) })
    #expect(fixture.tier.statistics.lockWaits == 1)
  }

  @Test func `ends its wait after the lifetime of a lock that changes hands`() async throws {
    let fixture = try await TierFixture { $0.lockLifetime = .milliseconds(200) }
    fixture.redis[fixture.lockName] = ByteBuffer(string: "of another server")

    #expect(try await fixture.tier.turn(for: fixture.key, until: .now).text == "make alone")
    #expect(fixture.pauses.isEmpty)
    #expect(try await fixture.tier.turn(for: fixture.key).text == "make alone")
    // 5 + 10 + 20 + 5 × 40 ms is the first sum of at least 200 ms.
    #expect(fixture.pauses.count == 8)
    #expect(fixture.redis[fixture.lockName] == ByteBuffer(string: "of another server"))
  }

  @Test(arguments: ["the lookup", "the lock", "the lookup under it", "a wait"])
  func `is to be made alone where the servers fail at`(place: String) async throws {
    let fixture = try await TierFixture()
    let lookups = Locked(0)
    let other = place == "a wait" ? ByteBuffer(string: "of another server") : nil
    fixture.redis[fixture.lockName] = other
    fixture.duringWaits { _ in fixture.redis.fail { _ in .close } }
    fixture.redis.fail { words in
      switch (place, words[0]) {
      case ("the lookup", "MGET"): return .close
      case ("the lock", "SET") where words[1] == fixture.lockName:
        return .reply("-OOM command not allowed when used memory > 'maxmemory'\r\n")
      case ("the lookup under it", "MGET"):
        return lookups.withLock { count in
          count += 1
          return count == 2 ? .close : nil
        }
      default: return nil
      }
    }

    #expect(try await fixture.tier.turn(for: fixture.key).text == "make alone")
    await fixture.tier.finishWriting()
    #expect(fixture.redis[fixture.lockName] == other)
    #expect(fixture.pauses.count == (other == nil ? 0 : 1))
    #expect(place != "the lookup" || !fixture.redis.commands.contains { $0[0] == "SET" })
  }

  @Test(arguments: ["", "12", "0000000000000000", "not a generation"])
  func `is given back where the source has a generation that cannot be read`(text: String)
    async throws
  {
    let fixture = try await TierFixture()
    fixture.redis[fixture.generationName] = ByteBuffer(string: text)

    #expect(try await fixture.tier.turn(for: fixture.key).text == "make alone")
    await fixture.tier.finishWriting()
    #expect(fixture.redis[fixture.lockName] == nil)
  }

  @Test func `ignores a value that is not usable, and one under another generation`() async throws {
    let fixture = try await TierFixture()
    fixture.put(fixture.value("old"))
    let turn = try await fixture.tier.turn(for: fixture.key, until: nil) { $0.body.count > 10 }
    let lock = try #require(turn.lock)
    fixture.tier.release(lock)
    await fixture.tier.finishWriting()
    fixture.redis[fixture.generationName] = ByteBuffer(string: TierGeneration.random().text)

    #expect(try await fixture.tier.turn(for: fixture.key).text == "make")
    #expect(fixture.tier.statistics.hits == 0)
  }

  @Test func `is not waited for by a task that was cancelled`() async throws {
    let fixture = try await TierFixture()
    fixture.redis[fixture.lockName] = ByteBuffer(string: "of another server")
    let gate = Gate()
    fixture.duringWaits { _ in await gate.wait() }
    let waiting = Task { try await fixture.tier.turn(for: fixture.key) }
    await gate.arrivals(1)
    waiting.cancel()
    gate.open()

    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(fixture.pauses.count == 1)
  }
}
