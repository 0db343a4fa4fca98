import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// What lies over the reader: pictures in full, the search, the calendar.
@Suite(.serialized, .needsBrowser)
struct `Over the reader`: ReaderVisiting {
  private static let focused = "document.activeElement"

  // MARK: Pictures

  private static let place = "$('#viewer .place').textContent"
  private static let isShown = "$('#viewer')?.open && $('.stage').dataset.state === 'shown'"
  private static let scale = "new DOMMatrix(getComputedStyle($('.stage img')).transform).a"

  private func openPicture(_ page: BrowserPage, number: Int = 0) async throws {
    try await page.value("$$('#page-today .zoom')[\(number)].focus()")
    try await page.value("$$('#page-today .zoom')[\(number)].click()")
    try await page.wait(until: Self.isShown)
  }

  @Test func `keys go through the pictures of a day, zoom, and close the view`() async throws {
    try await reading { page, _ in
      try await openPicture(page)
      // Of eight stories seven have a picture; from the first one goes back to the last.
      try await page.expect(text: Self.place, "1 / 7")
      for (key, code, place) in [
        ("ArrowRight", 39, "2 / 7"), ("ArrowLeft", 37, "1 / 7"), ("ArrowLeft", 37, "7 / 7"),
        ("Home", 36, "1 / 7"), ("End", 35, "7 / 7"),
      ] {
        try await page.key(key, code: code)
        try await page.wait(until: "\(Self.place) === '\(place)' && \(Self.isShown)")
      }
      try await page.expect(text: "$('#viewer .name').textContent", "云从哪里来？ 8")
      try await page.key("+", code: 187)
      try await page.wait(until: "\(Self.scale) === 1.5 && \(Self.isShown)")
      // From near, arrows move the picture and not to another one.
      try await page.key("ArrowRight", code: 39)
      try await page.expect(text: Self.place, "7 / 7")
      try await page.key("-", code: 189)
      try await page.wait(until: "\(Self.scale) === 1")
      try await page.key("Escape", code: 27)

      try await page.wait(until: "!$('#viewer').open && !history.state?.layer")
      try await page.wait(until: "\(Self.focused).className === 'zoom'")
    }
  }

  @Test func `the focus stays in the view, and the way back closes it`() async throws {
    try await reading { page, _ in
      try await openPicture(page, number: 2)
      for _ in 0..<12 {
        try await page.key("Tab", code: 9)
        try await page.expect(
          value:
            "document.activeElement === document.body || !!document.activeElement.closest('#viewer')",
          .bool(true))
      }
      try await page.value("history.back()")
      try await page.wait(until: "!$('#viewer').open")

      try await page.expect(text: "location.pathname", "/")
      try await page.wait(until: "\(Self.focused) === $$('#page-today .zoom')[2]")
    }
  }

  /// Taps twice. On a busy machine the second tap may come too late for a double tap: then again.
  private func doubleTap(_ page: BrowserPage, untilScale scale: Int) async throws {
    for _ in 0..<20 {
      for _ in 0..<2 {
        try await page.touch("touchStart", (187, 300))
        try await page.letGo()
      }
      let result = try await page.number(
        "new Promise((done) => setTimeout(() => done(\(Self.scale)), 600))")
      if Int(result) == scale { return }
    }
    try await page.wait(until: "\(Self.scale) === \(scale)")
  }

  @Test func `a swipe goes to the next picture, two taps zoom, a pull down closes`() async throws {
    try await reading { page, _ in
      try await openPicture(page)
      try await swipe(page, by: -200, at: 330)
      try await page.wait(until: "\(Self.place) === '2 / 7' && \(Self.isShown)")
      try await swipe(page, by: 200, at: 330)
      try await page.wait(until: "\(Self.place) === '1 / 7' && \(Self.isShown)")
      try await doubleTap(page, untilScale: 3)
      // What is near is moved by a finger.
      try await swipe(page, by: -200, at: 330)
      try await page.expect(text: Self.place, "1 / 7")
      try await doubleTap(page, untilScale: 1)
      try await page.drag(from: (187, 200), to: (190, 420))
      try await page.letGo()

      try await page.wait(until: "!$('#viewer').open")
    }
  }

  @Test func `two fingers and the wheel zoom about their place`() async throws {
    try await reading { page, stub in
      try await openPicture(page)
      try await page.touch("touchStart", (150, 300), (220, 300))
      for step in 1...5 {
        try await page.touch("touchMove", (150 - step * 10, 300), (220 + step * 10, 300))
      }
      try await page.wait(until: "\(Self.scale) > 2 && \(Self.scale) < 3")
      try await page.letGo()
      // From near the original is shown.
      try await page.wait(until: "new URL($('.stage img').src).search === ''")
      try await page.value(
        "$('.stage').dispatchEvent(new WheelEvent('wheel', { deltaY: 5000, bubbles: true, cancelable: true }))"
      )
      try await page.wait(until: "\(Self.scale) === 1")

      #expect(stub.requests.contains { $0.path == "/picture/20260901-s0" && $0.query == nil })
    }
  }

  // MARK: Searching

  private static let state = "$('#search-layer').dataset.state"
  private static let hits = "$$('.hit')"

  @Test func `a search finds titles of all days, with their day and picture`() async throws {
    try await reading { page, stub in
      try await page.key("/", code: 191)
      try await page.wait(until: "$('#search-layer').open")
      try await page.expect(text: Self.state, "blank")
      try await page.type("雾是", into: "#search-layer input")
      try await page.wait(until: "\(Self.state) === 'done' && \(Self.hits).length === 6")

      try await page.expect(
        text: "\(Self.hits)[0].querySelector('.title').textContent", "雾是低处的云吗？ 4")
      try await page.expect(
        text: "\(Self.hits)[0].querySelector('.hint').textContent", "今天 · 样例 · 4 分钟")
      try await page.expect(text: "$('#search-layer .status').textContent", "6 条结果")
      try await page.expect(number: "$$('.hit img').length", 6)
      // One request, however many keys.
      #expect(stub.requests.filter { $0.query?.contains("q=") == true }.count == 1)
    }
  }

  @Test func `arrows go through the results and back, and Enter reads one`() async throws {
    var plan = ReaderStub.Plan()
    plan.story = StoryPage(title: "a", url: "https://a.invalid/", html: "<p>text</p>")
    try await reading(plan, allowsShift: true) { page, _ in
      try await page.value("$('#search').click()")
      try await page.type("雾是", into: "#search-layer input")
      try await page.wait(until: "\(Self.hits).length === 6")
      try await page.key("ArrowDown", code: 40)
      try await page.key("ArrowDown", code: 40)
      try await page.expect(value: "\(Self.focused) === \(Self.hits)[1]", .bool(true))
      try await page.key("ArrowUp", code: 38)
      try await page.key("ArrowUp", code: 38)
      try await page.expect(text: "\(Self.focused).localName", "input")
      try await page.value("\(Self.hits)[0].click()")
      try await page.wait(until: "location.pathname.includes('/stories/')")
      try await page.wait(until: "document.readyState === 'complete'")
      // Back from the story the search is there as it was.
      try await page.value("history.back()")
      try await page.wait(until: "location.pathname === '/' && \(Self.hits).length === 6")

      try await page.expect(text: "$('#search-layer input').value", "雾是")
    }
  }

  @Test func `what was typed last is what is found`() async throws {
    let gate = Gate()
    try await reading(.init(search: gate)) { page, stub in
      try await page.value("$('#search').click()")
      try await page.type("山", into: "#search-layer input")
      try await page.wait(until: "$('#search-layer .status').textContent.includes('正在搜索')")
      try await page.type("雾是", into: "#search-layer input")
      gate.open()
      try await page.wait(until: "\(Self.state) === 'done' && \(Self.hits).length === 6")

      try await page.expect(
        value: "\(Self.hits).every((hit) => hit.textContent.includes('雾是'))", .bool(true))
    }
  }

  @Test func `no result and an unavailable server have different messages`() async throws {
    try await reading(language: "en", expectingRefusals: true) { page, _ in
      let status = "$('#search-layer .status').textContent"
      try await page.value("$('#search').click()")
      try await page.type("zzz", into: "#search-layer input")
      try await page.wait(until: "\(status) === 'No story has all of these words'")
      try await page.goOffline()
      try await page.type("yyy", into: "#search-layer input")

      try await page.wait(until: "\(status) === 'The connection failed'")
    }
  }

  // MARK: Statistics

  @Test func `the statistics are no tab, but opened from the settings`() async throws {
    try await reading { page, _ in
      try await page.expect(number: "$$('[role=tab]').length", 3)
      try await page.tap("#settings")
      try await page.value("$$('#settings-layer .choice').at(-1).click()")
      try await page.wait(until: "$('#statistics-layer dl')?.textContent.includes('1,234')")
      try await page.key("Escape", code: 27)
      try await page.wait(until: "!$('#statistics-layer').open && !history.state?.layer")
    }
  }

  @Test func `texts have the direction of their letters`() async throws {
    let plan = with(ReaderStub.Plan()) { $0.title = "مرحبا بالعالم" }
    try await reading(plan, allowsShift: true) { page, _ in
      for text in [".row .title", ".slide strong"] {
        try await page.expect(text: "$('\(text)').dir", "auto")
        try await page.expect(text: "$('\(text)').matches(':dir(rtl)')", "true")
      }
      try await page.expect(text: "document.documentElement.lang", "zh-CN")
      try await page.expect(text: "$('.row .hint').matches(':dir(ltr)')", "true")
    }
  }

  // MARK: The calendar

  private func day(_ day: String) -> String {
    "$('#calendar-layer [data-day=\"\(day)\"]')"
  }

  @Test func `the calendar marks kept days, jumps to one and back to the newest`() async throws {
    var plan = ReaderStub.Plan()
    plan.incompleteDays = ["20260830"]
    try await reading(plan, allowsShift: true) { page, stub in
      try await page.value("$('#calendar').click()")
      try await page.wait(until: "\(day("20260901")).dataset.state === 'complete'")
      try await page.expect(text: "\(Self.focused).dataset.day", "20260901")
      try await page.expect(text: "\(day("20260901")).getAttribute('aria-current')", "date")
      try await page.expect(text: "\(day("20260902")).getAttribute('aria-disabled')", "true")
      try await page.value("$('#calendar-layer .before').click()")
      try await page.wait(until: "\(day("20260830"))?.dataset.state === 'incomplete'")
      try await page.expect(
        text: "\(day("20260830")).getAttribute('aria-label')",
        "2026年8月30日 星期日, 7 篇文章 · 7 张图片，已缓存 6 张")
      // A day that is not kept does nothing.
      try await page.value("\(day("20260801")).click()")
      try await page.expect(value: "$('#calendar-layer').open", .bool(true))
      try await page.value("\(day("20260830")).click()")
      try await page.wait(until: "$('.day').dataset.day === '20260830'")
      try await page.expect(text: "location.pathname", "/days/20260830")
      try await page.expect(value: "$('#calendar-layer').open", .bool(false))
      try await page.value("history.back()")

      try await page.wait(until: "$('.day').dataset.day === '20260901'")
      // The list of days does not read all of them.
      #expect(stub.requests.contains { $0.path == "/days" && $0.query == "brief=1" })
      #expect(!stub.requests.contains { $0.path == "/days" && $0.query == nil })
    }
  }

  @Test func `the calendar is operated by keyboard`() async throws {
    try await reading(language: "en", allowsShift: true) { page, _ in
      try await page.value("$('#calendar').focus()")
      try await page.value("$('#calendar').click()")
      try await page.wait(until: "\(Self.focused).dataset.day === '20260901'")
      for (key, code, day) in [
        ("ArrowLeft", 37, "20260831"), ("ArrowUp", 38, "20260824"), ("ArrowDown", 40, "20260831"),
        ("Home", 36, "20260801"), ("End", 35, "20260831"), ("PageDown", 34, "20260901"),
        ("PageUp", 33, "20260831"), ("ArrowLeft", 37, "20260830"),
      ] {
        try await page.key(key, code: code)
        try await page.wait(until: "\(Self.focused).dataset.day === '\(day)'")
      }
      try await page.value("\(Self.focused).click()")

      try await page.wait(until: "$('.day').dataset.day === '20260830'")
      try await page.value("$('.to-newest').click()")
      try await page.wait(until: "$('.day').dataset.day === '20260901'")
      try await page.expect(text: "location.pathname", "/")
    }
  }

  @Test func `an address names its day, and one that is not kept shows the newest`() async throws {
    try await reading(path: "days/20260829", allowsShift: true) { page, _ in
      try await page.expect(text: "$('.day').dataset.day", "20260829")
      try await page.expect(text: "$('.to-newest').textContent", "↑ 回到最新一天")
      try await page.expect(text: "document.title", "8月29日 星期六 · 每日阅读")
    }
    try await reading(path: "days/20010101", expectingRefusals: true, allowsShift: true) {
      page, _ in
      try await page.expect(text: "$('.day').dataset.day", "20260901")
      try await page.expect(text: "location.pathname", "/")
    }
  }
}
