import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// The size of text: that of the browser's settings, and the one that is chosen in the page.
@Suite(.serialized, .needsBrowser)
struct `The reader's text`: ReaderVisiting {
  private static let titleSize = "getComputedStyle($('#page-today .row .title')).fontSize"

  /// Rows whose text leaves them or is cut off above or below, and chunks that are lower than their
  /// rows.
  private static let cramped = """
    [...$$('#page-today .row').filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return [...row.querySelectorAll('.title, .hint')].some((text) => {
        const box = text.getBoundingClientRect();
        return box.height === 0 || box.top < top || box.bottom > bottom || text.scrollHeight > text.clientHeight + 1;
      });
    }), ...$$('#page-today .chunk').filter((chunk) =>
      Math.max(...[...chunk.children].map((row) => row.getBoundingClientRect().bottom))
        > chunk.getBoundingClientRect().bottom + 1)].length
    """

  @Test(arguments: [(9, 375), (16, 375), (24, 375), (32, 375), (24, 1280), (32, 1280)])
  func `follows the browser's font size, and rows grow with it`(size: Int, width: Int) async throws
  {
    try await reading(size: (width, 800), fontSize: size, allowsShift: true) { page, _ in
      try await page.expect(
        text: "getComputedStyle(document.documentElement).fontSize", "\(size)px")
      try await page.expect(number: Self.cramped, 0)
      let row = try await page.number("$('.row').offsetHeight")
      #expect(size <= 16 || row > 95)
    }
  }

  @Test func `a size that was chosen holds for lists and stories, over a new visit too`()
    async throws
  {
    let plan = with(ReaderStub.Plan()) {
      $0.story = StoryPage(title: "a", url: "https://a.invalid/", html: "<p>text</p>")
    }
    try await reading(plan, allowsShift: true) { page, stub in
      try await page.expect(text: Self.titleSize, "16px")
      try await page.tap("#settings")
      try await page.wait(until: "$('#settings-layer').open")
      let larger = "$('#settings-layer [data-by=\"1\"]')"
      for _ in 0..<4 { try await page.value("\(larger).click()") }
      try await page.wait(until: "\(Self.titleSize) === '24px'")
      try await page.expect(text: "$('#settings-layer output').textContent", "150%")
      try await page.expect(text: "\(larger).getAttribute('aria-disabled')", "true")
      try await page.expect(number: Self.cramped, 0)

      try await page.go(to: stub.address + "days/20260901/stories/0")
      try await page.wait(until: "$('.tools .size')")
      try await page.expect(
        text: "getComputedStyle($('article p:last-of-type')).fontSize", "25.5px")
      try await page.tap(".top [data-by=\"-1\"]")
      try await page.wait(until: "document.documentElement.dataset.size === '3'")
      try await page.go(to: stub.address)
      try await page.wait(until: "\(Self.titleSize) === '20px'")
    }
  }
}
