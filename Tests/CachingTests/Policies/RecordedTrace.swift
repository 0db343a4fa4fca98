import Foundation
import Testing

@testable import CachePolicies
@testable import TestSupport

/// A trace of the external material and its reference results.
struct RecordedTrace: Sendable {
  let name: String
  let requests: PolicyReplay.Requests
  let expected: ExpectedHits.Trace

  init(_ name: String) throws {
    self.name = name
    expected = try #require(try ExpectedHits.load().traces[name])
    let text = try Self.unzipped(SharedFixtures.path("traces/\(name).csv.gz"))
    var keys: [UInt32] = []
    var sizes: [Int] = []
    var fields = [0, 0, 0]
    var field = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: ","): field += 1
      case UInt8(ascii: "\n"):
        keys.append(UInt32(fields[1]))
        sizes.append(fields[2])
        fields = [0, 0, 0]
        field = 0
      default: fields[field] = fields[field] * 10 + Int(byte) - 48
      }
    }
    requests = PolicyReplay.Requests(keys: keys, sizes: sizes, countsObjects: false)
  }

  /// The same with every size 1.
  var objects: PolicyReplay.Requests {
    PolicyReplay.Requests(
      keys: requests.keys, sizes: requests.sizes, countsObjects: true)
  }

  /// Requests of the warm-up, a fifth.
  var warmUpCount: Int { requests.keys.count / 5 }

  private static func unzipped(_ path: String) throws -> Data {
    let pipe = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", path]
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "cannot read \(path)")
    return data
  }
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
