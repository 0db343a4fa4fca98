import CachePolicies
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Several servers and a tier` {
  private func cache(_ subject: PolicyReplay.Subject, _ capacity: Int, objects: Bool = true)
    -> PolicyReplay.Access
  {
    let cache = PolicyReplay.cache(subject, capacity: capacity)
    return objects ? { cache($0, 1, &$2) } : cache
  }

  private func capacity(_ text: String) throws -> SimulatedCapacity {
    try #require(SimulatedCapacity(text) { Int($0) })
  }

  /// Replays keys on servers that are named one by one.
  private func replay(
    _ keys: [UInt32], sizes: [Int]? = nil, on servers: [Int], _ caches: FleetReplay, warmUp: Int = 0
  ) -> (caches: SimulationCounts, fleet: FleetCounts) {
    var turns = servers.makeIterator()
    return caches.run(
      keys: keys, sizes: sizes ?? keys.map { _ in 1 }, warmUp: warmUp,
      choosing: { _ in turns.next() ?? 0 })
  }

  private func random(
    _ count: Int, objects: Int, seed: UInt64, changesSizes: Bool = false
  ) -> CacheTrace {
    var random = SplitMix64(seed: seed)
    var builder = TraceBuilder(name: "random", sampleRate: 1)
    for _ in 0..<count {
      let key = Int.random(in: 0..<Int.random(in: 1...objects, using: &random), using: &random)
      let size = changesSizes ? Int.random(in: 1...40, using: &random) : 1 + key * 7 % 40
      builder.add(number: UInt64(key), size: size)
    }
    return builder.finished()
  }

  // MARK: By hand

  @Test func `two servers of one object each, and a tier of two`() {
    // a b c are 0 1 2. Each server holds one object, the tier the two used last.
    //
    // | request | server | its cache | tier before | tier | tier after |
    // |---------|--------|-----------|-------------|------|------------|
    // | a       | 0      | miss      |             | miss | a          |
    // | a       | 1      | miss      | a           | hit  | a          |
    // | a       | 0      | hit       |             |      | a          |
    // | b       | 0      | miss      | a           | miss | a b        |
    // | b       | 1      | miss      | a b         | hit  | a b        |
    // | c       | 1      | miss      | a b         | miss | b c        |
    // | b       | 0      | hit       |             |      | b c        |
    // | a       | 0      | miss      | b c         | miss | c a        |
    // | c       | 1      | hit       |             |      | c a        |
    // | c       | 0      | miss      | c a         | hit  | a c        |
    //
    // Server 0 has seen a a b b a c and evicted a, b and a; server 1 a b c c and evicted a and b.
    // The tier evicted a for c and b for a.
    let (caches, fleet) = replay(
      [0, 0, 0, 1, 1, 2, 1, 0, 2, 2], sizes: [10, 10, 10, 200, 200, 3_000, 200, 10, 3_000, 3_000],
      on: [0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
      FleetReplay(
        servers: [cache(.policy(.lru), 1), cache(.policy(.lru), 1)],
        tier: cache(.policy(.lru), 2)),
      warmUp: 5)

    #expect(caches.hits == 3 && caches.warmHits == 2)
    #expect(caches.hitByteCount == 10 + 200 + 3_000)
    #expect(caches.evictions == 5)
    #expect(fleet.requestsByServer == [6, 4])
    #expect(fleet.missCount == 7)
    #expect(fleet.missByteCount == 10 + 10 + 200 + 200 + 3_000 + 10 + 3_000)
    #expect(fleet.tierHits == 3)
    #expect(fleet.tierHitByteCount == 10 + 200 + 3_000)
    #expect(fleet.tierEvictions == 2)
    #expect(fleet.originRequestCount == 4)
    #expect(fleet.originByteCount == 10 + 200 + 3_000 + 10)
  }

  @Test func `ratios are of all requests, but of the tier's those it received`() throws {
    // One server of one object: a b a b misses always; a tier of two has a and b the second time.
    let trace = CacheTrace(name: "t", keys: [0, 1, 0, 1], sizes: [100, 300, 100, 300])
    let tier = try #require(Fleet.Tier(capacity: capacity("2obj")))
    let fleet = try #require(Fleet(tier: tier))

    let result = try #require(
      Simulation(trace: trace, policy: .online(.lru), capacity: capacity("1obj"), fleet: fleet)?
        .run { 0 })

    #expect(result.hitRatio == 0 && result.byteHitRatio == 0)
    #expect(result.tierHitRatio == 0.5 && result.tierByteHitRatio == 0.5)
    #expect(result.overallHitRatio == 0.5 && result.overallByteHitRatio == 0.5)
    #expect(result.originShare == 0.5 && result.originByteShare == 0.5)
    #expect(result.busiestShare == 1)
  }

  // MARK: Of any trace

  @Test(
    arguments: SimulatedPolicy.names.compactMap(SimulatedPolicy.init).filter { !$0.needsFuture }
  )
  func `one server without a tier is a single cache`(_ policy: SimulatedPolicy) throws {
    let fleet = try #require(Fleet())
    for seed in 1...2 as ClosedRange<UInt64> {
      let trace = random(1_000, objects: 150, seed: seed, changesSizes: seed == 2)
      for text in ["25obj", "700", "10%", "0", "1000%"] {
        let single = Simulation(trace: trace, policy: policy, capacity: try capacity(text))
          .run { 0 }
        let served = Simulation(
          trace: trace, policy: policy, capacity: try capacity(text), fleet: fleet)?.run { 0 }

        #expect(served?.counts == single?.counts, "\(policy), \(text)")
        #expect(served?.originShare == single.map { 1 - $0.hitRatio })
        #expect(served?.tierHitRatio == nil && single?.originShare == nil)
      }
    }
  }

  @Test(arguments: ServerChoice.allCases, ["inf", "1000%,lru"])
  func `with a tier that has room for all, the origin sends each object once`(
    _ choice: ServerChoice, _ tier: String
  ) throws {
    let parts = tier.split(separator: ",").map(String.init)
    let policy = try #require(SimulatedPolicy(parts[parts.count - 1]))
    let room = try capacity(parts.count > 1 ? parts[0] : "1")
    let shared = try #require(Fleet.Tier(capacity: room, policy: policy))
    for seed in 1...3 as ClosedRange<UInt64> {
      let trace = random(3_000, objects: 300, seed: seed)
      let fleet = try #require(Fleet(serverCount: 5, choice: choice, tier: shared))

      let result = try #require(
        Simulation(
          trace: trace, policy: .online(.gdsfTB()), capacity: try capacity("2%"), fleet: fleet)?
          .run { 0 })

      #expect(result.fleetCounts?.originRequestCount == trace.facts.objectCount)
      #expect(result.fleetCounts?.originByteCount == trace.facts.footprint)
      #expect(result.fleetCounts?.tierEvictions == 0)
    }
  }
}

@Suite struct `The server of a request` {
  private static let keyCount: UInt32 = 50_000

  private func shares(_ choice: ServerChoice, servers: Int) -> [Double] {
    var chooser = ServerChooser(choice, serverCount: servers)
    var counts = [Int](repeating: 0, count: servers)
    for key in 0..<Self.keyCount { counts[chooser.server(for: key)] += 1 }
    return counts.map { Double($0) * Double(servers) / Double(Self.keyCount) }
  }

  @Test(arguments: [1, 2, 3, 4, 10, 24, 64])
  func `a ring gives each server a share of the keys within a third of the mean`(_ servers: Int) {
    // 160 points: a standard deviation of 1 in the root of 160, 8 % of the mean; four of them.
    let shares = shares(.consistent, servers: servers)
    let variance = shares.reduce(0) { $0 + ($1 - 1) * ($1 - 1) } / Double(servers)

    #expect(shares.allSatisfy { abs($0 - 1) < 0.32 }, "\(shares)")
    #expect(variance.squareRoot() < 0.12)
  }

  @Test func `without hashing a server does not depend on the key, and results repeat`() {
    var first = ServerChooser(.none, serverCount: 3)
    var second = ServerChooser(.none, serverCount: 3)
    // Three keys in turn: taking turns would always bring a key to the same server.
    let keys = (0..<300).map { UInt32($0 % 3) }
    let chosen = keys.map { first.server(for: $0) }

    #expect(chosen == keys.reversed().map { second.server(for: $0) })
    for key in 0..<3 as Range<UInt32> {
      #expect(Set(zip(keys, chosen).filter { $0.0 == key }.map(\.1)) == [0, 1, 2])
    }
  }

  @Test func `a server that is lost moves its own keys only, to all others`() {
    let all = ConsistentHash(serverCount: 10)
    for lost in [0, 4, 9] {
      let rest = ConsistentHash(servers: (0..<10).filter { $0 != lost })
      var moved = 0
      var heirs: Set<Int> = []
      for key in 0..<Self.keyCount {
        let (before, after) = (all.server(for: key), rest.server(for: key))
        if before == lost {
          moved += 1
          heirs.insert(after)
        } else if before != after {
          Issue.record("key \(key) moved from \(before) to \(after) when \(lost) was lost")
        }
      }
      let share = Double(moved) / Double(Self.keyCount)

      #expect((0.068...0.132).contains(share), "\(lost): \(share)")
      #expect(heirs.count == 9 && !heirs.contains(lost))
    }
  }
}
