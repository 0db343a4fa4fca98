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

  private static let pictures =
    "$$('.slide img, .row img').slice(0, 8).every((image) => image.complete)"

  /// Every state on a small phone, a phone and a desktop, in both themes and languages; the names are
  /// `reader-WIDTH-LANGUAGE-THEME-STATE`.
  @Test(arguments: [(320, 640), (390, 844), (1280, 800)], ["zh", "en"])
  func `of each state of the reader`(size: (width: Int, height: Int), language: String) async throws
  {
    let served = try await ServedDays.sample(days: 40)
    defer { served.stop() }
    for scheme in ["light", "dark"] {
      let page = try await BrowserPage(
        features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme],
        language: language, density: 1, size: size, isMobile: size.width < 900)
      try await page.go(to: served.address)
      try await page.wait(until: "document.documentElement.classList.contains('ready')")
      let name = "reader-\(size.width)-\(language)-\(scheme)"
      print(
        "first contentful paint, \(name):",
        try await page.number(
          "performance.getEntriesByName('first-contentful-paint')[0].startTime"), "ms")
      try await ReaderStates(page: page).visit { state in try await save(page, "\(name)-\(state)") }
      try await page.close()
      try await saveFailures(size, language, scheme, name)
    }
  }

  /// No day, a day without stories, and a server that cannot be reached.
  private func saveFailures(
    _ size: (width: Int, height: Int), _ language: String, _ scheme: String, _ name: String
  ) async throws {
    var plan = ReaderStub.Plan(days: ReaderStub.plainDays)
    plan.hidesFirstScreen = true
    plan.latest = (404, "{}")
    let stub = try ReaderStub(plan)
    defer { stub.stop() }
    let page = try await BrowserPage(
      features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme],
      language: language, density: 1, size: size, isMobile: size.width < 900)
    try await page.go(to: stub.address)
    try await page.wait(until: "$('#page-today .empty')")
    try await save(page, "\(name)-empty")
    try await page.value("$('#tab-favourites').click()")
    try await page.wait(until: "$('#tab-favourites').getAttribute('aria-selected') === 'true'")
    try await save(page, "\(name)-favourites-none")
    stub.change { $0.latest = (500, "{}") }
    try await page.value("$('#tab-today').click()")
    try await page.value("$('#page-today .reload').click()")
    try await page.wait(until: "$('#page-today .empty')?.dataset.reason === 'badAnswer'")
    try await save(page, "\(name)-error")
    try await page.goOffline()
    try await page.value("$('#page-today .reload').click()")
    try await page.wait(until: "$('#page-today .empty')?.dataset.reason === 'network'")
    try await save(page, "\(name)-offline")
    try await page.close()
  }
}
