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
        windowShare: NaiveWTinyLFU.windowShare, isAdaptive: false),
      NaiveWTinyLFU.self, capacities: [1, 2, 3, 5, 10, 17, 40])
  }
}

/// Policies on entries of different sizes, which may change, against a sorted array.
@Suite struct `Policies on entries of any size` {
  private struct Request {
    let key: Int
    let size: Int
  }

  /// Skewed keys; most objects keep their size, some requests find another one.
  private func requests(seed: UInt64, count: Int) -> [Request] {
    var random = SplitMix64(seed: seed)
    let sizes = (0..<48).map { _ in Int.random(in: 0...20, using: &random) }
    return (0..<count).map { step in
      let key = Int.random(in: 0..<Int.random(in: 1...48, using: &random), using: &random)
      // Now and then larger than some of the caches.
      let size =
        step % 5 == 0 ? Int.random(in: 0...(step % 35 == 0 ? 90 : 25), using: &random) : sizes[key]
      return Request(key: key, size: size)
    }
  }

  private func expectEqual<Policy: Replacement>(_ policy: Policy, _ rule: SizedReference.Rule) {
    for (seed, capacity) in [(1, 0), (2, 1), (3, 20), (4, 60), (5, 75), (6, 200)] {
      var cache = PolicyCache(policy, capacity: capacity)
      var reference = SizedReference(rule, capacity: capacity)
      var keys: [Int32: Int] = [:]
      for (step, request) in requests(seed: UInt64(seed), count: 3_000).enumerated() {
        var evictions = 0
        let isHit = cache.access(UInt64(request.key), size: request.size, evictions: &evictions)
        let isExpected = reference.access(request.key, size: request.size)
        let comment: Comment = "\(rule), capacity \(capacity), step \(step)"
        // A hit that keeps the size leaves the list of the evicted as it was.
        let evicted = evictions == 0 ? [] : cache.evicted.map { keys[$0] ?? -1 }
        if isHit != isExpected || evicted != reference.evicted || cache.size != reference.size {
          Issue.record(comment)
          return
        }
        if let slot = cache.slot(of: UInt64(request.key)) { keys[slot] = request.key }
      }
    }
  }

  @Test func `evict the same entries in the same order as their references`() {
    expectEqual(LRUReplacement(), .lru)
    expectEqual(FIFOReplacement(), .fifo)
    expectEqual(ClockReplacement(), .clock)
    expectEqual(RankReplacement(GDSFRank(exponent: 0, ages: false)), .lfu)
    expectEqual(RankReplacement(), .gdsf)
  }

  @Test(arguments: EvictionPolicy.all)
  func `evicting one at a time empties a cache, each entry once`(policy: EvictionPolicy) {
    var cache = policy.order(capacity: 100)
    var random = SplitMix64(seed: 9)
    for _ in 0..<500 {
      let key = UInt64.random(in: 0..<40, using: &random)
      if let slot = cache.slot(of: key) {
        cache.hit(slot)
      } else {
        _ = cache.insert(key, size: Int.random(in: 1...9, using: &random))
      }
    }
    let count = cache.count
    var gone: [Int32] = []

    for _ in 0..<count {
      cache.evictOne()
      gone += cache.evicted
    }

    #expect(count > 5)
    #expect(gone.count == count && Set(gone).count == count)
    #expect(cache.count == 0 && cache.size == 0)
    // Of an empty cache nothing is evicted.
    cache.evictOne()
    #expect(cache.evicted.isEmpty)
  }
}
