import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import TestSupport

/// LHD-TB on all small cases, and on known weaknesses of other policies.
@Suite struct `LHD-TB` {
  private func hits(_ policy: EvictionPolicy, keys: [UInt32], sizes: [Int], capacity: Int)
    -> Int
  {
    PolicyReplay.run(
      .policy(policy),
      PolicyReplay.Requests(keys: keys, sizes: sizes, countsObjects: false), capacity: capacity
    ).rest.hits
  }

  @Test func `on all short sequences no false hit occurs and the capacity holds`() {
    let sizes = [1, 1, 2, 4]
    for capacity in 1...6 {
      var caches = [(PolicyCache(LHDTBReplacement(), capacity: capacity), Set<UInt64>())]
      for depth in 1...6 {
        var next: [(PolicyCache<LHDTBReplacement>, Set<UInt64>)] = []
        for (cache, seen) in caches {
          for key in 0..<4 as Range<UInt64> {
            var (cache, seen) = (cache, seen)
            let wasThere = cache.slot(of: key) != nil
            let isHit = cache.access(key, size: sizes[Int(key)])
            #expect(isHit == wasThere, "capacity \(capacity), request \(depth)")
            #expect(!isHit || seen.contains(key), "capacity \(capacity), request \(depth)")
            #expect(cache.size <= capacity)
            #expect(
              cache.size
                == (0..<4).reduce(0) { $0 + (cache.slot(of: $1) == nil ? 0 : sizes[Int($1)]) })
            seen.insert(key)
            next.append((cache, seen))
          }
        }
        caches = next
      }
    }
  }

  @Test func `the same requests give the same hits`() {
    var random = SplitMix64(seed: 5)
    let keys = (0..<30_000).map { _ in
      UInt32.random(in: 0..<1 << UInt32.random(in: 1...12, using: &random), using: &random)
    }
    let sizes = keys.map { Int($0 % 97) + 1 }

    let counts = (0..<2).map { _ in
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 2_000)
    }

    #expect(counts[0] == counts[1])
  }

  @Test func `a loop larger than the cache keeps part of itself cached`() {
    let keys = (0..<60_000).map { UInt32($0 % 1_000) }
    let sizes = [Int](repeating: 1, count: keys.count)

    let (lru, ours) = (
      hits(.lru, keys: keys, sizes: sizes, capacity: 500),
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 500)
    )

    #expect(lru == 0)
    // Half of it fits.
    #expect(Double(ours) > 0.4 * Double(keys.count))
  }

  @Test func `a scan does not evict frequent entries`() {
    var random = SplitMix64(seed: 9)
    var keys: [UInt32] = []
    for round in 0..<200 as Range<UInt32> {
      for _ in 0..<200 { keys.append(UInt32.random(in: 0..<100, using: &random)) }
      for key in 0..<300 as Range<UInt32> { keys.append(1_000 + round * 300 + key) }
    }
    let sizes = [Int](repeating: 1, count: keys.count)

    let (lru, ours) = (
      hits(.lru, keys: keys, sizes: sizes, capacity: 110),
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 110)
    )

    // 40,000 requests are for the hundred.
    #expect(ours > 38_000)
    #expect(ours > lru * 5 / 4)
  }

  @Test
  func `when the hot set changes completely it is less than 0.3 points of requests behind LRU`() {
    var random = SplitMix64(seed: 4)
    var keys: [UInt32] = []
    for phase in 0..<4 as Range<UInt32> {
      for _ in 0..<20_000 {
        keys.append(phase * 1_000 + UInt32.random(in: 0..<200, using: &random))
      }
    }
    let sizes = [Int](repeating: 10, count: keys.count)

    let (lru, ours) = (
      hits(.lru, keys: keys, sizes: sizes, capacity: 1_000),
      hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: 1_000)
    )

    #expect(ours > lru - keys.count * 3 / 1_000)
  }

  @Test func `where one entry fills the cache it evicts as LRU does`() {
    let keys = (0..<3_000).map { UInt32([0, 0, 1, 1, 2, 2, 0, 1][$0 % 8]) }
    let sizes = [Int](repeating: 1, count: keys.count)

    for capacity in 1...3 {
      #expect(
        hits(.lhdTB(exponent: 1), keys: keys, sizes: sizes, capacity: capacity)
          == hits(.lru, keys: keys, sizes: sizes, capacity: capacity))
    }
  }
}

/// LHD-TB on recorded traces.
@Suite(.needsFixtures) struct `LHD-TB on recorded traces` {
  @Test(arguments: ["nasa-0801-img", "nasa-0801", "imgday-client", "bu98"])
  func `it is ahead of LRU on every trace and of GDSF-TB on average`(_ name: String) throws {
    let trace = try RecordedTrace(name)
    let table = try #require(trace.expected.byte)
    var ahead = 0

    for capacity in table.keys.compactMap({ Int($0) }).sorted() {
      let expected = try #require(table["\(capacity)"])
      let hits = PolicyReplay.run(
        .policy(.lhdTB(exponent: 1)), trace.requests, capacity: capacity
      ).rest.hits
      #expect(hits > (try #require(expected["lru"])).hits, "\(name) at \(capacity)")
      #expect(hits <= (try #require(expected["pfool"])).hits, "\(name) at \(capacity)")
      ahead += hits - (try #require(expected["gdsf-tb"])).hits
    }

    #expect(ahead > 0)
  }

  @Test(arguments: ["cs", "glimpse", "multi1", "multi2", "web07", "scan"])
  func `by objects it is less than 0.3 points of requests behind LRU on every trace`(_ name: String)
    throws
  {
    let trace = try RecordedTrace(name)

    for capacity in trace.expected.unit.keys.compactMap({ Int($0) }).sorted() {
      let lru = try #require(trace.expected.unit["\(capacity)"]?["lru"]).hits
      let hits = PolicyReplay.run(
        .policy(.lhdTB(exponent: 1)), trace.objects, capacity: capacity
      ).rest.hits
      let points = 100 * Double(hits - lru) / Double(trace.requests.keys.count)
      #expect(points > -0.3, "\(name) at \(capacity): \(points) points")
    }
  }
}
