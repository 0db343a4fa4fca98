import Foundation
import Testing
@testable import TestSupport

/// The speed figures in README.
@Suite struct `Numbers in README` {
  @Test func `numbers in README equal those of the report`() throws {
    let root = SharedFixtures.packageRoot
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let report = try String(
      contentsOf: root.appending(path: "Benchmarks/REPORT.md"), encoding: .utf8)

    let quoted = try #require(
      readme.components(separatedBy: "<!-- report: begin -->\n").last?
        .components(separatedBy: "<!-- report: end -->").first)

    #expect(quoted.split(separator: "\n").count > 5)
    #expect(report.contains(quoted), "run Benchmarks/report, which writes both")
  }

  @Test func `every plot in the report exists`() throws {
    let folder = SharedFixtures.packageRoot.appending(path: "Benchmarks")
    let report = try String(contentsOf: folder.appending(path: "REPORT.md"), encoding: .utf8)

    let plots = report.matches(of: /\((plots\/[^)]+)\)/).map { String($0.1) }

    #expect(plots.count > 5)
    for plot in plots {
      let drawing = try String(contentsOf: folder.appending(path: plot), encoding: .utf8)
      #expect(drawing.hasPrefix("<svg") && drawing.hasSuffix("</svg>\n"), "\(plot)")
    }
  }
}
