import Foundation
import Testing
@testable import TestSupport

/// The campaigns of `Benchmarks/campaigns`, small; full with `IMGCACHE_CAMPAIGN=full`.
@Suite(
  .startsPrograms,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3"))
struct `Disk campaigns` {
  @Test(arguments: ["crash", "processes", "damage", "faults"])
  func `nothing is lost and no damaged entry is served under a campaign`(name: String) async throws
  {
    var python = Tool(path: "/usr/bin/python3")
    python.environment["CACHE_CAMPAIGN"] = Tool.buildFolder + "/CacheCampaign"
    if CampaignSize.isFull { python.environment["IMGCACHE_CAMPAIGN"] = "full" }
    let script = SharedFixtures.packageRoot.appendingPathComponent("Benchmarks/campaigns/\(name)")

    let outcome = try await python.run([script.path])

    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }
}
