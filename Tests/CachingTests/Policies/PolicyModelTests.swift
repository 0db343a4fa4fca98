import Testing

@testable import CachePolicies
@testable import ImageModel

/// Policies against an equivalent model with arrays, on all short sequences of requests.
@Suite struct `Policies against naive models` {
  private func expectEqualOnShortSequences<Policy: Replacement, Naive: NaivePolicy>(
    _ policy: Policy, _ naive: Naive.Type
  ) {
    for capacity in 1...3 {
      var pairs = [(PolicyCache(policy, capacity: capacity), Naive(capacity: capacity))]
      for depth in 1...7 {
        var next: [(PolicyCache<Policy>, Naive)] = []
        for (cache, model) in pairs {
          for key in 0..<4 {
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
    _ policy: Policy, _ naive: Naive.Type, capacities: [Int] = [1, 2, 5, 10, 13]
  ) {
    var random = SplitMix64(seed: 7)
    for capacity in capacities {
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

  private func expectEqual<Policy: Replacement>(_ policy: Policy, _ naive: (some NaivePolicy).Type)
  {
    expectEqualOnShortSequences(policy, naive)
    expectEqualAtRandom(policy, naive)
  }

  @Test func `SIEVE`() { expectEqual(SIEVEReplacement(), NaiveSIEVE.self) }

  @Test func `SLRU`() { expectEqual(SLRUReplacement(), NaiveSLRU.self) }

  @Test func `S3-FIFO`() { expectEqual(S3FIFOReplacement(), NaiveS3FIFO.self) }

  @Test func `ARC`() { expectEqual(ARCReplacement(), NaiveARC.self) }

  @Test func `GDSF-TB`() { expectEqual(GDSFTBReplacement(exponent: 1), NaiveGDSFTB.self) }

  @Test func `W-TinyLFU with a fixed window`() {
    expectEqualAtRandom(
      WTinyLFUReplacement(
        windowShare: NaiveWTinyLFU.windowShare, isAdaptive: false, weighsSizes: false),
      NaiveWTinyLFU.self, capacities: [1, 2, 3, 5, 10, 17, 40])
  }
}
