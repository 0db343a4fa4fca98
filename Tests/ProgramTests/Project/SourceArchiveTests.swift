import Foundation
import Testing

@testable import imgcache
@testable import TestSupport

/// `make dist`: the source archive, and Homebrew's formula for it.
@Suite(
  .startsPrograms,
  .enabled(
    if: FileManager.default.fileExists(
      atPath: SharedFixtures.packageRoot.appending(path: ".git").path),
    "needs the git repository"))
struct `Source archive` {
  private let root = SharedFixtures.packageRoot.path
  private static let hasRuby = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/ruby") }
  private let archive = "imgcache-\(Version.text).tar.gz"

  @Test func `an archive of one commit is the same bytes each time, and its formula names it`()
    async throws
  {
    let scratch = try Scratch()
    for folder in ["one", "two"] {
      let outcome = try await Tool(path: "make").run([
        "-C", root, "dist", "OUTPUT=\(scratch / folder)", "URL=https://example.org/files",
        "HOMEPAGE=https://example.org",
      ])
      try #require(outcome.status == 0, "\(outcome)")
    }

    let files = try ["one", "two"].map {
      try Data(contentsOf: URL(filePath: scratch / "\($0)/\(archive)"))
    }
    let list = try await Tool(path: "tar").run(["-tzf", scratch / "one/\(archive)"])
    let names = list.output.split(separator: "\n")
    let formula = try scratch.text(of: "one/imgcache.rb")
    let sum = try await Tool(path: "sha256sum").run([scratch / "one/\(archive)"])

    #expect(files[0] == files[1])
    #expect(names.contains("imgcache-\(Version.text)/Package.swift"))
    #expect(names.allSatisfy { $0.hasPrefix("imgcache-\(Version.text)/") })
    #expect(formula.hasPrefix("class Imgcache < Formula\n"))
    #expect(!formula.contains(/@[A-Z0-9]+@/))
    for line in [
      "url \"https://example.org/files/\(archive)\"", "homepage \"https://example.org\"",
      "sha256 \"\(sum.output.prefix(64))\"",
    ] { #expect(formula.contains("  \(line)\n")) }
    if Self.hasRuby {
      let ruby = try await Tool(path: "ruby").run(["-c", scratch / "one/imgcache.rb"])
      #expect(ruby.status == 0, "\(ruby)")
    }
  }
}
