import ImageModel
import Testing

@testable import CachePolicies

@Suite struct `W-TinyLFU` {
  private func fixed(weighsSizes: Bool) -> WTinyLFUReplacement {
    WTinyLFUReplacement(
      windowShare: NaiveWTinyLFU.windowShare, isAdaptive: false, weighsSizes: weighsSizes)
  }

  @Test(arguments: [1, 2, 3, 5, 10, 17, 40])
  func `with a fixed window hits the same requests as a model with arrays`(capacity: Int) {
    var random = SplitMix64(seed: 61)
    var cache = PolicyCache(fixed(weighsSizes: false), capacity: capacity)
    var model = NaiveWTinyLFU(capacity: capacity)
    for step in 0..<6_000 {
      let key = Int.random(in: 0..<1 << Int.random(in: 0...7, using: &random), using: &random)
      let isHit = cache.access(UInt64(key), size: 1)
      let isExpected = model.access(key)
      if isHit != isExpected {
        Issue.record("capacity \(capacity), step \(step)")
        return
      }
    }
    #expect(cache.count == capacity)
  }

  /// Fills a cache of 100 with ten entries of 10, each requested so often.
  private func filled(requests: Int, weighsSizes: Bool) -> PolicyCache<WTinyLFUReplacement> {
    var cache = PolicyCache(
      WTinyLFUReplacement(windowShare: 0.01, isAdaptive: false, weighsSizes: weighsSizes),
      capacity: 100)
    for _ in 0..<requests {
      for key: UInt64 in 0..<10 { _ = cache.access(key, size: 10) }
    }
    return cache
  }

  @Test(arguments: [true, false])
  func `a scan of new keys evicts nothing that was requested more often`(weighsSizes: Bool) {
    var cache = filled(requests: 3, weighsSizes: weighsSizes)
    var evictions = 0

    for key: UInt64 in 100..<120 { _ = cache.access(key, size: 10, evictions: &evictions) }

    #expect(evictions == 0)
    #expect((0..<10).allSatisfy { cache.slot(of: $0) != nil })
  }

  @Test func `a large entry has to be worth all that it evicts where sizes are weighed`() {
    // It would evict five entries that were requested twice each; it was requested four times.
    func isAdmitted(weighsSizes: Bool) -> Bool {
      var cache = filled(requests: 2, weighsSizes: weighsSizes)
      for _ in 0..<4 { _ = cache.access(500, size: 50) }
      return cache.slot(of: 500) != nil
    }

    #expect(!isAdmitted(weighsSizes: true))
    #expect(isAdmitted(weighsSizes: false))
  }

  @Test func `an entry that is requested often enough is admitted in the end`() {
    var cache = filled(requests: 2, weighsSizes: true)
    var attempts = 0

    while attempts < 15, cache.slot(of: 500) == nil {
      _ = cache.access(500, size: 10)
      attempts += 1
    }

    #expect(attempts == 3)
    #expect(cache.size == 100)
  }

  @Test func `an entry larger than the window is compared at once`() {
    var cache = PolicyCache(
      WTinyLFUReplacement(windowShare: 0.1, isAdaptive: false), capacity: 100)
    for key: UInt64 in 0..<10 { _ = cache.access(key, size: 10) }
    for key: UInt64 in 0..<10 { _ = cache.access(key, size: 10) }

    let refused = cache.insert(77, size: 11)
    let held = cache.insert(78, size: 10)

    #expect(refused == nil)
    // One that fits the window waits in it, at the expense of what was in it before.
    #expect(held != nil)
  }
}
