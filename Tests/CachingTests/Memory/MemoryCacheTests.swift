import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `Memory tier` {
  private func key(_ number: Int) -> MemoryKey { MemoryKey(number) }

  private func cache(
    _ byteCount: Int, count: Int = .max, policy: EvictionPolicy = .lru, share: Double = 1,
    lifetime: Duration? = nil, clock: ManualNanoseconds = ManualNanoseconds()
  ) -> MemoryCache<Int> {
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = byteCount
    configuration.maximumCount = count
    configuration.maximumEntryShare = share
    configuration.policy = policy
    configuration.lifetime = lifetime
    configuration.clock = { clock.now }
    return MemoryCache(configuration)
  }

  private func kept(_ cache: MemoryCache<Int>, _ numbers: some Sequence<Int>) -> [Int] {
    numbers.filter { cache.value(for: key($0)) != nil }
  }

  @Test func `an entry's own lifetime precedes the tier's`() {
    let clock = ManualNanoseconds()
    let cache = cache(100, lifetime: .seconds(5), clock: clock)
    cache.insert(1, for: key(1), byteCount: 1, lifetime: .seconds(60))
    cache.insert(2, for: key(2), byteCount: 1, lifetime: .seconds(1))
    cache.insert(3, for: key(3), byteCount: 1)

    clock.advance(by: .seconds(2))
    #expect(kept(cache, 1...3) == [1, 3])
    clock.advance(by: .seconds(3))

    // At its end an entry is a miss and frees its bytes.
    #expect(kept(cache, 1...3) == [1] && cache.byteCount == 1)
  }

  @Test(arguments: EvictionPolicy.all)
  func `ten thousand operations on five threads keep it consistent`(policy: EvictionPolicy)
    throws
  {
    let cache = cache(5_000, count: 400, policy: policy)

    let threads = try (0..<5).map { seed in
      try OSThread(name: "mix") {
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<2_000 {
          let number = Int(random.next() % 700)
          switch random.next() % 10 {
          case 0: cache.remove(MemoryKey(number))
          case 1..<5:
            cache.insert(number, for: MemoryKey(number), byteCount: Int(random.next() % 40))
          default:
            if let value = cache.value(for: MemoryKey(number)) { precondition(value == number) }
          }
        }
      }
    }
    for thread in threads { thread.join() }

    #expect(cache.byteCount <= 5_000)
    #expect(cache.count <= 400)
    #expect(kept(cache, 0..<700).count == cache.count)
    cache.removeAll()
    #expect(cache.byteCount == 0)
    #expect(kept(cache, 0..<700).isEmpty)
  }

  @Test(arguments: [EvictionPolicy.sieve, .s3FIFO, .arc, .slru, .wTinyLFU])
  func `a scan of ten times the capacity leaves entries that were read twice`(
    policy: EvictionPolicy
  ) {
    let cache = cache(1_000, policy: policy)
    for number in 0..<50 { cache.insert(number, for: key(number), byteCount: 10) }
    for _ in 0..<2 {
      for number in 0..<50 { _ = cache.value(for: key(number)) }
    }

    for number in 1_000..<2_000 { cache.insert(number, for: key(number), byteCount: 10) }

    #expect(kept(cache, 0..<50).count >= 45)
  }

  @Test(arguments: EvictionPolicy.all)
  func `a bitmap of 8 MB fits a tier of 64 MB`(policy: EvictionPolicy) {
    let cache = cache(64 << 20, policy: policy, share: 0.5)
    for number in 0..<60 { cache.insert(number, for: key(number), byteCount: 1 << 20) }

    // A policy that admits by frequency may need several accesses.
    let isKept = (0..<4).contains { _ in cache.insert(99, for: key(99), byteCount: 8 << 20) }

    #expect(isKept)
    #expect(cache.value(for: key(99)) == 99)
    #expect(cache.byteCount <= 64 << 20)
  }

  @Test(arguments: [1, 4, 32])
  func `hits of several threads at once are all counted, and so are misses`(shards: Int) throws {
    var configuration = MemoryCacheConfiguration()
    configuration.shardCount = shards
    let cache = MemoryCache<Int>(configuration)
    for number in 0..<100 { cache.insert(number, for: key(number), byteCount: 10) }

    let threads = try (0..<6).map { thread in
      try OSThread(name: "hits") {
        for round in 0..<1_000 {
          let number = (round + thread * 17) % 150
          precondition(cache.value(for: MemoryKey(number)) == (number < 100 ? number : nil))
        }
      }
    }
    for thread in threads { thread.join() }

    let expected = (0..<6).map { thread in
      (0..<1_000).filter { ($0 + thread * 17) % 150 < 100 }.count
    }.reduce(0, +)
    #expect(cache.statistics.hitCount == expected)
    #expect(cache.statistics.missCount == 6_000 - expected)
  }

  @Test func `accesses of other threads count before anything is evicted`() throws {
    let cache = cache(1000)
    for number in 0..<100 { cache.insert(number, for: key(number), byteCount: 10) }
    // Consecutively, each with less than a batch of hits: full batches are processed at once.
    for start in [98, 48] {
      let thread = try OSThread(name: "hits") {
        for number in stride(from: start, through: start - 48, by: -2) {
          _ = cache.value(for: MemoryKey(number))
        }
      }
      thread.join()
    }

    cache.setMaximumByteCount(300)

    #expect(kept(cache, 0..<100) == Array(stride(from: 0, to: 60, by: 2)))
  }

  @Test func `evicted values are released`() {
    final class Witness: Sendable {}
    weak var replaced: Witness?
    weak var evicted: Witness?
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = 10
    configuration.maximumEntryShare = 1
    let cache = MemoryCache<Witness>(configuration)
    do {
      let (first, second) = (Witness(), Witness())
      (replaced, evicted) = (first, second)
      cache.insert(first, for: key(1), byteCount: 5)
      cache.insert(second, for: key(2), byteCount: 5)
      cache.insert(Witness(), for: key(1), byteCount: 5)
      cache.insert(Witness(), for: key(3), byteCount: 5)
    }

    #expect(replaced == nil)
    #expect(evicted == nil)
    #expect(cache.count == 2)
    weak var last: Witness?
    do {
      let cache = MemoryCache<Witness>(configuration)
      let witness = Witness()
      last = witness
      cache.insert(witness, for: key(1), byteCount: 5)
    }
    #expect(last == nil)
  }
}
