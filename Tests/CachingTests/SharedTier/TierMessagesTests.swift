import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

@Suite struct `Purges that a shared tier receives` {
  /// A tier that receives purges; each reading of the list by time waits for the test.
  private final class Receiver: Sendable {
    let fixture: TierFixture
    let purges = Locked<[TierPurge]>([])
    let isFailing = Locked(false)
    private let readings = Locked<[Gate]>([])
    private let task: Task<Void, Never>

    init(_ prepare: (TierFixture) -> Void = { _ in }) async throws {
      let fixture = try await TierFixture()
      prepare(fixture)
      self.fixture = fixture
      let (purges, isFailing, readings) = (purges, isFailing, readings)
      fixture.duringWaits { _ in
        let gate = Gate()
        readings.withLock { $0.append(gate) }
        await gate.wait()
        try Task.checkCancellation()
      }
      let since = fixture.clock.now
      task = Task {
        await fixture.tier.receivePurges(since: since) { purge in
          purges.withLock { $0.append(purge) }
          if isFailing.withLock({ $0 }) { throw CancellationError() }
        }
      }
      await Self.readings(1, of: fixture.redis)
      await Condition.until { !readings.withLock { $0.isEmpty } }
    }

    static func readings(_ count: Int, of redis: MemoryRedis) async {
      await Condition.until { redis.commands.count { $0[0] == "ZRANGEBYSCORE" } >= count }
    }

    /// Lets the list be read again, and waits until the reading after it begins to wait.
    func readAgain() async {
      let waiting = readings.withLock { $0.removeFirst() }
      waiting.open()
      await Condition.until { [readings] in !readings.withLock { $0.isEmpty } }
    }

    /// Sends a message, and waits until one of its kind that was sent after it has arrived.
    func send(_ message: String) async {
      let mark = "mark \(purges.withLock { $0.count })"
      fixture.redis.publish(message, on: "ic1:inv")
      fixture.redis.publish("other 0\nurl \(mark)", on: "ic1:inv")
      await Condition.until { [purges] in
        purges.withLock { $0.contains { $0.urls == [mark] } }
      }
      purges.withLock { $0.removeAll { $0.urls == [mark] } }
    }

    deinit {
      task.cancel()
      while let gate = readings.withLock({ $0.popLast() }) { gate.open() }
    }
  }

  private static let time = Date(timeIntervalSince1970: 1_592_299_999)

  @Test(
    arguments: [
      (
        "other 1592299999000\nurl https://a/\ntag day\nurl https://b/ c",
        TierPurge(urls: ["https://a/", "https://b/ c"], tags: ["day"], time: time)
      ),
      // Not later than now, whatever the clock of their sender says.
      ("other 9999999999999\nurl https://a/", TierPurge(urls: ["https://a/"], time: time + 1)),
      // Lines of a kind that a later version may add are skipped.
      (
        "other 1592299999000\nhost example.org\nurl https://a/\nurls b\n",
        TierPurge(urls: ["https://a/"], time: time)
      ),
      // Malformed, or of this tier itself.
      ("", nil), ("\n", nil), ("other", nil), ("other x\nurl a", nil), ("other 1 2\nurl a", nil),
      ("url a", nil), (" 1\nurl a", nil), ("SELF 0\nurl https://a/", nil),
    ] as [(String, TierPurge?)])
  func `name sources and tags, at the time of the purge`(
    message: String, expected: TierPurge?
  ) async throws {
    let receiver = try await Receiver()
    await receiver.send(message.replacing("SELF", with: receiver.fixture.tier.sender))

    #expect(receiver.purges.withLock { $0 } == (expected.map { [$0] } ?? []))
  }

  @Test func `end the confirmation of their sources alone`() async throws {
    let receiver = try await Receiver()
    let (fixture, tier) = (receiver.fixture, receiver.fixture.tier)
    let generation = try #require(await tier.generation(of: "https://a/"))
    #expect(await tier.confirm("https://a/", generation) == .current(generation))
    #expect(tier.isConfirmed("https://a/", generation))
    await receiver.send("other 0\nurl https://b/")
    #expect(tier.isConfirmed("https://a/", generation))
    await receiver.send("other 0\nurl https://a/")

    #expect(!tier.isConfirmed("https://a/", generation))
    #expect(fixture.tier.statistics.receivedPurges == 4)
  }

  @Test func `make values with their tag count no longer`() async throws {
    let receiver = try await Receiver()
    let fixture = receiver.fixture
    fixture.put(fixture.value("a", tags: ["day"]))
    #expect(await fixture.tier.read(fixture.key).text == "a")
    await receiver.send("other 1592300000000\ntag day")

    #expect(await fixture.tier.read(fixture.key).text == "miss")
  }

  @Test func `by tag are in the list, damaged or not, also where their message was lost`()
    async throws
  {
    let receiver = try await Receiver {
      for member in ["", "day", "x day", "12"] { $0.redis.list(member, score: 1_592_299_990_000) }
      $0.redis.list("1592299990000 day", score: 1_592_299_990_000)
    }
    await Condition.until { [purges = receiver.purges] in !purges.withLock { $0.isEmpty } }
    receiver.fixture.redis.list("1592299999000 a day of two words", score: 1_592_300_001_000)
    await receiver.readAgain()

    let time = Date(timeIntervalSince1970: 1_592_299_990)
    #expect(
      receiver.purges.withLock { $0 } == [
        TierPurge(tags: ["day"], time: time),
        TierPurge(tags: ["a day of two words"], time: time + 9),
      ])
    // The first reading begins a minute before the given moment, the next one before the latest
    // purge: servers may list them out of order.
    await receiver.readAgain()
    let starts = receiver.fixture.redis.commands.filter { $0[0] == "ZRANGEBYSCORE" }.map { $0[2] }
    #expect(starts.first == "1592299940000")
    #expect(starts.last == "1592299941000")
  }

  @Test func `are delivered once, by message or by the list`() async throws {
    let receiver = try await Receiver()
    await receiver.send("other 1592299999000\ntag day")
    receiver.fixture.redis.list("1592299999000 day", score: 1_592_299_999_000)
    await receiver.readAgain()

    #expect(receiver.purges.withLock { $0.map(\.tags) } == [["day"]])
  }

  /// The member between two others has a score that is not a time.
  @Test(arguments: ["nan", "-nan", "inf", "-inf", "1e300", "x"])
  func `with a score that is not a time are ignored or limited, and stop nothing`(
    score: String
  ) async throws {
    let receiver = try await Receiver { fixture in
      fixture.redis.fail { words in
        let members = ["1592299999000 day", score, "1592299999000 week", "1592299999000"]
        let reply = "*4\r\n" + members.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        return words[0] == "ZRANGEBYSCORE" ? .reply(reply) : nil
      }
    }
    await Condition.until { [purges = receiver.purges] in
      purges.withLock { $0.contains { $0.tags == ["week"] } }
    }

    #expect(receiver.purges.withLock { $0.count } <= 2)
  }

  @Test func `that could not be carried out are delivered again, each tag once`() async throws {
    let receiver = try await Receiver()
    receiver.isFailing.withLock { $0 = true }
    await receiver.send("other 1592299998000\ntag a\ntag b\nurl https://a/")
    receiver.purges.withLock { $0 = [] }
    receiver.isFailing.withLock { $0 = false }
    await receiver.readAgain()
    await receiver.readAgain()

    let time = Date(timeIntervalSince1970: 1_592_299_998)
    #expect(
      receiver.purges.withLock { $0 } == [
        TierPurge(tags: ["a"], time: time), TierPurge(tags: ["b"], time: time),
      ])
  }

  @Test func `may be missing after a lost subscription, which ends all confirmations`() async throws
  {
    let receiver = try await Receiver()
    let (redis, tier) = (receiver.fixture.redis, receiver.fixture.tier)
    let generation = try #require(await tier.generation(of: "https://a/"))
    #expect(await tier.confirm("https://a/", generation) == .current(generation))
    redis.dropSubscribers()
    await Condition.until { !tier.isConfirmed("https://a/", generation) }

    // The list is read again as soon as there is a subscription.
    await Receiver.readings(2, of: redis)
    #expect(redis.commands.count { $0[0] == "SUBSCRIBE" } == 2)
  }
}
