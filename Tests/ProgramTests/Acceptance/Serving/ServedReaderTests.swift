import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// The reader as users have it: `imgcache prefetch`, `imgcache serve`, a browser.
@Suite(.serialized, .needsBrowser)
struct `The reader of imgcache serve` {
  @Test func `the days of the sample are shown, refreshed and read`() async throws {
    let served = try await ServeProgram.sample(days: 3)
    defer { served.child.stop() }
    let page = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"])
    try await page.go(to: served.url("/"))
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
    // Its facts, its picture's credit, and pictures as wide as the column.
    try await page.expect(
      text: "document.querySelector('.facts time').textContent", "今天")
    try await page.expect(
      text: "document.querySelector('figcaption').textContent", "图片：样例 / CC0")
    try await page.expect(
      text: "document.querySelector('article p img').getAttribute('width')", "720")

    #expect(page.faults() == [])
    #expect(page.requests().filter { !$0.hasPrefix(served.url("/")) } == [])
    try await page.close()
  }
}
