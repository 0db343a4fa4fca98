import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// The page of a story in a real browser.
@Suite(.serialized, .needsBrowser)
struct `The page of a story in the reader`: ReaderVisiting {
  private static let path = "days/20260901/stories/0"

  private func plan(title: String = "A title", html: String = "<p>text</p>") -> ReaderStub.Plan {
    var plan = ReaderStub.Plan()
    plan.story = StoryPage(title: title, url: "https://a.invalid/", html: html)
    return plan
  }

  @Test func `a long word breaks, and what is wide scrolls by itself`() async throws {
    let word = String(repeating: "W", count: 226)
    let blocks = ["p", "h2", "blockquote", "figcaption"].map { "<\($0)>\(word)</\($0)>" }
    let html = """
      \(blocks.joined())<ul><li>\(word)</li></ul><dl><dd>\(word)</dd></dl>
      <p><a href="https://a.invalid/">\(word)</a> <code>\(word)</code></p>
      <pre>\(word)</pre><table><tr><td>\(word)</td><td>\(word)</td></tr></table>
      """
    try await reading(
      plan(title: word, html: html), path: Self.path, size: (320, 640), waitsUntilReady: false
    ) { page, _ in
      try await page.wait(until: "$('table') && innerWidth === 320")

      try await page.expect(number: "document.documentElement.scrollWidth", 320)
      for wide in ["pre", "table"] {
        try await page.expect(
          value: "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)($('\(wide)'))",
          .bool(true))
      }
    }
  }

  /// Where in its history the tab is.
  private static let place = "navigation.currentEntry.index"

  @Test(arguments: [".row .open", ".slide:not([aria-hidden])"])
  func `back leads to where the reader was left`(link: String) async throws {
    try await reading(plan(), allowsShift: true) { page, _ in
      let start = try await page.number(Self.place)
      try await page.value("$('\(link)').click()")
      try await page.wait(
        until: "location.pathname.includes('/stories/') && document.readyState === 'complete'")
      try await page.expect(number: Self.place, start + 1)
      try await page.tap("nav a")
      try await page.wait(until: "location.pathname === '/'")

      try await page.expect(number: Self.place, start)
    }
  }

  @Test func `back leads to the reader where the story was opened by itself`() async throws {
    try await reading(plan(), waitsUntilReady: false) { page, stub in
      try await page.wait(until: "location.pathname === '/'")
      try await page.go(to: stub.address + Self.path)
      try await page.wait(
        until: "location.pathname.includes('/stories/') && document.readyState === 'complete'")
      let start = try await page.number(Self.place)
      try await page.tap("nav a")
      try await page.wait(until: "location.pathname === '/'")

      try await page.expect(number: Self.place, start + 1)
    }
  }

  @Test func `back needs no script`() async throws {
    let plan = with(plan()) { $0.scripts = Gate() }
    try await reading(plan, path: Self.path, waitsUntilReady: false) { page, _ in
      try await page.wait(until: "$('nav a')")
      try await page.tap("nav a")

      try await page.wait(until: "location.pathname === '/' && $('.row')")
    }
  }
}
