import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// The statements of README for a new user.
@Suite(.startsPrograms) struct `README` {
  @Test func `the demo leaves a day of images on disk and asks for none of them twice`()
    async throws
  {
    var scratch = try Scratch()
    let root = SharedFixtures.packageRoot.path
    // A separate build folder: SwiftPM holds the lock of the one that these tests run from.
    let demo = Tool(path: "/bin/sh", environment: ["BUILD_DIR": root + "/.build-demo"])

    let today = DayKey.today(at: Date())
    var outcome = try await demo.run([root + "/demo", scratch / "out"], in: root)
    if DayKey.today(at: Date()) != today {
      // The day may have changed between the two runs of the demo, and with it the sample's latest.
      scratch = try Scratch()
      outcome = try await demo.run([root + "/demo", scratch / "out"], in: root)
    }

    #expect(outcome.status == 0, "\(outcome.errors.suffix(2000))")
    let days = try FileManager.default.contentsOfDirectory(atPath: scratch / "out/days")
    // Beside the day there is the overview of all days.
    let day = try #require(days.first { $0.allSatisfy(\.isNumber) })
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch / "out/days/\(day)")
    #expect(files.contains("index.json"))
    #expect(files.filter { $0.hasPrefix("story-") }.count >= 5)
    #expect(files.filter { $0.hasPrefix("top-") }.count >= 3)
    let summaries = outcome.output.split(separator: "\n").filter { $0.contains(" images: ") }
    #expect(summaries.count == 2)
    #expect(summaries.last?.contains(": 0 downloaded (0 B)") == true, "\(outcome.output)")
  }
}
