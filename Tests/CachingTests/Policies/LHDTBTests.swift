import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import TestSupport

/// LHD-TB on known weaknesses of other policies.
@Suite struct `LHD-TB` {
  /// The hits of LRU and of LHD-TB on entries of one size.
  private func compare(_ keys: [UInt32], size: Int = 1, capacity: Int) -> (lru: Int, ours: Int) {
    let requests = PolicyReplay.Requests(
      keys: keys, sizes: keys.map { _ in size }, countsObjects: false)
    func hits(_ policy: EvictionPolicy) -> Int {
      PolicyReplay.run(.policy(policy), requests, capacity: capacity).rest.hits
    }
    return (hits(.lru), hits(.lhdTB(exponent: 1)))
  }

  @Test func `a loop larger than the cache keeps part of itself cached`() {
    let (lru, ours) = compare((0..<60_000).map { UInt32($0 % 1_000) }, capacity: 500)

    // Half of it fits.
    #expect(lru == 0 && ours > 24_000)
  }

  @Test func `a scan does not evict frequent entries`() {
    var random = SplitMix64(seed: 9)
    var keys: [UInt32] = []
    for round in 0..<200 as Range<UInt32> {
      for _ in 0..<200 { keys.append(UInt32.random(in: 0..<100, using: &random)) }
      for key in 0..<300 as Range<UInt32> { keys.append(1_000 + round * 300 + key) }
    }

    let (lru, ours) = compare(keys, capacity: 110)

    // 40,000 requests are for the hundred.
    #expect(ours > 38_000)
    #expect(ours > lru * 5 / 4)
  }

  @Test(.isLong)
  func `when the hot set changes completely it is less than 0.3 points of requests behind LRU`() {
    var random = SplitMix64(seed: 4)
    let keys = (0..<80_000).map { step in
      UInt32(step / 20_000 * 1_000) + UInt32.random(in: 0..<200, using: &random)
    }

    let (lru, ours) = compare(keys, size: 10, capacity: 1_000)

    #expect(ours > lru - keys.count * 3 / 1_000)
  }

  @Test func `where one entry fills the cache it evicts as LRU does`() {
    let keys = (0..<3_000).map { UInt32([0, 0, 1, 1, 2, 2, 0, 1][$0 % 8]) }

    for capacity in 1...3 {
      let (lru, ours) = compare(keys, capacity: capacity)
      #expect(ours == lru)
    }
  }
}

/// What LHD-TB learns, and from which accesses.
@Suite struct `Hit density` {
  @Test func `age bins are contiguous`() {
    let ages = Array(0...5_000) + (2..<32).flatMap { [1 << $0 - 1, 1 << $0, 3 << ($0 - 1)] }

    for age in ages.map(UInt32.init) where age < ReuseAge.lowerBounds[ReuseAge.binCount] {
      let bin = ReuseAge.bin(of: age)
      #expect(ReuseAge.lowerBounds[bin] <= age, "\(age)")
      #expect(age < ReuseAge.lowerBounds[bin + 1], "\(age)")
    }
    #expect(ReuseAge.bin(of: .max) == ReuseAge.binCount - 1)
  }

  @Test func `classes separate frequency and gap and stay within their table`() {
    var found: Set<Int> = []

    for frequency in stride(from: 0, through: 15 * FadingCounter.unit, by: 8) {
      for gap in 0..<ReuseAge.binCount {
        found.insert(HitDensity.classOf(frequency: frequency, gap: gap))
      }
    }

    #expect(found.count == HitDensity.frequencyCount * (HitDensity.gapCount - 1))
    #expect(!found.contains(HitDensity.classOf(frequency: FadingCounter.unit, gap: nil)))
    #expect(found.allSatisfy { $0 < HitDensity.classCount })
  }

  @Test func `the number of watched keys is bounded`() {
    var tracker = ReuseTracker()
    var most = 0

    for now in 1...60_000 as ClosedRange<UInt32> {
      tracker.record(UInt64(now), class: 0, at: now, residents: 5_000)
      most = max(most, tracker.count)
    }

    #expect(most <= ReuseTracker.maximumCount)
    #expect(tracker.count > ReuseTracker.maximumCount / 2)
  }
}
