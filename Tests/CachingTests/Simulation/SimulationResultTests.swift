import Testing

@testable import CacheSimulation

@Suite struct `Results of simulations` {
  private let trace = CacheTrace(
    name: "t", keys: [0, 1, 2, 0, 1, 2, 0, 1, 2, 0], sizes: Array(repeating: 10, count: 10))

  private func result(
    _ policy: SimulatedPolicy, _ capacity: String = "2obj", of trace: CacheTrace? = nil,
    at index: Int = 0, named name: String? = nil
  ) throws -> SimulationResult {
    let capacity = try #require(SimulatedCapacity(capacity) { Int($0) })
    let simulation = Simulation(
      trace: trace ?? self.trace, traceIndex: index, policy: policy, named: name,
      capacity: capacity)
    return try #require(simulation.run { 0 })
  }

  @Test func `count hits, their bytes and those after the first fifth`() throws {
    let result = try result(.infinite)

    #expect(result.counts.hits == 7)
    #expect(result.counts.hitByteCount == 70)
    #expect(result.hitRatio == 0.7)
    #expect(result.byteHitRatio == 0.7)
    #expect(result.warmUpCount == 2)
    #expect(result.warmHitRatio == 7.0 / 8)
    #expect(!result.isSampled)
  }

  @Test func `of a bound have no warm hits and no evictions`() throws {
    let bound = try result(.pfooL)

    #expect(bound.counts.evictions == nil)
    #expect(bound.warmHitRatio == nil)
    #expect(try result(.greedy).counts.evictions == nil)
    #expect(try result(.greedy).warmHitRatio != nil)
  }

  @Test func `of a sample are made from the misses and what the whole trace expects`() throws {
    // A sample of half the keys, which would be expected to have 20 of 40 requests.
    let sample = CacheTrace(
      name: "t", keys: trace.keys, sizes: trace.sizes,
      thinning: CacheTrace.Thinning(rate: 0.5, requestCount: 40, byteCount: 800))

    let result = try result(.infinite, of: sample)

    #expect(result.isSampled)
    #expect(result.hitRatio == 17.0 / 20)
    #expect(result.byteHitRatio == (400 - 30) / 400.0)
    #expect(result.warmHitRatio == 15.0 / 16)
  }

  @Test(arguments: SimulatedPolicy.names)
  func `are not returned where progress was stopped`(name: String) throws {
    let policy = try #require(SimulatedPolicy(name))
    let capacity = try #require(SimulatedCapacity("2obj") { Int($0) })
    var done = 0
    let simulation = Simulation(trace: trace, policy: policy, capacity: capacity)

    let result = simulation.run(seconds: { 0 }) { count in
      done += count
      return false
    }

    #expect(result == nil)
    #expect((1...10).contains(done))
  }

  /// The closed gaps of some results, by policy.
  private func gaps(_ results: [SimulationResult]) -> [String: Double] {
    var gaps: [String: Double] = [:]
    for result in SimulationResult.closingGaps(results) {
      gaps[result.policyName] = result.gapClosed
    }
    return gaps
  }

  @Test func `state the share of the hits between LRU and the bound`() throws {
    let results = try ["lru", "pfoo-l", "belady", "inf", "fifo"].map {
      try result(try #require(SimulatedPolicy($0)))
    }
    let hits = results.map(\.counts.hits)

    let gaps = gaps(results)

    // LRU misses every request of this loop; the bound is above Belady's.
    #expect(hits[0] == 0 && hits[1] >= hits[2] && hits[2] > 0)
    #expect(
      gaps == ["lru": 0, "pfoo-l": 1, "belady": Double(hits[2]) / Double(hits[1]), "fifo": 0])
  }

  @Test func `use Belady's as the bound only where all objects count the same`() throws {
    let sized = CacheTrace(name: "t", keys: trace.keys, sizes: [5] + trace.sizes.dropFirst())
    func gaps(_ capacity: String, _ trace: CacheTrace) throws -> [String: Double] {
      try self.gaps([
        result(.belady, capacity, of: trace), result(.online(.lru), capacity, of: trace),
      ])
    }

    #expect(try gaps("2obj", sized) == ["belady": 1, "lru": 0])
    #expect(try gaps("20", trace) == ["belady": 1, "lru": 0])
    #expect(try gaps("20", sized) == [:])
  }

  @Test func `have no gap where LRU, the bound or room between them is missing`() throws {
    #expect(try gaps([result(.pfooL), result(.online(.fifo))]) == [:])
    #expect(try gaps([result(.online(.lru)), result(.online(.fifo))]) == [:])
    #expect(try gaps([result(.online(.lru), "3obj"), result(.pfooL, "3obj")]) == [:])
    // Of another capacity, and of another trace.
    #expect(try gaps([result(.online(.lru), "1obj"), result(.pfooL, "2obj")]) == [:])
    #expect(try gaps([result(.online(.lru)), result(.pfooL, at: 1)]) == [:])
  }
}
