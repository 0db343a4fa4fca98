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
    "[...document.querySelectorAll('.slide img, .row img')].slice(0, 8).every((image) => image.complete)"

  /// Every state on a small phone, a phone and a desktop, in both themes and languages; the names are
  /// `reader-WIDTH-LANGUAGE-THEME-STATE`.
  @Test(arguments: [(320, 640), (390, 844), (1280, 800)], ["zh", "en"])
  func `of each state of the reader`(size: (width: Int, height: Int), language: String)
    async throws
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
      try await ReaderStates(page: page).visit { state in
        try await save(page, "\(name)-\(state)")
      }
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
    try await page.wait(until: "document.querySelector('#page-today .empty')")
    try await save(page, "\(name)-empty")
    try await page.value("document.querySelector('#tab-favourites').click()")
    try await page.wait(
      until: "document.querySelector('#tab-favourites').getAttribute('aria-selected') === 'true'")
    try await save(page, "\(name)-favourites-none")
    stub.change { $0.latest = (500, "{}") }
    try await page.value("document.querySelector('#tab-today').click()")
    try await page.value("document.querySelector('#page-today .reload').click()")
    try await page.wait(
      until: "document.querySelector('#page-today .empty')?.dataset.reason === 'badAnswer'")
    try await save(page, "\(name)-error")
    _ = try await page.send(
      "Network.emulateNetworkConditions",
      ["offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0])
    try await page.value("document.querySelector('#page-today .reload').click()")
    try await page.wait(
      until: "document.querySelector('#page-today .empty')?.dataset.reason === 'network'")
    try await save(page, "\(name)-offline")
    try await page.close()
  }

  @Test func `of what happens on the way, and of what goes wrong`() async throws {
    let gate = Gate()
    var plan = ReaderStub.Plan(days: ReaderStub.plainDays, refresh: gate)
    plan.deadPictures = ["20260901-s1"]
    let stub = try ReaderStub(plan)
    defer { stub.stop() }
    let page = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"], density: 1)
    try await page.go(to: stub.address)
    try await page.wait(
      until: "document.documentElement.classList.contains('ready') && \(Self.pictures)")
    try await save(page, "reader-375-dead-picture")
    try await page.drag(from: (180, 300), to: (180, 370))
    try await page.wait(until: "Number(document.querySelector('#ring').dataset.progress) > 0")
    try await save(page, "reader-375-pulled")
    try await page.letGo()
    try await page.tap("#refresh")
    try await page.wait(
      until: "document.querySelector('.hud .panel').textContent.includes('2 / 5')")
    try await save(page, "reader-375-refreshing")
    gate.open()
    try await page.wait(until: "document.querySelector('.hud').dataset.mask === 'none'")

    try await page.tap("#tab-past")
    try await page.wait(until: "document.querySelectorAll('.past-day').length === 6")
    for (distance, name) in [(90, "pull-normal"), (150, "pull-armed")] {
      try await page.drag(from: (180, 200), to: (180, 200 + distance))
      try await page.wait(
        until:
          "document.querySelector('.pull-header').dataset.state === '\(name == "pull-armed" ? "pulling" : "normal")' && document.querySelector('.pull-place').offsetHeight > 20"
      )
      try await save(page, "reader-375-\(name)")
      try await page.touch("touchMove", (180, 200))
      try await page.letGo()
    }

    _ = try await page.send(
      "Network.emulateNetworkConditions",
      ["offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0])
    try await page.tap("#tab-today")
    try await page.wait(
      until: "document.querySelector('#tab-today').getAttribute('aria-selected') === 'true'")
    // What was refreshed shows for two seconds at least, and the button waits so long.
    try await page.wait(until: "!document.querySelector('#refresh').hasAttribute('aria-disabled')")
    try await page.tap("#refresh")
    try await page.wait(
      until: "document.querySelector('.hud .panel').textContent.includes('刷新失败')")
    try await save(page, "reader-375-offline")
    try await page.close()

    stub.change {
      $0 = ReaderStub.Plan(days: [("20260901", 10_000, 5)])
    }
    let large = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"], density: 1)
    try await large.go(to: stub.address)
    try await large.wait(until: "document.querySelector('#page-today').scrollHeight > 950000")
    try await large.value("document.querySelector('#page-today').scrollTo(0, 475000)")
    try await large.wait(until: "document.elementFromPoint(100, 400)?.closest('.row')")
    try await save(large, "reader-375-ten-thousand")
    try await large.close()
  }
}
