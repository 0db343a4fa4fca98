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
    #expect(outcome.errors.contains("\nNext:\n"))
  }

  @Test(.needsProgram) func `the commands for the first images do what they say`() async throws {
    let scratch = try Scratch()
    let readme = try String(
      contentsOf: SharedFixtures.packageRoot.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.components(separatedBy: "## The first images").last)
    let commands = section.components(separatedBy: "```")[1].split(separator: "\n").dropFirst()
    try FileManager.default.createSymbolicLink(
      atPath: scratch / "imgcache", withDestinationPath: Tool.imgcache.path)
    let shell = Tool(
      path: "/bin/sh",
      environment: ["PATH": scratch / "" + ":/usr/bin:/bin", "IMGCACHE_DIR": scratch / "cache"])

    #expect(commands.count == 3)
    for command in commands {
      let outcome = try await shell.run(["-c", String(command)], in: scratch / "")
      #expect(outcome.status == 0, "\(command): \(outcome.errors)")
    }
    #expect(scratch.names(in: "thumbs").count >= 10)
    #expect(scratch.names(in: "").contains("day.html"))
  }

  @Test func `a toolchain is found where swiftly puts it, behind another program named swift`()
    async throws
  {
    let scratch = try Scratch()
    let script = SharedFixtures.packageRoot.path + "/scripts/find-swift"
    for (path, text) in [("other/swift", "OpenStack"), ("bin/swift", "Swift version 6.2")] {
      try scratch.write("#!/bin/sh\necho '\(text)'\n", to: path)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: scratch / path)
    }
    let find = Tool(
      path: script,
      environment: [
        "PATH": scratch / "other" + ":/usr/bin:/bin", "SWIFTLY_BIN_DIR": scratch / "bin",
      ])

    let outcome = try await find.run([])

    #expect(outcome.status == 0 && outcome.output == scratch / "bin" + "\n", "\(outcome.errors)")
  }
}
