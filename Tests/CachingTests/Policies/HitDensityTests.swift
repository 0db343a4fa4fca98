import Testing

@testable import CachePolicies

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
      tracker.note(UInt64(now), class: 0, at: now, residents: 5_000)
      most = max(most, tracker.count)
    }

    #expect(most <= ReuseTracker.maximumCount)
    #expect(tracker.count > ReuseTracker.maximumCount / 2)
  }
}
