import Foundation
import Testing

@testable import TestSupport

/// Makes contact sheets and plots of the sample in their formats: `scripts/screenshots DIR`.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] != nil,
    "only for scripts/screenshots"))
struct `Screenshots of sheets and plots` {
  private let folder = ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] ?? ""

  @Test func `of a day, in both themes`() async throws {
    let scratch = try Scratch()
    var tool = Tool.imgcache
    tool.environment = ["IMGCACHE_DIR": scratch / "cache"]
    for theme in ["light", "dark"] {
      for format in ["png", "jpg", "webp", "pdf", "html"] {
        let path = "\(folder)/sheet-\(theme).\(format)"
        let outcome = try await tool.run(
          ["sheet", "latest", "--sample", "--theme", theme, "-o", path])
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      try await picture(of: "sheet-\(theme).html", as: "sheet-\(theme)-html")
    }
    let outcome = try await tool.run([
      "sheet", "latest", "http://sample.invalid/absent.jpg", "--sample", "--offline", "-o",
      "\(folder)/sheet-missing.png",
    ])
    #expect(outcome.status == 1, "\(outcome.errors)")
  }

  @Test func `of plots with three lines and with twelve`() async throws {
    let policies = [
      "lru", "sieve", "gdsf-tb", "s3-fifo", "arc", "slru", "w-tinylfu", "gdsf", "lhd-tb", "fifo",
      "belady", "pfoo-l",
    ]
    for count in [3, 12] {
      for format in ["png", "svg", "pdf"] {
        let outcome = try await Tool.imgcache.run([
          "simulate", "--generate", "days", "--capacity", "0.1%,1%,10%", "--policy",
          policies.prefix(count).joined(separator: ","), "--plot",
          "\(folder)/plot-\(count).\(format)",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      try await picture(of: "plot-\(count).svg", as: "plot-\(count)-svg")
    }
  }

  /// Saves what the browser shows of a file.
  private func picture(of name: String, as picture: String) async throws {
    let page = try await BrowserPage(density: 1, size: (1_000, 900), isMobile: false)
    try await page.go(to: URL(fileURLWithPath: "\(folder)/\(name)").absoluteString)
    try await page.showFrame()
    try await page.screenshot().write(to: URL(fileURLWithPath: "\(folder)/\(picture).png"))
    try await page.close()
  }
}
