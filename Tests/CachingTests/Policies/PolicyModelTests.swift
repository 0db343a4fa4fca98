import Testing

@testable import CachePolicies
@testable import ImageModel

/// Every policy against an equivalent model with arrays, on all short sequences of requests.
@Suite struct `Policies against naive models` {
  private func expectEqual<Policy: Replacement, Naive: NaivePolicy>(
    _ policy: Policy, _ naive: Naive.Type, keys: Int = 4, length: Int = 7,
    capacities: ClosedRange<Int> = 1...3
  ) {
    for capacity in capacities {
      var pairs = [(PolicyCache(policy, capacity: capacity), Naive(capacity: capacity))]
      for depth in 1...length {
        var next: [(PolicyCache<Policy>, Naive)] = []
        for (cache, model) in pairs {
          for key in 0..<keys {
            var (cache, model) = (cache, model)
            let isHit = cache.access(UInt64(key), size: 1)
            let isExpected = model.access(key)
            #expect(isHit == isExpected, "capacity \(capacity), request \(depth)")
            if isHit != isExpected { return }
            next.append((cache, model))
          }
        }
        pairs = next
      }
    }
  }

  /// Long random sequences with skewed keys, for states that short ones do not reach.
  private func expectEqualAtRandom<Policy: Replacement, Naive: NaivePolicy>(
    _ policy: Policy, _ naive: Naive.Type
  ) {
    var random = SplitMix64(seed: 7)
    for capacity in [1, 2, 5, 10, 13] {
      var cache = PolicyCache(policy, capacity: capacity)
      var model = Naive(capacity: capacity)
      for step in 0..<4_000 {
        let key = Int.random(in: 0..<1 << Int.random(in: 0...6, using: &random), using: &random)
        let isHit = cache.access(UInt64(key), size: 1)
        let isExpected = model.access(key)
        #expect(isHit == isExpected, "capacity \(capacity), step \(step)")
        if isHit != isExpected { return }
      }
    }
  }

  @Test func `LRU`() {
    expectEqual(LRUReplacement(), NaiveLRU.self)
    expectEqualAtRandom(LRUReplacement(), NaiveLRU.self)
  }

  @Test func `FIFO`() {
    expectEqual(FIFOReplacement(), NaiveFIFO.self)
    expectEqualAtRandom(FIFOReplacement(), NaiveFIFO.self)
  }

  @Test func `CLOCK`() {
    expectEqual(ClockReplacement(), NaiveClock.self)
    expectEqualAtRandom(ClockReplacement(), NaiveClock.self)
  }

  @Test func `SIEVE`() {
    expectEqual(SIEVEReplacement(), NaiveSIEVE.self)
    expectEqualAtRandom(SIEVEReplacement(), NaiveSIEVE.self)
  }

  @Test func `SLRU`() {
    expectEqual(SLRUReplacement(), NaiveSLRU.self)
    expectEqualAtRandom(SLRUReplacement(), NaiveSLRU.self)
  }

  @Test func `S3-FIFO`() {
    expectEqual(S3FIFOReplacement(), NaiveS3FIFO.self)
    expectEqualAtRandom(S3FIFOReplacement(), NaiveS3FIFO.self)
  }

  @Test func `ARC`() {
    expectEqual(ARCReplacement(), NaiveARC.self)
    expectEqualAtRandom(ARCReplacement(), NaiveARC.self)
  }

  @Test func `GDSF`() {
    expectEqual(RankReplacement(), NaiveGDSF.self)
    expectEqualAtRandom(RankReplacement(), NaiveGDSF.self)
  }

  @Test func `GDSF-TB`() {
    expectEqual(GDSFTBReplacement(exponent: 1), NaiveGDSFTB.self)
    expectEqualAtRandom(GDSFTBReplacement(exponent: 1), NaiveGDSFTB.self)
  }
}
