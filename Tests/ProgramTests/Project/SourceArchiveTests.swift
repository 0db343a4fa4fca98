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
  private let archive = "imgcache-\(Version.text).tar.gz"

  private func dist(into folder: String) async throws {
    let outcome = try await Tool(path: "make").run([
      "-C", root, "dist", "OUTPUT=\(folder)", "URL=https://example.org/files",
      "HOMEPAGE=https://example.org",
    ])
    try #require(outcome.status == 0, "\(outcome)")
  }

  @Test func `the formula has no placeholder left, and the checksum of the archive`() async throws {
    let scratch = try Scratch()
    try await dist(into: scratch / "dist")

    let formula = try String(contentsOfFile: scratch / "dist/imgcache.rb", encoding: .utf8)
    let sum = try await Tool(path: "sha256sum").run([scratch / "dist/\(archive)"])

    #expect(formula.hasPrefix("class Imgcache < Formula\n"))
    #expect(!formula.contains(/@[A-Z0-9]+@/))
    #expect(formula.contains("  url \"https://example.org/files/\(archive)\"\n"))
    #expect(formula.contains("  homepage \"https://example.org\"\n"))
    #expect(formula.contains("  sha256 \"\(sum.output.prefix(64))\"\n"))
  }

  @Test(.needsRuby) func `the formula is Ruby`() async throws {
    let scratch = try Scratch()
    try await dist(into: scratch / "dist")

    let ruby = try await Tool(path: "ruby").run(["-c", scratch / "dist/imgcache.rb"])

    #expect(ruby.status == 0, "\(ruby)")
  }

  @Test func `an archive of one commit is the same bytes each time, below one folder`() async throws
  {
    let scratch = try Scratch()
    for folder in ["one", "two"] { try await dist(into: scratch / folder) }

    let files = try ["one", "two"].map {
      try Data(contentsOf: URL(filePath: scratch / "\($0)/\(archive)"))
    }
    let list = try await Tool(path: "tar").run(["-tzf", scratch / "one/\(archive)"])
    let names = list.output.split(separator: "\n")

    #expect(files[0] == files[1])
    #expect(names.contains("imgcache-\(Version.text)/Package.swift"))
    #expect(names.allSatisfy { $0.hasPrefix("imgcache-\(Version.text)/") })
  }
}
