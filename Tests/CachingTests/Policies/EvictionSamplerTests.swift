import Testing

@testable import CachePolicies
@testable import ImageModel

/// A table in arrays; entries are numbered by their keys.
private struct ArrayTable: EvictionTable {
  var entries: [(key: UInt64, byteCount: Int, note: EvictionNote)] = []
  var ghosts = [UInt64](repeating: 0, count: 64)

  var count: Int { entries.count }
  var ghostCount: Int { ghosts.count }
  func key(at index: Int) -> UInt64 { entries[index].key }
  func byteCount(at index: Int) -> Int { entries[index].byteCount }
  subscript(note index: Int) -> EvictionNote {
    get { entries[index].note }
    set { entries[index].note = newValue }
  }
  subscript(ghost index: Int) -> UInt64 {
    get { ghosts[index] }
    set { ghosts[index] = newValue }
  }

  /// Entries of these sizes, requested in order from time 1 on.
  init(byteCounts: [Int]) {
    for (index, size) in byteCounts.enumerated() {
      entries.append(
        (SplitMix64.mixed(UInt64(index)), size, EvictionNote(asked: UInt32(index + 1))))
    }
  }
}

/// What is evicted, and what is remembered of it.
@Suite struct `Eviction by sample` {
  @Test func `among few entries of one size sampled LRU is LRU`() {
    var random = SplitMix64(seed: 3)
    var exact = PolicyCache(LRUReplacement(), capacity: 40_000)
    var sampled = SampledCache(SampledLRU(), capacity: 40_000)
    var hits = 0

    for step in 0..<5_000 {
      let number = UInt64(
        Int.random(in: 0..<Int.random(in: 1...90, using: &random), using: &random))
      let size = 1_000
      var (evictions, sampledEvictions) = (0, 0)
      let isHit = exact.access(number, size: size, evictions: &evictions)
      let isSampledHit = sampled.access(
        SplitMix64.mixed(number), size: size, evictions: &sampledEvictions)
      #expect(isHit == isSampledHit && evictions == sampledEvictions, "step \(step)")
      if isHit { hits += 1 }
    }

    #expect(hits > 1_000 && sampled.count == exact.count && sampled.count <= 64)
  }

  @Test func `a large table evicts old entries, on average from the oldest twenty-fifth`() {
    var table = ArrayTable(byteCounts: Array(repeating: 1, count: 10_000))
    var sampler = EvictionSampler(SampledLRU())
    var evicted: [UInt32] = []

    for now in UInt32(10_001)...10_500 {
      let victims = sampler.victims(freeing: 1, at: now, in: table)
      #expect(victims.count == 1)
      evicted.append(table[note: victims[0]].asked)
      sampler.evict(victims[0], at: now, in: &table)
      let last = table.entries.removeLast()
      if victims[0] < table.count { table.entries[victims[0]] = last }
    }

    // Neighbors have the same age here, so a sample is worth eight.
    let mean = evicted.reduce(0) { $0 + Int($1) } / evicted.count
    #expect(evicted.allSatisfy { $0 < 5_000 })
    #expect(mean < 400)
    #expect(Set(evicted).count == 500)
  }

  @Test func `a protected entry stays, and one evictable among thousands is found`() {
    let table = ArrayTable(byteCounts: Array(repeating: 1, count: 5_000))
    var sampler = EvictionSampler(SampledLRU())

    let only = sampler.victims(freeing: 1, at: 6_000, in: table) { $0 == 2_345 }
    let none = sampler.victims(freeing: 1, at: 6_001, in: table) { _ in false }
    let many = sampler.victims(freeing: 1_000, at: 6_002, in: table)

    #expect(only == [2_345])
    #expect(none.isEmpty)
    #expect(many.count == SampleSize.victimCount)
  }

  @Test func `victims that a larger one makes superfluous stay`() {
    let table = ArrayTable(byteCounts: [10, 20, 500, 30])
    var sampler = EvictionSampler(SampledLRU())

    let victims = sampler.victims(freeing: 400, at: 9, in: table)
    let all = sampler.victims(freeing: 1_000, at: 9, in: table)

    // In LRU order 10, 20 and 500 go; 500 alone suffices.
    #expect(victims == [2])
    #expect(all == [3, 2, 1, 0])
  }

  @Test func `the newest entry is the next victim if it is worth the least`() {
    var cache = SampledCache(SampledGDSF(exponent: 1), capacity: 1_000_000)
    for number in 0..<3_000 as Range<UInt64> {
      _ = cache.access(SplitMix64.mixed(number / 3), size: 900)
    }

    _ = cache.access(1, size: 99_999)
    let count = cache.count
    var evictions = 0
    _ = cache.access(2, size: 50_000, evictions: &evictions)
    let isHit = cache.access(1, size: 99_999)

    #expect(count == 1_001 && evictions == 1)
    #expect(!isHit)
  }

  @Test func `a ghost is found once, by its key alone, with its count and class`() throws {
    var table = ArrayTable(byteCounts: [])
    let key = SplitMix64.mixed(77)
    let note = EvictionNote(asked: 123_456_789, credit: 4, count: 700, kind: 41)

    let replaced = table.remember(key, note, at: 123_456_800)
    let other = table.removeGhost(of: SplitMix64.mixed(78))
    let found = table.removeGhost(of: key)
    let again = table.removeGhost(of: key)

    #expect(replaced == nil && other == nil && again == nil)
    let ghost = try #require(found)
    #expect(ghost.asked == 123_456_789 && ghost.kind == 41)
    #expect(abs(Int(ghost.count) - 700) < 16)
  }

  @Test func `a full set drops the ghost that was requested first, and reports it`() {
    var table = ArrayTable(byteCounts: [])
    table.ghosts = [0, 0, 0, 0]
    let keys = (0..<5).map { UInt64($0 + 1) << 48 }

    let replaced = keys.enumerated().map { index, key in
      table.remember(key, EvictionNote(asked: [30, 10, 20, 40, 50][index]), at: 60)?.asked
    }

    let isFound = keys.map { table.removeGhost(of: $0) != nil }
    #expect(replaced == [nil, nil, nil, nil, 10])
    #expect(isFound == [true, false, true, true, true])
  }

  @Test func `ghosts outlive the growth of a table`() {
    var cache = SampledCache(SampledGDSF(exponent: 1), capacity: 100_000)
    // Known objects of 10,000 bytes leave before the table grows beyond 256 entries of 100 bytes.
    for number in 0..<72 as Range<UInt64> {
      _ = cache.access(SplitMix64.mixed(number % 9), size: 10_000)
    }
    for number in 2_000..<8_000 as Range<UInt64> {
      _ = cache.access(SplitMix64.mixed(number / 2), size: 100)
    }

    #expect(cache.count > 256)
    #expect((0..<9).allSatisfy { cache.hasGhost(of: SplitMix64.mixed(UInt64($0))) })
  }
}
