import Testing

@testable import CachePolicies

@Suite struct `W-TinyLFU` {
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
}
