import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

@Suite struct `The time of a purge in the servers' list` {
  @Test(arguments: ["nan", "-nan", "inf", "-inf", "1e300", "x"])
  func `is ignored or limited if it is not a time, and stops nothing`(score: String) async throws {
    let fixture = try await TierFixture()
    let (received, gate) = (Locked<[TierPurge]>([]), Gate())
    fixture.redis.fail { words in
      let members = ["1592299999000 day", score, "1592299999000 week", "1592299999000"]
      guard words[0] == "ZRANGEBYSCORE" else { return nil }
      return .reply(
        "*4\r\n" + members.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
    }
    fixture.duringWaits { _ in
      await gate.wait()
      throw CancellationError()
    }
    let start = fixture.clock.now
    let task = Task {
      await fixture.tier.receivePurges(since: start) { purge in
        received.withLock { $0.append(purge) }
      }
    }
    await Condition.until { received.withLock { $0.contains { $0.tags == ["week"] } } }
    task.cancel()
    gate.open()
    await task.value

    #expect(received.withLock { $0.count } <= 2)
    try await fixture.end()
  }
}
