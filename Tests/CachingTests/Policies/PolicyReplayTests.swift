import ImageModel
import Testing

@testable import CachePolicies
@testable import TestSupport

@Suite struct `Replaying a trace` {
  static let subjects: [PolicyReplay.Subject] =
    (EvictionPolicy.all + EvictionPolicy.forComparison).map { .policy($0) }
    + DiskEvictionPolicy.all.map { .disk($0) }

  private func requests(_ count: Int) -> PolicyReplay.Requests {
    var random = SplitMix64(seed: 3)
    let keys = (0..<count).map { _ in UInt32.random(in: 0..<200, using: &random) }
    return PolicyReplay.Requests(
      keys: keys, sizes: keys.map { 1 + Int($0) % 13 }, countsObjects: false)
  }

  @Test(.isLong, arguments: subjects)
  func `counts the warm-up apart, and together the same`(subject: PolicyReplay.Subject) {
    let requests = requests(4_000)

    let (none, all) = PolicyReplay.run(subject, requests, capacity: 300)
    let (first, rest) = PolicyReplay.run(subject, requests, capacity: 300, warmUp: 1_000)

    #expect(none == PolicyReplay.Counts())
    #expect(all.hits > 0 && first.hits > 0)
    #expect(first.hits + rest.hits == all.hits)
    #expect(first.hitSize + rest.hitSize == all.hitSize)
    #expect(first.evictions + rest.evictions == all.evictions)
    // Request by request the same ones hit.
    let access = PolicyReplay.cache(subject, capacity: 300)
    var counts = PolicyReplay.Counts()
    for (key, size) in zip(requests.keys, requests.sizes)
    where access(key, size, &counts.evictions) {
      counts.hits += 1
      counts.hitSize += size
    }
    #expect(counts == all)
  }

  @Test func `a warm-up longer than the trace leaves nothing behind it`() {
    let requests = requests(100)

    let (first, rest) = PolicyReplay.run(.policy(.fifo), requests, capacity: 300, warmUp: 500)
    let (negative, all) = PolicyReplay.run(.policy(.fifo), requests, capacity: 300, warmUp: -3)

    #expect(rest == PolicyReplay.Counts() && negative == PolicyReplay.Counts())
    #expect(first == all)
  }

  @Test func `reports progress in pieces of 65,536 requests, and can stop between them`() {
    let requests = PolicyReplay.Requests(
      keys: Array(repeating: 0, count: 150_000), sizes: Array(repeating: 1, count: 150_000),
      countsObjects: false)
    var pieces: [Int] = []
    _ = PolicyReplay.run(.policy(.fifo), requests, capacity: 1, warmUp: 10) {
      pieces.append($0)
      return true
    }
    var calls = 0
    let stopped = PolicyReplay.run(.policy(.fifo), requests, capacity: 1) { _ in
      calls += 1
      return false
    }

    #expect(pieces == [10, 65_536, 65_536, 18_918])
    #expect(calls == 1)
    #expect(stopped.rest.hits == 65_535)
  }
}
