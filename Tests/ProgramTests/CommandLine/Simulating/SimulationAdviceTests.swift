import CachePolicies
import TextEncodings
import Testing

@testable import CacheSimulation
@testable import imgcache

@Suite struct `The sentence below the table of simulate` {
  /// All of 300 objects once, then three hot ones in turn with cold ones.
  private let trace: CacheTrace = {
    let keys: [Int] = (0..<3_000).map { index in
      if index < 300 { return index }
      return index % 3 == 0 ? index / 3 % 3 : index % 300
    }
    return CacheTrace(name: "t", keys: keys.map { UInt32($0) }, sizes: keys.map { 100 + $0 })
  }()

  private func result(_ policy: String, _ capacity: String) throws -> SimulationResult {
    let policy = try #require(SimulatedPolicy(policy))
    let capacity = try #require(SimulatedCapacity(capacity) { ByteQuantity(argument: $0)?.count })
    return try #require(Simulation(trace: trace, policy: policy, capacity: capacity).run { 0 })
  }

  private func text(_ policies: [String], _ capacities: [String]) throws -> String? {
    SimulationAdvice.text(
      try capacities.flatMap { capacity in try policies.map { try result($0, capacity) } })
  }

  private func hits(_ policy: String, _ capacity: String) throws -> (count: Int, bytes: Int) {
    let counts = try result(policy, capacity).counts
    return (counts.hits, counts.hitByteCount)
  }

  @Test func `compares the best policy and the largest size with LRU at the middle one`() throws {
    let sentence = try text(["gdsf", "lru", "pfoo-l"], ["0.1%", "1%", "50%"])

    let (lru, gdsf, large) = try (hits("lru", "1%"), hits("gdsf", "1%"), hits("lru", "50%"))
    try #require(gdsf.count > lru.count && large.count > lru.count)
    #expect(
      sentence == """
        At 1% of the bytes, gdsf would answer \(Measure.grouped(gdsf.count - lru.count)) more of 3,000 \
        requests than lru, \(Measure.bytes(gdsf.bytes - lru.bytes)) less from the origin; lru at 50 times \
        the size \(Measure.grouped(large.count - lru.count)) more, \
        \(Measure.bytes(large.bytes - lru.bytes)) less from the origin.
        """)
  }

  @Test func `says what one combination answers, and what to name`() throws {
    #expect(
      try text(["lru"], ["20obj"])
        == """
        At 20 objects, lru answers \(hits("lru", "20obj").count) of 3,000 requests; name other policies \
        or capacities to compare.
        """)
  }

  @Test func `says that no other policy is better`() throws {
    let sentence = try text(["lru", "fifo", "belady", "inf"], ["8KiB"])

    #expect(
      sentence
        == "At 8KiB, no other policy here would answer more of 3,000 requests than the "
        + "\(Measure.grouped(try hits("lru", "8KiB").count)) of lru.")
  }

  @Test func `is absent where only bounds were computed`() throws {
    #expect(try text(["belady", "pfoo-l"], ["8KiB"]) == nil)
  }
}
