import Foundation
import Testing

@testable import TestSupport

/// Makes a picture of each state of the reader, for people to look at: `scripts/screenshots DIR`.
@Suite(
  .serialized, .timeLimit(.minutes(30)),
  .enabled(
    if: ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] != nil,
    "only for scripts/screenshots"))
struct `Screenshots of the reader` {
  private let folder = ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] ?? ""

  private func save(_ page: BrowserPage, _ name: String) async throws {
    // What is on its way to the screen is to be seen: two frames.
    try await page.value(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    try await page.screenshot().write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
  }

  /// Every state on a small phone, a phone, one on its side, a tablet and a desktop, in both themes and
  /// languages; the names are `reader-WIDTH-LANGUAGE-THEME-STATE`.
  @Test func `of each state of the reader`() async throws {
    let served = try await ServeProgram.sample(days: 40)
    defer { served.child.stop() }
    for size in [(320, 640), (390, 844), (844, 390), (768, 1024), (1280, 800)] {
      for language in ["zh", "en"] {
        for scheme in ["light", "dark"] {
          try await visit(served.url("/"), size, language, scheme)
        }
      }
    }
  }

  private func visit(
    _ address: String, _ size: (width: Int, height: Int), _ language: String, _ scheme: String
  ) async throws {
    let page = try await BrowserPage(
      features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme],
      language: language, density: 1, size: size, isMobile: size.width < 900)
    try await page.go(to: address)
    try await page.wait(until: "document.documentElement.classList.contains('ready')")
    let name = "reader-\(size.width)-\(language)-\(scheme)"
    print(
      "first contentful paint, \(name):",
      try await page.number(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime"), "ms")
    try await ReaderStates(page: page).visit { state in try await save(page, "\(name)-\(state)") }
    try await page.close()
  }

  @Test(arguments: [(320, 640), (844, 390), (1280, 800)], ["zh", "en"])
  func `of an empty cache`(size: (width: Int, height: Int), language: String) async throws {
    let served = try await ServeProgram(["--sample"])
    defer { served.child.stop() }
    let page = try await BrowserPage(
      language: language, density: 1, size: size, isMobile: size.width < 900)
    try await page.go(to: served.url("/"))
    try await page.wait(until: "$('[data-reason=firstRun]')")
    try await save(page, "reader-\(size.width)-\(language)-light-first-run")
    try await page.close()
  }
}
