import ImageModel
import Testing

@testable import CachePolicies

/// Queues and segments as the disk tier estimates them from notes.
@Suite struct `Queues by sample` {
  private func table(_ notes: [EvictionNote], byteCounts: [Int]? = nil)
    -> SampledCache<SampledLRU>.Table
  {
    var table = SampledCache<SampledLRU>.Table(ghosts: [UInt64](repeating: 0, count: 2_048))
    for (index, note) in notes.enumerated() {
      table.entries.append(
        .init(key: SplitMix64.mixed(UInt64(index)), byteCount: byteCounts?[index] ?? 1, note: note))
    }
    return table
  }

  /// The index that a policy of few residents evicts.
  private func victim<Policy: SampledPolicy>(_ cache: inout SampledCache<Policy>) -> Set<UInt64> {
    let before = Set(cache.table.entries.map(\.key))
    var evictions = 0
    _ = cache.access(.max, size: 1, evictions: &evictions)
    return before.subtracting(cache.table.entries.map(\.key))
  }

  private func filled<Policy: SampledPolicy>(
    _ policy: Policy, _ keys: [UInt64]
  ) -> SampledCache<Policy> {
    var cache = SampledCache(policy, capacity: Set(keys).count)
    var evictions = 0
    for key in keys { _ = cache.access(key, size: 1, evictions: &evictions) }
    return cache
  }

  @Test func `SIEVE evicts the oldest that was not requested again`() {
    var cache = filled(SampledSIEVE(), [1, 2, 3, 4, 1, 2])
    #expect(victim(&cache) == [3])
  }

  @Test func `SIEVE evicts the oldest where all were requested again`() {
    var cache = filled(SampledSIEVE(), [1, 2, 3, 3, 2, 1])
    #expect(victim(&cache) == [1])
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `SIEVE hits about as often as the exact one`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var cache = SampledCache(SampledSIEVE(), capacity: 40)
    var naive = NaiveSIEVE(capacity: 40)
    var (hits, expected, evictions) = (0, 0, 0)
    for _ in 0..<6_000 {
      let key = Int.random(in: 0..<1 << Int.random(in: 0...8, using: &random), using: &random)
      if cache.access(SplitMix64.mixed(UInt64(key)), size: 1, evictions: &evictions) { hits += 1 }
      if naive.access(key) { expected += 1 }
    }
    #expect(abs(hits - expected) < 120, "seed \(seed): \(hits) and \(expected)")
  }

  @Test func `S3-FIFO evicts from the small queue what was not requested twice`() {
    var cache = filled(SampledS3FIFO(), [1, 2, 3, 2, 2, 2, 3])
    #expect(victim(&cache) == [1])
    // One more request is not enough to leave the small queue, two are.
    var other = filled(SampledS3FIFO(), [1, 2, 3, 1, 1, 2])
    #expect(victim(&other) == [2])
  }

  @Test func `ARC evicts what was requested once before what was requested again`() {
    var cache = filled(SampledARC(), [1, 2, 3, 1, 2])
    // The share of recent entries is learned with every 32nd request.
    var evictions = 0
    for _ in 0..<64 { _ = cache.access(1, size: 1, evictions: &evictions) }
    #expect(victim(&cache) == [3])
  }

  @Test func `SLRU evicts the oldest of those requested once`() {
    var cache = filled(SampledSLRU(), [1, 2, 3, 4, 1])
    #expect(victim(&cache) == [2])
  }

  @Test func `SLRU takes a protected entry that is too old for one on probation`() {
    var policy = SampledSLRU()
    let notes = (0..<10).map { EvictionNote(asked: UInt32(100 - 10 * $0), kind: 1) }
    policy.learn(from: table(notes), at: 100)

    let worths = notes.map { policy.worth(of: $0, byteCount: 1, at: 100) }

    // Eight of ten bytes are protected: the ages 0 through 70, and the one that reaches beyond.
    #expect(worths.prefix(9).allSatisfy { $0 == 1 })
    #expect(worths[9] < 0)
    #expect(worths[9] > policy.worth(of: EvictionNote(asked: 10), byteCount: 1, at: 100))
  }

  @Test func `GDSF evicts the large and seldom requested ones first`() {
    var policy = SampledGDSF()
    func worth(_ requests: Int, _ byteCount: Int) -> Float {
      var note = EvictionNote()
      for now in 1...requests {
        policy.requested(&note, .resident, byteCount: byteCount, at: UInt32(now), residents: 1)
      }
      return policy.worth(of: note, byteCount: byteCount, at: 100)
    }

    #expect(worth(1, 100) < worth(1, 10))
    #expect(worth(1, 100) < worth(3, 100))
    #expect(worth(10, 100) == worth(1, 10))
    // Without bytes an entry counts as one byte.
    #expect(worth(1, 0) == worth(1, 1))
  }

  @Test func `GDSF does not count beyond the bits of a note`() {
    var policy = SampledGDSF()
    var note = EvictionNote(count: .max)

    policy.requested(&note, .resident, byteCount: 1, at: 5, residents: 1)

    #expect(note.count == .max && note.asked == 5)
  }

  @Test func `GDSF takes a credit ahead of its clock as damage`() {
    var policy = SampledGDSF()
    policy.clock = 3
    let damaged = EvictionNote(credit: 1e30, count: 1)
    let nan = EvictionNote(credit: .nan, count: 1)

    #expect(policy.worth(of: damaged, byteCount: 1, at: 1) == 4)
    #expect(policy.worth(of: nan, byteCount: 1, at: 1) == 4)
  }

  // MARK: Samples of a table

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `a sample of few residents has their exact shares and ages`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let now = UInt32.random(in: 1_000 ... .max, using: &random)
    let count = Int.random(in: 1...128, using: &random)
    let notes = (0..<count).map { _ in
      EvictionNote(
        asked: now &- UInt32.random(in: 0...2_000, using: &random), kind: UInt8(random.next() % 3))
    }
    let sizes = notes.map { _ in Int.random(in: 1...500, using: &random) }

    let sample = TableSample(of: table(notes, byteCounts: sizes), at: now)

    let total = sizes.reduce(0, +)
    for kind in 0...3 as ClosedRange<UInt8> {
      let those = zip(notes, sizes).filter { $0.0.kind == kind }
      let bytes = those.reduce(0) { $0 + $1.1 }
      #expect(abs(sample.share(of: kind) - Double(bytes) / Double(total)) < 1e-9, "seed \(seed)")
      for share in [0, 0.1, 0.5, 0.9] {
        let age = sample.age(of: kind, share: share)
        // Younger ones have at most the share; with those of this age they have more, if any.
        let younger = those.filter { $0.0.age(at: now) < age }.reduce(0) { $0 + $1.1 }
        let upTo = those.filter { $0.0.age(at: now) <= age }.reduce(0) { $0 + $1.1 }
        #expect(Double(younger) <= share * Double(total) + 1e-6, "seed \(seed), share \(share)")
        #expect(
          age == .max || Double(upTo) > share * Double(total) - 1e-6, "seed \(seed), \(share)")
      }
    }
  }

  @Test func `a sample of no residents has no shares`() {
    let sample = TableSample(of: table([]), at: 7)

    #expect(sample.share(of: 0) == 0)
    #expect(sample.age(of: 0, share: 0.5) == .max)
  }

  @Test func `a sample of many residents is close to their shares`() {
    let notes = (0..<10_000).map { EvictionNote(asked: 0, kind: $0 % 4 == 0 ? 1 : 0) }
    var random = SplitMix64(seed: 3)
    let sample = TableSample(of: table(notes.shuffled(using: &random)), at: 12_345)

    #expect(abs(sample.share(of: 1) - 0.25) < 0.12)
  }
}
