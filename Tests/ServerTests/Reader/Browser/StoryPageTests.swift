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

  private static let isThere =
    "location.pathname.includes('/stories/') && document.readyState === 'complete' && $('.tools button')"

  @Test func `says who wrote it, when, where it is from and whose its picture is`() async throws {
    let plan = with(plan()) {
      $0.story?.header = "https://p.invalid/h.jpg"
      $0.story?.headerCredit = "A <b> / CC0"
    }
    try await reading(plan, path: Self.path, waitsUntilReady: false) { page, _ in
      try await page.wait(until: Self.isThere)

      try await page.expect(
        text: "[...$('.facts').children].map((fact) => fact.textContent).join(' | ')",
        "样例 · 1 分钟 | 今天 | a.invalid ↗")
      try await page.expect(text: "$('time').dateTime", "2026-09-01")
      try await page.expect(text: "$('figcaption').textContent", "图片：A <b> / CC0")
    }
  }

  @Test func `a star given there is in the list, and can be taken back there`() async throws {
    try await reading(plan(), allowsShift: true) { page, stub in
      try await page.value("$('.row .open').click()")
      try await page.wait(until: Self.isThere)
      let star = "$('.top .mark').getAttribute('aria-pressed')"
      try await page.expect(text: star, "false")
      try await page.tap(".top .mark")
      try await page.wait(until: "\(star) === 'true'")
      try await page.go(to: stub.address)
      try await page.wait(until: "$('.row .mark')?.getAttribute('aria-pressed') === 'true'")
      try await page.go(to: stub.address + Self.path)
      try await page.wait(until: "\(Self.isThere) && \(star) === 'true'")
      try await page.tap(".top .mark")
      try await page.wait(until: "\(star) === 'false'")
    }
  }

  @Test func `the stories beside it take its place, and back leads to the list`() async throws {
    try await reading(plan(), allowsShift: true) { page, _ in
      let start = try await page.number(Self.place)
      try await page.value("$('.row .open').click()")
      try await page.wait(until: Self.isThere)
      try await page.expect(value: "$('[rel=prev]') === null", .bool(true))
      for number in 1...2 {
        try await page.value("$('[rel=next]').click()")
        try await page.wait(until: "location.pathname.endsWith('/\(number)') && \(Self.isThere)")
      }
      try await page.expect(text: "$('[rel=prev] span').textContent", "一盏灯能照多远？ 2")
      try await page.expect(number: Self.place, start + 1)
      try await page.tap("nav .back")
      try await page.wait(until: "location.pathname === '/'")

      try await page.expect(number: Self.place, start)
    }
  }

  @Test func `is left and found again at the same place, below its bar`() async throws {
    let text = String(repeating: "<p>text</p>", count: 200)
    try await reading(plan(html: text), path: Self.path, waitsUntilReady: false) { page, stub in
      try await page.wait(until: Self.isThere)
      try await page.value("scrollTo({ top: 4000, behavior: 'instant' })")
      try await page.wait(until: "document.documentElement.classList.contains('scrolled')")
      try await page.expect(number: "$('.top').getBoundingClientRect().top", 0)
      let read = "Number(document.documentElement.style.getPropertyValue('--read'))"
      try await page.wait(
        until:
          "Math.abs(\(read) - 4000 / (document.documentElement.scrollHeight - innerHeight)) < .01")
      try await page.go(to: stub.address)
      try await page.wait(until: "location.pathname === '/'")
      try await page.go(to: stub.address + Self.path)
      try await page.wait(until: "Math.abs(scrollY - 4000) < 3")
      // What was read to its end begins again.
      try await page.value("scrollTo({ top: 1e6, behavior: 'instant' })")
      try await page.go(to: stub.address)
      try await page.wait(until: "location.pathname === '/'")
      try await page.go(to: stub.address + Self.path)
      try await page.wait(until: Self.isThere)
      try await page.expect(number: "scrollY", 0)
    }
  }

  @Test(arguments: [320, 1280])
  func `pictures are as wide as the column, small ones in its middle`(width: Int) async throws {
    let html =
      "<p><img src='https://p.invalid/large'></p><p>a <img src='https://p.invalid/small'></p>"
    try await reading(
      plan(html: html), path: Self.path, size: (width, 640), allowsShift: true,
      waitsUntilReady: false
    ) { page, _ in
      try await page.wait(until: "\(Self.isThere) && $$('main .zoom').length === 2")

      try await page.expect(
        text: """
          (() => { const column = $('article > p:last-of-type').getBoundingClientRect();
            const [large, small] = $$('main .zoom img').map((image) => image.getBoundingClientRect());
            const middle = ({ left, right }) => Math.round(left + right);
            return [large.width === column.width, small.width, middle(small) === middle(column)].join(); })()
          """, "true,120,true")
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
      try await page.tap("nav .back")
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
      try await page.tap("nav .back")
      try await page.wait(until: "location.pathname === '/'")

      try await page.expect(number: Self.place, start + 1)
    }
  }

  @Test func `back needs no script`() async throws {
    let plan = with(plan()) { $0.scripts = Gate() }
    try await reading(plan, path: Self.path, waitsUntilReady: false) { page, _ in
      try await page.wait(until: "$('nav a')")
      try await page.tap("nav .back")

      try await page.wait(until: "location.pathname === '/' && $('.row')")
    }
  }
}
