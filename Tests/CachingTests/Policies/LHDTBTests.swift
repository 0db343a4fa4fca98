import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import TestSupport

/// LHD-TB on all small cases, and on known weaknesses of other policies.
@Suite struct `LHD-TB` {
  private func hits(_ policy: EvictionPolicy, keys: [UInt32], sizes: [Int], capacity: Int)
    -> Int
  {
    PolicyReplay.run(
      .policy(policy),
      PolicyReplay.Requests(keys: keys, sizes: sizes, countsObjects: false), capacity: capacity
    ).rest.hits
  }

  @Test func `a loop larger than the cache keeps part of itself cached`() {
    let keys = (0..<60_000).map { UInt32($0 % 1_000) }
    let sizes = [Int](repeating: 1, count: keys.count)

    let (lru, ours) = (
      hits(.lru, keys: keys, sizes: sizes, capacity: 500),
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 500)
    )

    #expect(lru == 0)
    // Half of it fits.
    #expect(Double(ours) > 0.4 * Double(keys.count))
  }

  @Test func `a scan does not evict frequent entries`() {
    var random = SplitMix64(seed: 9)
    var keys: [UInt32] = []
    for round in 0..<200 as Range<UInt32> {
      for _ in 0..<200 { keys.append(UInt32.random(in: 0..<100, using: &random)) }
      for key in 0..<300 as Range<UInt32> { keys.append(1_000 + round * 300 + key) }
    }
    let sizes = [Int](repeating: 1, count: keys.count)

    let (lru, ours) = (
      hits(.lru, keys: keys, sizes: sizes, capacity: 110),
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 110)
    )

    // 40,000 requests are for the hundred.
    #expect(ours > 38_000)
    #expect(ours > lru * 5 / 4)
  }

  @Test
  func `when the hot set changes completely it is less than 0.3 points of requests behind LRU`() {
    var random = SplitMix64(seed: 4)
    var keys: [UInt32] = []
    for phase in 0..<4 as Range<UInt32> {
      for _ in 0..<20_000 {
        keys.append(phase * 1_000 + UInt32.random(in: 0..<200, using: &random))
      }
    }
    let sizes = [Int](repeating: 10, count: keys.count)

    let (lru, ours) = (
      hits(.lru, keys: keys, sizes: sizes, capacity: 1_000),
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 1_000)
    )

    #expect(ours > lru - keys.count * 3 / 1_000)
  }

  @Test func `where one entry fills the cache it evicts as LRU does`() {
    let keys = (0..<3_000).map { UInt32([0, 0, 1, 1, 2, 2, 0, 1][$0 % 8]) }
    let sizes = [Int](repeating: 1, count: keys.count)

    for capacity in 1...3 {
      #expect(
        hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: capacity)
          == hits(.lru, keys: keys, sizes: sizes, capacity: capacity))
    }
  }
}

/// LHD-TB on recorded traces.
@Suite(.needsFixtures) struct `LHD-TB on recorded traces` {
  @Test(arguments: ["nasa-0801-img", "nasa-0801", "imgday-client", "bu98"])
  func `it is ahead of LRU on every trace and of GDSF-TB on average`(_ name: String) throws {
    let trace = try RecordedTrace(name)
    let table = try #require(trace.expected.byte)
    var ahead = 0

    for capacity in table.keys.compactMap({ Int($0) }).sorted() {
      let expected = try #require(table["\(capacity)"])
      let hits = PolicyReplay.run(
        .policy(.lhdTB(exponent: 1)), trace.requests, capacity: capacity
      ).rest.hits
      #expect(hits > (try #require(expected["lru"])).hits, "\(name) at \(capacity)")
      #expect(hits <= (try #require(expected["pfool"])).hits, "\(name) at \(capacity)")
      ahead += hits - (try #require(expected["gdsf-tb"])).hits
    }

    #expect(ahead > 0)
  }
}
