import ImageModel
import Testing

@testable import CachePolicies

@Suite struct `An entry in memory that grows` {
  @Test func `is stored, and evicts others, also where it was used least recently`() {
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = 100
    configuration.policy = .lru
    let cache = MemoryCache<Int>(configuration)
    let keys = (0..<3).map { MemoryKey($0) }
    for (number, byteCount) in [30, 35, 35].enumerated() {
      cache.insert(number, for: keys[number], byteCount: byteCount)
    }

    let isStored = cache.insert(9, for: keys[0], byteCount: 50)

    #expect(isStored)
    #expect(cache.value(for: keys[0]) == 9)
    #expect(cache.value(for: keys[1]) == nil && cache.value(for: keys[2]) == 2)
    #expect(cache.byteCount == 85)
  }
}
