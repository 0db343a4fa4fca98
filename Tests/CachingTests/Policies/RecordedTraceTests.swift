import Testing

@testable import CachePolicies
@testable import TestSupport

/// Exact hit counts on recorded traces.
@Suite(.needsFixtures) struct `Policies on recorded traces` {
  /// The short ones; the campaign runs all.
  static var names: [String] {
    let short = [
      "cs", "glimpse", "multi1", "multi2", "nasa-0801-img", "nasa-0801", "imgday-client", "web07",
      "scan", "bu98",
    ]
    let long = [
      "2_pools", "corda", "cloudphysics-io", "loop", "imgday-edge", "akamai-img", "arc-oltp",
      "zipf1.0",
    ]
    return CampaignSize.isFull ? short + long : short
  }

  /// The names in the file for the exact policies.
  static let exact: [(name: String, subject: PolicyReplay.Subject)] = [
    ("fifo", .policy(.fifo)), ("lru", .policy(.lru)), ("clock", .policy(.clock)),
    ("lfu", .policy(.lfu)),
    ("sieve", .policy(.sieve)), ("arc", .policy(.arc)), ("s3fifo-p", .policy(.s3FIFO)),
    ("gdsf", .policy(.gdsf)),
  ]

  private func capacities(_ table: [String: [String: ExpectedHits.Figures]]) throws -> [Int] {
    let all = table.keys.compactMap { Int($0) }.sorted()
    try #require(!all.isEmpty)
    return CampaignSize.isFull ? all : all.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  @Test(arguments: names)
  func `hits by objects and by bytes equal the reference's, from cold and warm`(
    _ name: String
  ) throws {
    let trace = try RecordedTrace(name)
    let warm = trace.requests.sizes.dropFirst(trace.warmUpCount)
    let warmBytes = Double(warm.reduce(0, +))
    var compared = 0

    var tables = [(trace.expected.unit, trace.objects)]
    if let byte = trace.expected.byte { tables.append((byte, trace.requests)) }
    for (table, requests) in tables {
      for capacity in try capacities(table) {
        for (key, subject) in Self.exact {
          guard let expected = table["\(capacity)"]?[key] else { continue }
          let (first, rest) = PolicyReplay.run(
            subject, requests, capacity: capacity, warmUp: trace.warmUpCount)
          let comment: Comment = "\(name), \(key) at \(capacity)"
          #expect(first.hits + rest.hits == expected.hits, comment)
          let missRatio = 1 - Double(rest.hits) / Double(warm.count)
          #expect(abs(missRatio - (try #require(expected.warmMissRatio))) < 1e-6, comment)
          if !requests.countsObjects {
            #expect(first.hitSize + rest.hitSize == expected.byteHits, comment)
            let ratio = try #require(expected.warmByteMissRatio)
            #expect(abs(1 - Double(rest.hitSize) / warmBytes - ratio) < 1e-6, comment)
          }
          compared += 1
        }
      }
    }

    #expect(compared >= 7 * 3)
  }

  @Test func `an adaptive window withstands a daily feed that breaks a small fixed one`() throws {
    let trace = try RecordedTrace("imgday-client")
    func hits(_ policy: WTinyLFUReplacement) -> Int {
      var cache = PolicyCache(policy, capacity: 98)
      return trace.requests.keys.count { cache.access(UInt64($0), size: 1) }
    }
    let lru = PolicyReplay.run(.policy(.lru), trace.objects, capacity: 98).rest.hits

    let fixed = hits(WTinyLFUReplacement(windowShare: 0.01, isAdaptive: false))
    let adaptive = hits(WTinyLFUReplacement())

    // Of 42,486 requests LRU hits 26,540.
    #expect(lru == 26_540)
    #expect(fixed < lru * 6 / 10)
    #expect(adaptive > lru * 9 / 10)
  }
}
