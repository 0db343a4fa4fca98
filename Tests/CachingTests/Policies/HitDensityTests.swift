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

  /// All of one class are reused at one age, those of another never.
  private func learned() -> HitDensity {
    var model = HitDensity()
    for _ in 0..<1_000 {
      for bin in 0...20 { model.reach(bin, 7) }
      model.hit(20, 7)
      for bin in 0...30 { model.reach(bin, 13) }
    }
    model.setLastBin(residents: 25_000)
    model.update(observations: 2_000)
    return model
  }

  @Test func `an entry reused at one age is worth more the nearer that age is`() {
    let values = learned().values
    let own = (0...20).map { values[7 * ReuseAge.binCount + $0] }

    // Held from the beginning, a place brings one hit in 1,792 requests: the middle of the bin.
    #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 })
    #expect(abs(1 / own[0] - 1_792) < 60)
  }

  @Test func `old observations lose their weight`() {
    var model = learned()
    let before = model.values[13 * ReuseAge.binCount + 10]

    for _ in 0..<200 { model.update(observations: 16_384) }

    #expect(model.values[13 * ReuseAge.binCount + 10] > before * 20)
    #expect(model.values == HitDensity().values)
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
