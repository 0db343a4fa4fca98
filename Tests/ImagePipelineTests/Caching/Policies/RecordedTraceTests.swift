import Testing

@testable import ImagePipeline

/// Hits on recorded traces, to the last one.
@Suite(.enabled(if: SharedFixtures.areAvailable)) struct `Policies on recorded traces` {
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

  /// The names that the file has for the exact policies.
  static let exact: [(name: String, subject: PolicyReplay.Subject)] = [
    ("fifo", .fifo), ("lru", .policy(.lru)), ("clock", .clock), ("lfu", .lfu),
    ("sieve", .policy(.sieve)), ("arc", .policy(.arc)), ("s3fifo-p", .policy(.s3FIFO)),
    ("gdsf", .policy(.gdsf)),
  ]

  private func capacities(_ table: [String: [String: ExpectedHits.Figures]]) -> [Int] {
    let all = table.keys.compactMap { Int($0) }.sorted()
    return CampaignSize.isFull ? all : all.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  @Test(arguments: names)
  func `hits by objects and by bytes are those of the reference`(_ name: String) throws {
    let trace = try RecordedTrace(name)
    var compared = 0

    for (table, requests) in [
      (trace.expected.unit, trace.objects), (trace.expected.byte ?? [:], trace.requests),
    ] {
      for capacity in capacities(table) {
        for (key, subject) in Self.exact {
          guard let expected = table["\(capacity)"]?[key] else { continue }
          let counts = PolicyReplay.run(subject, requests, capacity: capacity).rest
          #expect(counts.hits == expected.hits, "\(name), \(key) at \(capacity)")
          compared += 1
        }
      }
    }

    #expect(compared >= 7 * 3)
  }

  @Test(arguments: ["nasa-0801-img", "nasa-0801", "imgday-client"])
  func `GDSF-TB is within a point of its reference`(_ name: String) throws {
    let trace = try RecordedTrace(name)
    let table = try #require(trace.expected.byte)

    for capacity in capacities(table) {
      for (key, exponent) in [("gdsf-tb", 1.0), ("gdsf-tb0.7", 0.7), ("gdsf-tb0.5", 0.5)] {
        let expected = try #require(table["\(capacity)"]?[key])
        let hits = PolicyReplay.run(
          .policy(.gdsfTB(exponent: exponent)), trace.requests, capacity: capacity
        ).rest.hits
        let points = 100 * Double(hits - expected.hits) / Double(trace.requests.keys.count)
        #expect(abs(points) <= 1, "\(name), \(key) at \(capacity): \(points) points")
      }
    }
  }

  @Test func `an adaptive window holds off what breaks a small fixed one on a daily feed`() throws {
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
