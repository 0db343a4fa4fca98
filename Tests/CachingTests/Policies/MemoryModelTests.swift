import ImageModel
import Testing

@testable import CachePolicies

/// The memory tier under LRU against an array: overwriting, refusals, limits, recency and expiry.
@Suite struct `The memory tier against a model` {
  private struct Model {
    struct Entry {
      let key: Int
      var value: Int
      var byteCount: Int
      var ends: UInt64?
    }

    var entries: [Entry] = []  // the least recently used first
    var maximumByteCount: Int
    var maximumCount: Int
    var statistics = MemoryStatistics()
    var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

    mutating func evict(for newcomer: Int = 0, count: Int = 0) {
      while byteCount + newcomer > maximumByteCount || entries.count + count > maximumCount {
        entries.removeFirst()
        statistics.evictionCount += 1
      }
    }

    mutating func insert(_ value: Int, _ key: Int, _ byteCount: Int, ends: UInt64?) -> Bool {
      let at = entries.firstIndex { $0.key == key }
      guard maximumByteCount > 0, maximumCount > 0, 2 * byteCount <= maximumByteCount else {
        if let at { entries.remove(at: at) }
        return false
      }
      if let at {
        entries.remove(at: at)
      } else {
        evict(for: byteCount)
      }
      entries.append(Entry(key: key, value: value, byteCount: byteCount, ends: ends))
      evict()
      return true
    }

    mutating func value(of key: Int, at now: UInt64) -> Int? {
      guard let at = entries.firstIndex(where: { $0.key == key }) else {
        statistics.missCount += 1
        return nil
      }
      let entry = entries.remove(at: at)
      if let ends = entry.ends, ends <= now {
        statistics.missCount += 1
        return nil
      }
      statistics.hitCount += 1
      entries.append(entry)
      return entry.value
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `has the same values, sizes and counts after each operation`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let time = Locked<UInt64>(1)
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = 1_000
    configuration.maximumCount = 12
    configuration.policy = .lru
    configuration.shardCount = 1 << Int(seed % 4)
    configuration.clock = { time.withLock { $0 } }
    let cache = MemoryCache<Int>(configuration)
    var model = Model(maximumByteCount: 1_000, maximumCount: 12)
    let keys = (0..<30).map { MemoryKey($0) }

    for step in 0..<3_000 {
      let key = Int.random(in: 0..<Int.random(in: 1...30, using: &random), using: &random)
      switch random.next() % 16 {
      case 0...5:
        // A known entry keeps its size or shrinks.
        let known = model.entries.first { $0.key == key }?.byteCount
        let byteCount = Int.random(in: 0...(known ?? 600), using: &random)
        let lifetime: Int? = random.next() % 4 == 0 ? Int.random(in: 0...40, using: &random) : nil
        let ends = lifetime.map { time.withLock { $0 } + UInt64($0) }
        let isStored = cache.insert(
          step, for: keys[key], byteCount: byteCount,
          lifetime: lifetime.map { .nanoseconds($0) })
        let isExpected = model.insert(step, key, byteCount, ends: ends)
        #expect(isStored == isExpected, "seed \(seed), step \(step)")
      case 6:
        cache.remove(keys[key])
        model.entries.removeAll { $0.key == key }
      case 7:
        let removed = cache.removeAll { $0 % 7 == 0 }
        let count = model.entries.count
        model.entries.removeAll { $0.value % 7 == 0 }
        #expect(removed == count - model.entries.count, "seed \(seed), step \(step)")
      case 8 where step % 5 == 0:
        model.maximumByteCount = Int.random(in: 0...1_500, using: &random)
        cache.setMaximumByteCount(model.maximumByteCount)
        model.evict()
      case 10: time.withLock { $0 += random.next() % 10 }
      default:
        let value = cache.value(for: keys[key])
        let expected = model.value(of: key, at: time.withLock { $0 })
        #expect(value == expected, "seed \(seed), step \(step)")
        if value != expected { return }
      }
      #expect(cache.count == model.entries.count, "seed \(seed), step \(step)")
      #expect(cache.byteCount == model.byteCount, "seed \(seed), step \(step)")
      if cache.count != model.entries.count { return }
    }
    #expect(cache.statistics == model.statistics, "seed \(seed)")
  }

  @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(-1)])
  func `an entry whose lifetime is over is stored and then a miss`(lifetime: Duration) {
    let cache = MemoryCache<Int>()
    let key = MemoryKey(1)

    #expect(cache.insert(1, for: key, byteCount: 5, lifetime: lifetime))
    #expect(cache.count == 1)
    #expect(cache.value(for: key) == nil)
    #expect(cache.count == 0 && cache.byteCount == 0)
    #expect(cache.statistics.missCount == 1 && cache.statistics.evictionCount == 0)
  }
}

/// The eviction order of the memory tier, without values.
@Suite struct `The order of the memory tier` {
  private func configuration(_ policy: EvictionPolicy) -> MemoryCacheConfiguration {
    var configuration = MemoryCacheConfiguration()
    configuration.policy = policy
    configuration.maximumByteCount = 500
    configuration.maximumCount = 20
    return configuration
  }

  /// A key with given halves; the type has none but hashes.
  private func key(_ high: UInt64, _ low: UInt64) -> MemoryKey {
    unsafeBitCast((high, low), to: MemoryKey.self)
  }

  @Test(arguments: EvictionPolicy.all)
  func `reports each key that leaves, so that its values are those of the order`(
    policy: EvictionPolicy
  ) {
    for seed in 1...4 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      var order = MemoryOrder(configuration(policy))
      var held: [MemoryKey: (byteCount: Int, slot: Int32)] = [:]
      for step in 0..<1_500 {
        // Of three keys each, two share their lower half.
        let number = random.next() % 45
        let key = key(number, number / 3 * 2)
        switch random.next() % 10 {
        case 0...4:
          let byteCount = Int.random(in: 0...120, using: &random)
          let slot = order.insert(key, byteCount: byteCount)
          for gone in order.drainEvicted() { held[gone] = nil }
          held[key] = slot.map { (byteCount, $0) }
        case 5:
          order.remove(key)
          for gone in order.drainEvicted() { held[gone] = nil }
          #expect(held[key] == nil, "\(policy), seed \(seed), step \(step)")
        case 6 where step % 20 == 0:
          order.setMaximumByteCount(Int.random(in: 100...600, using: &random))
          for gone in order.drainEvicted() { held[gone] = nil }
        default: if let slot = held[key]?.slot { order.hit(slot, key) }
        }
        let byteCount = held.values.reduce(0) { $0 + $1.byteCount }
        #expect(order.count == held.count, "\(policy), seed \(seed), step \(step)")
        #expect(order.byteCount == byteCount, "\(policy), seed \(seed), step \(step)")
        #expect(Set(held.values.map(\.slot)).count == held.count, "\(policy), seed \(seed)")
        if order.count != held.count { return }
      }
    }
  }

  @Test(arguments: EvictionPolicy.all)
  func `has one of two keys that share a half`(policy: EvictionPolicy) throws {
    var order = MemoryOrder(configuration(policy))
    let (first, second) = (key(1, 7), key(2, 7))
    let inserted = order.insert(first, byteCount: 10)
    let slot = try #require(inserted)

    _ = order.insert(second, byteCount: 20)

    #expect(order.drainEvicted() == [first])
    #expect(order.count == 1 && order.byteCount == 20)
    // A late hit and a removal of the former key change nothing.
    order.hit(slot, first)
    order.remove(first)
    #expect(order.count == 1 && order.drainEvicted() == [])
    #expect(order.evictionCount == 0)
  }

  @Test(
    arguments: [
      (-1, 0), (0, 0), (0.2, 100), (1, 500), (7, 500), (-.infinity, 0),
    ] as [(Double, Int)])
  func `takes a share outside of 0 through 1 as the nearest`(share: Double, greatest: Int) {
    var configuration = configuration(.lru)
    configuration.maximumEntryShare = share
    var order = MemoryOrder(configuration)

    #expect(order.insert(key(1, 1), byteCount: greatest) != nil)
    #expect(order.insert(key(2, 2), byteCount: greatest + 1) == nil)
    #expect(order.insert(key(3, 3), byteCount: -50) != nil)
    #expect(order.byteCount == greatest)
  }
}
