import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import TestSupport

/// Every policy as the disk tier runs it.
@Suite struct `Policies by sample` {
  @Test(arguments: DiskEvictionPolicy.all)
  func `none exceeds its capacity, and all have hits`(policy: DiskEvictionPolicy) {
    func check(_ policy: some SampledPolicy) {
      var random = SplitMix64(seed: 4)
      var cache = SampledCache(policy, capacity: 100_000, refusesNewcomers: false)
      var (hits, evictions, insertions, greatest) = (0, 0, 0, 0)
      for _ in 0..<6_000 {
        let number = UInt64.random(
          in: 0..<UInt64.random(in: 1...600, using: &random), using: &random)
        // One in fifty has another size than before; some do not fit at all.
        let size = number % 50 == 7 ? Int.random(in: 1...110_000, using: &random) : 50 + Int(number)
        if cache.access(SplitMix64.mixed(number), size: size, evictions: &evictions) {
          hits += 1
        } else if size <= 100_000 {
          insertions += 1
        }
        greatest = max(greatest, cache.byteCount)
      }
      #expect(greatest <= 100_000)
      #expect(hits > 1_000, "\(hits)")
      #expect(insertions == evictions + cache.count)
    }
    check(policy.sampled)
  }

  @Test func `a newcomer worth less than its victims is refused until it is requested more often`()
  {
    func requestsUntilHit(_ policy: some SampledPolicy, refusesNewcomers: Bool = true) -> Int {
      var cache = SampledCache(policy, capacity: 1_000, refusesNewcomers: refusesNewcomers)
      for number in 0..<30 as Range<UInt64> {
        _ = cache.access(SplitMix64.mixed(number % 10), size: 100)
      }
      let newcomer = SplitMix64.mixed(99)
      var count = 1
      while !cache.access(newcomer, size: 200) {
        let isIn = cache.count < 10
        #expect(isIn || cache.count == 10 && cache.hasGhost(of: newcomer))
        count += 1
      }
      return count
    }

    // Three requests for 100 bytes are six for 200; the seventh finds it.
    #expect(requestsUntilHit(SampledGDSF()) == 7)
    #expect(requestsUntilHit(SampledGDSF(), refusesNewcomers: false) == 2)
    #expect(requestsUntilHit(SampledLRU()) == 2)
  }

  @Test func `of a goal of bytes saves more of them than of hits, which hits more often`() {
    func outcome(_ policy: DiskEvictionPolicy) -> PolicyReplay.Counts {
      var random = SplitMix64(seed: 12)
      let keys = (0..<60_000).map { _ in
        UInt32.random(in: 0..<UInt32.random(in: 1...2_000, using: &random), using: &random)
      }
      let requests = PolicyReplay.Requests(
        keys: keys, sizes: keys.map { 1 << (6 + Int($0 * 7) % 11) }, countsObjects: false)
      return PolicyReplay.run(.disk(policy), requests, capacity: 1 << 20).rest
    }
    let (hits, bytes) = (outcome(.default), outcome(.bytes))

    #expect(bytes.hitSize > hits.hitSize)
    #expect(bytes.hits < hits.hits)
    #expect(DiskEvictionPolicy("bytes") == .bytes && DiskEvictionPolicy("hits") == .default)
    #expect(EvictionPolicy("bytes") == .bytes && EvictionPolicy("hits") == .lhdTB())
  }

  @Test(arguments: DiskEvictionPolicy.all)
  func `damaged notes and ghosts do no harm`(policy: DiskEvictionPolicy) {
    func check(_ policy: some SampledPolicy) {
      var random = SplitMix64(seed: 21)
      var cache = SampledCache(policy, capacity: 100_000)
      var evictions = 0
      for step in 0..<4_000 {
        let number = UInt64.random(in: 0..<2_000, using: &random)
        _ = cache.access(SplitMix64.mixed(number), size: 200, evictions: &evictions)
        if step % 10 == 0 { cache.damage(&random) }
      }
      #expect(cache.byteCount <= 100_000 && cache.count == 500)
    }
    check(policy.sampled)
  }

  @Test func `GDSF's clock does not go back, and other processes may advance it`() {
    var policy = SampledGDSF(exponent: 1)
    var note = EvictionNote()
    policy.requested(&note, isKnown: false, at: 1, residents: 1)

    policy.evicted(note, byteCount: 10, at: 2)
    #expect(policy.clock == Double(Float(0.1)))
    policy.clock = 5
    policy.evicted(note, byteCount: 10, at: 3)
    #expect(policy.clock == 5)
  }

  @Test func `GDSF evicts the large and seldom requested ones first`() {
    var policy = SampledGDSF()
    func worth(_ requests: Int, _ byteCount: Int) -> Float {
      var note = EvictionNote()
      for _ in 1...requests { policy.requested(&note, isKnown: true, at: 1, residents: 16) }
      return policy.worth(of: note, byteCount: byteCount, at: 100)
    }

    #expect(worth(1, 100) < worth(1, 10))
    #expect(worth(1, 100) < worth(3, 100))
    #expect(worth(10, 100) == worth(1, 10))
    // Without bytes an entry counts as one byte.
    #expect(worth(1, 0) == worth(1, 1))
  }

  @Test func `GDSF takes a credit ahead of its clock as damage`() {
    var policy = SampledGDSF()
    policy.clock = 3
    let damaged = EvictionNote(credit: 1e30, count: 256)
    let nan = EvictionNote(credit: .nan, count: 256)

    #expect(policy.worth(of: damaged, byteCount: 1, at: 1) == 4)
    #expect(policy.worth(of: nan, byteCount: 1, at: 1) == 4)
  }
}

/// The state that LHD-TB passes from one process to the next.
@Suite struct `Snapshots of a policy` {
  private func learned() -> SampledLHD {
    var policy = SampledLHD()
    var random = SplitMix64(seed: 2)
    for now in 1..<50_000 as Range<UInt32> {
      var note = EvictionNote(
        asked: now &- UInt32.random(in: 1...900, using: &random),
        count: UInt16.random(in: 256...3_840, using: &random),
        kind: .random(in: 0..<48, using: &random))
      policy.requested(&note, isKnown: true, at: now, residents: 1_000)
    }
    return policy
  }

  private func worths(_ policy: SampledLHD) -> [Float] {
    (0..<48).flatMap { kind in
      (0..<16).map { policy.worth(of: EvictionNote(kind: kind), byteCount: 1, at: 1 << $0) }
    }
  }

  @Test func `bytes that are not a snapshot change nothing`() {
    let good = learned().snapshot
    var random = SplitMix64(seed: 1)
    var wrong: [[UInt8]] = [
      [], [1, 2, 3], Array(good.dropLast()), good + [0],
      [UInt8](repeating: 0xFF, count: good.count), [UInt8](repeating: 0, count: good.count),
    ]
    wrong.append(good.indices.map { _ in .random(in: 0...255, using: &random) })
    // A count that is not a number, and one below 0.
    for last in [[0, 0, 0xC0, 0x7F], [0, 0, 0x80, 0xBF]] as [[UInt8]] {
      wrong.append(good.dropLast(4) + last)
    }

    for bytes in wrong {
      var policy = SampledLHD()
      let before = worths(policy)
      policy.snapshot = bytes
      #expect(worths(policy) == before)
    }
  }
}

extension SampledCache {
  var count: Int { table.count }

  /// One request, without a count of evictions.
  mutating func access(_ key: UInt64, size: Int) -> Bool {
    var evictions = 0
    return access(key, size: size, evictions: &evictions)
  }

  /// Whether the ghost of a key is in the table.
  func hasGhost(of key: UInt64) -> Bool {
    var table = table
    return table.removeGhost(of: key) != nil
  }

  /// Overwrites the note of a resident, and a ghost, by any bits.
  mutating func damage(_ random: inout SplitMix64) {
    guard count > 0 else { return }
    table[note: Int.random(in: 0..<count, using: &random)] = EvictionNote(
      asked: random.next(), credit: Float(bitPattern: random.next()), count: random.next(),
      kind: random.next())
    table[ghost: Int.random(in: 0..<table.ghostCount, using: &random)] = random.next()
  }
}
