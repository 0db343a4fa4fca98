import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// The reader as users have it: `imgcache prefetch`, `imgcache serve`, a browser.
@Suite(.serialized, .needsBrowser)
struct `The reader of imgcache serve` {
  @Test func `the days of the sample are shown, pulled anew and read, with nothing amiss`()
    async throws
  {
    let served = try await ServedDays.sample(days: 3)
    defer { served.stop() }
    let page = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"])
    try await page.go(to: served.address)
    try await page.wait(until: "document.documentElement.classList.contains('ready')")

    // Every picture in sight is there.
    try await page.wait(
      until: """
        [...document.querySelectorAll('.slide img, .row img')].length > 8
          && [...document.querySelectorAll('.slide img')].every((image) => image.naturalWidth > 0)
        """)
    try await page.expect(number: "document.querySelectorAll('.slide').length", 7)
    for count in 2...3 {
      try await page.value("document.querySelector('#page-today').scrollTo(0, 1e9)")
      try await page.wait(until: "document.querySelectorAll('.day').length === \(count)")
    }
    #expect(try await page.layoutShifts() == "")

    // A refresh asks the origin and tells how far it is.
    try await page.tap("#refresh")
    try await page.wait(
      until: "document.querySelector('.hud .panel').textContent.includes('已更新')")

    // A story's page comes from the cache, with its pictures and no script but ours.
    try await page.value("document.querySelector('.row .open').click()")
    try await page.wait(
      until: "location.pathname.includes('/stories/') && document.images.length >= 4")
    try await page.value("window.scrollTo(0, document.body.scrollHeight)")
    try await page.wait(until: "[...document.images].every((image) => image.naturalWidth > 0)")
    try await page.expect(
      text: "[...document.scripts].map(({ src }) => new URL(src).pathname).join()",
      "/reader/story.js")

    #expect(page.faults() == [])
    #expect(page.requests().filter { !$0.hasPrefix(served.address) } == [])
    try await page.close()
  }

  @Test func `an empty cache says so, and the page stands`() async throws {
    let served = try await ServedDays([])
    defer { served.stop() }
    let page = try await BrowserPage()
    try await page.go(to: served.address)
    try await page.wait(until: "document.querySelector('#page-today .empty')")

    try await page.expect(
      text: "document.querySelector('#page-today .empty').dataset.reason", "noDay")
    #expect(page.faults(expectingRefusals: true) == [])
    try await page.close()
  }

  @Test func `days that were removed do not hide the one that is there`() async throws {
    let served = try await ServedDays(
      ["--sample", "yesterday"],
      preparing: [
        ["prefetch", "--quiet", "--sample", "--days", "3"], ["rm", "--quiet", "--all"],
      ],
      serving: ["--sample"])
    defer { served.stop() }
    let page = try await BrowserPage()
    try await page.go(to: served.address)
    try await page.wait(until: "document.documentElement.classList.contains('ready')")

    try await page.expect(
      number: "fetch('/days').then((answer) => answer.json()).then(({ days }) => days.length)", 1)
    try await page.expect(value: "document.querySelectorAll('.row').length > 0", .bool(true))
    try await page.expect(value: "document.querySelector('.empty') === null", .bool(true))
    #expect(page.faults() == [])
    try await page.close()
  }

  @Test func `a stand-in for a picture that cannot be had is told for what it is`() async throws {
    // A list is one story; its first picture is the one beside its title.
    let origin = try ListOrigin(count: 2, missing: [0])
    defer { origin.stop() }
    let served = try await ServedDays(["--feed", origin.feed], missing: true)
    defer { served.stop() }
    let page = try await BrowserPage()
    try await page.go(to: served.address)
    try await page.wait(
      until: """
        document.documentElement.classList.contains('ready')
          && [...document.querySelectorAll('.row img')].some((image) => image.naturalWidth > 0)
        """)
    try await page.wait(until: "document.querySelectorAll('.row .picture[role=img]').length === 1")

    try await page.expect(
      text: "document.querySelector('.row .picture[role=img]').getAttribute('aria-label')", "图片无法显示"
    )
    #expect(page.faults() == [])
    try await page.close()
  }

  @Test(.needsFixtures)
  func `recorded days follow one another as one scrolls`() async throws {
    let origin = try ReplayOrigin(latest: "20170210")
    let served = try await ServedDays(
      ["20170209...20170210", "--api", origin.origin + "/api/4/"], serving: ["--offline"])
    defer { served.stop() }
    origin.stop()
    let page = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"])
    try await page.go(to: served.address)
    try await page.wait(until: "document.documentElement.classList.contains('ready')")
    try await page.value("document.querySelector('#page-today').scrollTo(0, 1e9)")
    try await page.wait(until: "document.querySelectorAll('.day').length === 2")
    try await page.value("document.querySelector('#page-today').scrollTo(0, 0)")
    try await page.wait(
      until: """
        (() => { const images = [...document.querySelectorAll('.row img')].slice(0, 4);
          return images.length === 4 && images.every((image) => image.naturalWidth > 0); })()
        """)

    try await page.expect(
      text: "[...document.querySelectorAll('.day')].map((day) => day.dataset.day).join()",
      "20170210,20170209")
    #expect(page.faults() == [])
    #expect(page.requests().filter { !$0.hasPrefix(served.address) } == [])
    try await page.close()
  }
}
