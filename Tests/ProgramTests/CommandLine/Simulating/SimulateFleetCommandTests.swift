import Foundation
import Testing
@testable import TestSupport

@Suite(.needsProgram) struct `imgcache simulate --servers` {
  private let folder: Scratch
  private let trace: String

  /// Of four objects of 100 bytes: a b a b c c d d, twice.
  init() throws {
    folder = try Scratch()
    let keys = Array("ababccddababccdd")
    let text = keys.enumerated().map { "\($0),\($1),100\n" }.joined()
    trace = try folder.write("time,key,size\n" + text, to: "small.csv")
  }

  private func run(_ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(["simulate", trace] + arguments)
  }

  @Test func `CSV has the usual columns first, and those of servers and tier behind`() async throws
  {
    // An LRU of one object hits the second c and d; of the twelve misses, a tier of all four objects
    // has all but the first of each.
    let outcome = try await run(
      "--policy", "lru", "--capacity", "1obj", "--servers", "1", "--tier", "4obj", "--format", "csv"
    )
    let lines = outcome.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    #expect(outcome.status == 0 && lines.count == 2, "\(outcome.errors)")
    let header = """
      trace,policy,capacity,requests,hits,hit_ratio,byte_hit_ratio,warm_hit_ratio,evictions,\
      ns_per_request,servers,hashing,tier,tier_policy,tier_requests,tier_hits,tier_hit_ratio,\
      tier_byte_hit_ratio,tier_evictions,overall_hit_ratio,overall_byte_hit_ratio,\
      origin_requests,origin_bytes,origin_share,origin_byte_share,busiest_share
      """
    #expect(lines[0].joined(separator: ",") == header)
    #expect(lines[1].count == lines[0].count)
    #expect(
      lines[1].prefix(7).joined(separator: ",") == "small,lru,1obj,16,4,0.250000,0.250000")
    #expect(lines[1][8] == "11")
    #expect(
      lines[1].dropFirst(10).joined(separator: ",")
        == "1,none,4obj,lru,12,8,0.666667,0.666667,0,0.750000,0.750000,4,400,0.250000,0.250000,"
        + "1.000000")
  }
}
