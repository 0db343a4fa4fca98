import Foundation
import Testing

@testable import CachePolicies
@testable import CacheSimulation
@testable import TestSupport

/// A trace of the external material and its reference results.
struct RecordedTrace: Sendable {
  let requests: PolicyReplay.Requests
  let expected: ExpectedHits.Trace

  init(_ name: String) throws {
    expected = try #require(try ExpectedHits.load().traces[name])
    let trace = try TraceReader.read(SharedFixtures.path("traces/\(name).csv.gz"))
    requests = PolicyReplay.Requests(keys: trace.keys, sizes: trace.sizes, countsObjects: false)
  }

  /// The same with every size 1.
  var objects: PolicyReplay.Requests {
    PolicyReplay.Requests(
      keys: requests.keys, sizes: requests.sizes, countsObjects: true)
  }

  /// Requests of the warm-up, a fifth.
  var warmUpCount: Int { requests.keys.count / 5 }
}

/// `expected.json` of the external material.
struct ExpectedHits: Decodable {
  /// The reference result of a policy on a trace at a capacity.
  struct Figures: Decodable, Sendable {
    let hits: Int
    /// Bytes of the hits; not where objects are counted.
    let byteHits: Int?
    /// Misses of the requests after the first fifth, six digits; not of a bound, which is not a
    /// sequence of events.
    let warmMissRatio: Double?
    /// The same in bytes.
    let warmByteMissRatio: Double?

    private enum CodingKeys: String, CodingKey {
      case hits
      case byteHits = "byte_hits"
      case warmMissRatio = "miss_ratio_after_20pct_warmup"
      case warmByteMissRatio = "byte_miss_ratio_after_20pct_warmup"
    }
  }
  struct Trace: Decodable, Sendable {
    let unit: [String: [String: Figures]]
    let byte: [String: [String: Figures]]?
  }
  let traces: [String: Trace]

  static func load() throws -> ExpectedHits {
    try JSONDecoder().decode(
      ExpectedHits.self,
      from: Data(contentsOf: URL(fileURLWithPath: SharedFixtures.path("traces/expected.json"))))
  }
}
