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

  /// Every state on a small phone, a phone and a desktop, in both themes and languages; the names are
  /// `reader-WIDTH-LANGUAGE-THEME-STATE`.
  @Test(arguments: [(320, 640), (390, 844), (1280, 800)], ["zh", "en"])
  func `of each state of the reader`(size: (width: Int, height: Int), language: String) async throws
  {
    let served = try await ServeProgram.sample(days: 40)
    defer { served.child.stop() }
    for scheme in ["light", "dark"] {
      let page = try await BrowserPage(
        features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme],
        language: language, density: 1, size: size, isMobile: size.width < 900)
      try await page.go(to: served.url("/"))
      try await page.wait(until: "document.documentElement.classList.contains('ready')")
      let name = "reader-\(size.width)-\(language)-\(scheme)"
      print(
        "first contentful paint, \(name):",
        try await page.number(
          "performance.getEntriesByName('first-contentful-paint')[0].startTime"), "ms")
      try await ReaderStates(page: page).visit { state in try await save(page, "\(name)-\(state)") }
      try await page.close()
    }
  }
}
