import Foundation
import Testing
@testable import TestSupport

/// The speed figures in README.
@Suite struct `Numbers in README` {
  private static let root = SharedFixtures.packageRoot
  private static let report = Result {
    try String(contentsOf: root.appending(path: "Benchmarks/REPORT.md"), encoding: .utf8)
  }
  /// A source archive and a shallow clone do not have it.
  private static let hasHistory =
    [".git": true, ".git/shallow": false]
    .allSatisfy { FileManager.default.fileExists(atPath: root.appending(path: $0).path) == $1 }
  /// The share of the lines that may have changed.
  private static let allowedChange = 0.1

  private static func git(_ arguments: [String]) async throws -> String {
    let run = try await Tool(path: "/usr/bin/env").run(["git", "-C", root.path] + arguments)
    try #require(run.status == 0, "git \(arguments): \(run.errors)")
    return run.output
  }

  @Test(.enabled(if: hasHistory, "the history of the project is not here"))
  func `what the report measures has hardly changed since its commit`() async throws {
    let report = try Self.report.get()
    let commit = try #require(report.firstMatch(of: /commit ([0-9a-f]{7,40})/)).1
    let areas = report.matches(of: /\n\| (\w+) \| ((?:[A-Z]\w+(?:, )?)+) \|(?=\n)/)
    #expect(areas.count > 7)
    for area in areas {
      let files = area.2.split(separator: ", ")
        .flatMap { folder in ["swift", "c", "h"].map { "Sources/\(folder)/*.\($0)" } }
      // Added and deleted lines of each file.
      let changes = try await Self.git(["diff", "--numstat", "-w", String(commit), "--"] + files)
      let changed = changes.split(separator: "\n")
        .flatMap { $0.split(separator: "\t").prefix(2) }.reduce(0) { $0 + (Int($1) ?? 0) }
      let lines = try await Self.git(["grep", "-c", "", "--"] + files)
      let count = lines.split(separator: "\n").reduce(0) {
        $0 + (Int($1.split(separator: ":").last ?? "") ?? 0)
      }

      #expect(count > 1000)
      #expect(
        Double(changed) <= Self.allowedChange * Double(count),
        "\(area.1): \(changed) of \(count) lines since \(commit); run Benchmarks/report")
    }
  }

  @Test func `numbers in README equal those of the report`() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let quoted = try #require(
      readme.components(separatedBy: "<!-- report: begin -->\n").last?
        .components(separatedBy: "<!-- report: end -->").first)

    #expect(quoted.split(separator: "\n").count > 5)
    #expect(try Self.report.get().contains(quoted), "run Benchmarks/report, which writes both")
  }

  @Test func `every plot in the report exists`() throws {
    let folder = Self.root.appending(path: "Benchmarks")

    let plots = try Self.report.get().matches(of: /\((plots\/[^)]+)\)/).map { String($0.1) }

    #expect(plots.count > 5)
    for plot in plots {
      let drawing = try String(contentsOf: folder.appending(path: plot), encoding: .utf8)
      #expect(drawing.hasPrefix("<svg") && drawing.hasSuffix("</svg>\n"), "\(plot)")
    }
  }
}
