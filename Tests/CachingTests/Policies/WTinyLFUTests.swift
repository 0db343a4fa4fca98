import ImageModel
import Testing

@testable import CachePolicies

@Suite struct `W-TinyLFU` {
  /// Fills a cache of 100 with ten entries of 10, each requested so often.
  private func filled(requests: Int) -> PolicyCache<WTinyLFUReplacement> {
    var cache = PolicyCache(
      WTinyLFUReplacement(windowShare: 0.01, isAdaptive: false),
      capacity: 100)
    for _ in 0..<requests {
      for key: UInt64 in 0..<10 { _ = cache.access(key, size: 10) }
    }
    return cache
  }

  @Test func `a large entry has to be worth all that it evicts`() {
    var cache = filled(requests: 2)

    // It would evict five entries that were requested twice each.
    for _ in 0..<4 { _ = cache.access(500, size: 50) }
    #expect(cache.slot(of: 500) == nil)

    for _ in 0..<7 { _ = cache.access(500, size: 50) }
    #expect(cache.slot(of: 500) != nil)
  }
}

@Suite struct `The window of W-TinyLFU` {
  /// The shares after samples of ten requests, so many of them hits.
  private func shares(
    from share: Double, isAdaptive: Bool = true, hits: [Int]
  ) -> (shares: [Double], changes: [Bool]) {
    var climber = WindowClimber(share: share, isAdaptive: isAdaptive)
    var (shares, changes): ([Double], [Bool]) = ([], [])
    for count in hits {
      let learned = (0..<10).map { climber.learn(isHit: $0 < count, period: 10) }
      shares.append(climber.share)
      changes.append(learned.contains(true))
    }
    return (shares, changes)
  }

  private func isNear(_ one: [Double], _ other: [Double]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-9 }
  }

  @Test func `grows by a long stride while the hit ratio rises, up to 99 percent`() {
    let (shares, changes) = shares(from: 0.3, hits: [1, 2, 3, 4, 5, 6, 7])

    #expect(isNear(shares, [0.3, 0.5, 0.7, 0.9, 0.99, 0.99, 0.99]))
    #expect(!changes[0] && changes[1] && !changes[6])
  }

  @Test func `turns back where the hit ratio falls, down to a fifth of a percent`() {
    // The second turn helped, the third did not.
    #expect(isNear(shares(from: 0.3, hits: [5, 3, 4, 3]).shares, [0.3, 0.1, 0.002, 0.202]))
  }

  @Test func `takes shorter steps while the hit ratio hardly changes`() {
    let steps = [0, 0.19, 0.1805, 0.171475, 0.16290125]

    var share = 0.1
    let expected = steps.map { step in
      share += step
      return share
    }
    #expect(isNear(shares(from: 0.1, hits: [5, 5, 5, 5, 5]).shares, expected))
  }

  @Test func `stays where it is not adaptive`() {
    let (shares, changes) = shares(from: 0.3, isAdaptive: false, hits: [1, 9, 2])

    #expect(shares == [0.3, 0.3, 0.3] && !changes.contains(true))
  }
}

@Suite struct `The frequency sketch` {
  @Test func `counts a key alone exactly, up to 15`() {
    var sketch = FrequencySketch()
    var estimates: [Int] = []

    for _ in 0..<18 {
      sketch.add(42, period: .max)
      estimates.append(sketch.estimate(42))
    }

    #expect(estimates == Array(1...15) + [15, 15, 15])
    #expect(FrequencySketch().estimate(42) == 0)
  }

  @Test func `never estimates too low, and rarely too high with room for the keys`() {
    var random = SplitMix64(seed: 77)
    var sketch = FrequencySketch(expectedCount: 1_024)
    var counts: [UInt64: Int] = [:]
    for _ in 0..<3_000 {
      let key = UInt64.random(in: 0..<UInt64.random(in: 1...800, using: &random), using: &random)
      sketch.add(key, period: .max)
      counts[key, default: 0] += 1
    }

    let exact = counts.count { sketch.estimate($0.key) == min(15, $0.value) }

    #expect(counts.allSatisfy { sketch.estimate($0.key) >= min(15, $0.value) })
    #expect(Double(exact) > 0.95 * Double(counts.count))
  }

  @Test func `halves every count after a period, rounded down`() {
    var sketch = FrequencySketch()
    for _ in 0..<9 { sketch.add(1, period: 15) }
    for _ in 0..<5 { sketch.add(2, period: 15) }

    // The fifteenth addition ends the period.
    sketch.add(3, period: 15)

    #expect([1, 2, 3].map { sketch.estimate($0) } == [4, 2, 0])
    for _ in 0..<14 { sketch.add(4, period: 15) }
    #expect(sketch.estimate(1) == 4 && sketch.estimate(4) == 14)
    sketch.add(4, period: 15)
    #expect(sketch.estimate(1) == 2 && sketch.estimate(4) == 7)
  }

  @Test func `keeps its estimates when it grows`() {
    var sketch = FrequencySketch(expectedCount: 32)
    for key: UInt64 in 0..<20 {
      for _ in 0...key % 6 { sketch.add(key, period: .max) }
    }
    let before = (0..<100 as Range<UInt64>).map { sketch.estimate($0) }

    sketch.reserve(500)

    #expect(sketch.capacity == 512)
    #expect((0..<100 as Range<UInt64>).map { sketch.estimate($0) } == before)
    sketch.reserve(10)
    #expect(sketch.capacity == 512)
  }
}
