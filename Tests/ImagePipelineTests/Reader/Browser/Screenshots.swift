import Foundation
import Testing

/// Makes a picture of each state of the reader, for people to look at: `scripts/screenshots DIR`.
@Suite(
  .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] != nil))
struct `Screenshots` {
  private let folder = ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] ?? ""

  private func save(_ page: BrowserPage, _ name: String) async throws {
    // What is on its way to the screen is to be seen: two frames.
    try await page.value(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    try await page.screenshot().write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
  }

  private static let pictures =
    "[...document.querySelectorAll('.slide img, .row img')].slice(0, 8).every((image) => image.complete)"

  @Test(arguments: ["zh", "en"], ["light", "dark"])
  func `of the sample's days`(language: String, scheme: String) async throws {
    let served = try await ServedDays.sample(days: 3)
    defer { served.stop() }
    let page = try await BrowserPage(
      features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme],
      language: language, density: 1)
    try await page.go(to: served.address)
    try await page.wait(
      until: "document.documentElement.classList.contains('ready') && \(Self.pictures)")
    let name = "\(language)-\(scheme)"
    try await save(page, "first-view-\(name)")
    print(
      "first contentful paint, \(name):",
      try await page.number(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime"), "ms")
    try await page.value("document.querySelector('.step.after').click()")
    try await page.wait(until: "document.querySelectorAll('.dots i')[1].classList.contains('on')")
    try await save(page, "swiped-\(name)")
    try await page.value("document.querySelector('#page-today').scrollTo(0, 560)")
    try await page.wait(until: "document.querySelectorAll('.day').length > 1")
    try await save(page, "older-days-\(name)")
    try await page.value("document.querySelector('#page-today').scrollTo(0, 0)")
    try await page.value("document.querySelector('.row .mark').click()")
    for tab in ["past", "favourites", "statistics"] {
      try await page.tap("#tab-\(tab)")
      try await page.wait(
        until:
          "document.querySelector('#page-\(tab) :is(.past-day, .row, dl)') && document.querySelector('#tab-\(tab)').getAttribute('aria-selected') === 'true'"
      )
      try await save(page, "\(tab)-\(name)")
    }
    try await page.value("document.querySelector('#page-favourites .row .open').click()")
    try await page.wait(
      until:
        "location.pathname.includes('/stories/') && document.images.length > 2 && [...document.images].slice(0, 2).every((image) => image.complete)"
    )
    try await save(page, "story-\(name)")
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
    try await save(page, "dead-picture")
    try await page.drag(from: (180, 300), to: (180, 370))
    try await page.wait(until: "Number(document.querySelector('#ring').dataset.progress) > 0")
    try await save(page, "pulled")
    try await page.letGo()
    try await page.tap("#refresh")
    try await page.wait(
      until: "document.querySelector('.hud .panel').textContent.includes('2 / 5')")
    try await save(page, "refreshing")
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
      try await save(page, name)
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
    try await save(page, "offline")
    try await page.close()

    stub.change {
      $0.latest = (404, "{}")
      $0.hidesFirstScreen = true
    }
    let empty = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"], density: 1)
    try await empty.go(to: stub.address)
    try await empty.wait(until: "document.querySelector('#page-today .empty')")
    try await save(empty, "no-data")
    try await empty.close()

    stub.change {
      $0 = ReaderStub.Plan(days: [("20260901", 10_000, 5)])
    }
    let large = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"], density: 1)
    try await large.go(to: stub.address)
    try await large.wait(until: "document.querySelector('#page-today').scrollHeight > 950000")
    try await large.value("document.querySelector('#page-today').scrollTo(0, 475000)")
    try await large.wait(until: "document.elementFromPoint(100, 400)?.closest('.row')")
    try await save(large, "ten-thousand")
    try await large.close()
  }
}
