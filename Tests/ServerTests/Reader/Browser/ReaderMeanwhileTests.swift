import Testing

@testable import ImageFeeds
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// The page while something else goes on: two loads, two fingers, two pages that show one story.
@Suite(.serialized, .needsBrowser)
struct `The reader meanwhile`: ReaderVisiting {
  private static let days =
    "$$('#page-today .day').map((day) => day.dataset.day)"

  @Test func `an older day that comes after a refresh is not among other days`() async throws {
    let (older, refresh) = (Gate(), Gate())
    let plan = ReaderStub.Plan(refresh: refresh, older: older)
    try await reading(plan, allowsShift: true) { page, stub in
      try await page.value("$('#page-today').scrollTo(0, 1e9)")
      try await page.wait(until: "!$('#spinner').hidden")
      try await page.value("$('#refresh').click()")
      try await waitForNotice("2 / 5", on: page)
      // The day that is on its way is gone when the newest one comes anew.
      stub.change { $0.days.remove(at: 1) }
      refresh.open()
      try await waitForNotice("已更新", on: page)
      older.open()
      try await page.value("$('#page-today').scrollTo(0, 1e9)")
      try await page.wait(
        until: """
          performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/days/20260831'))
            && \(Self.days).length >= 2
          """)

      try await page.expect(text: "\(Self.days).slice(0, 2).join()", "20260901,20260830")
      try await page.expect(value: "\(Self.days).includes('20260831')", .bool(false))
    }
  }

  @Test func `a day that arrives leaves the notice of a refresh that still runs`() async throws {
    let (older, refresh) = (Gate(), Gate())
    let plan = ReaderStub.Plan(refresh: refresh, older: older)
    try await reading(plan, allowsShift: true) { page, _ in
      try await show("past", on: page)
      let day = "#page-past [data-day=\"20260830\"]"
      try await page.wait(until: "$('\(day) .day-head')")
      try await page.value("$('\(day) .day-head').click()")
      try await page.wait(until: "!$('.hud').hidden")
      try await page.value("$('#refresh').click()")
      try await waitForNotice("2 / 5", on: page)
      older.open()
      try await page.wait(until: "$$('\(day) .row').length === 7")

      try await page.expect(text: "$('.hud').dataset.mask", "black")
      try await page.expect(value: "$('#pages').inert", .bool(true))
      refresh.open()
      try await waitForNotice("已更新", on: page)
      try await page.expect(text: "$('.hud').dataset.mask", "none")
    }
  }

  @Test func `a second finger ends the pull of the first`() async throws {
    try await reading(allowsShift: true) { page, stub in
      let height = "$('.banner').offsetHeight"
      try await page.drag(from: (180, 300), to: (180, 500))
      try await page.wait(until: "\(height) === 280")
      try await page.touch("touchStart", (180, 500), (240, 500))
      try await page.wait(until: "\(height) === 220")
      try await page.letGo()

      #expect(stub.requests.filter { $0.method == "POST" }.isEmpty)
    }
  }

  @Test func `a mark shows wherever its story stands`() async throws {
    try await reading(allowsShift: true) { page, _ in
      let mark = "$('#page-today .mark').getAttribute('aria-pressed')"
      try await show("past", on: page)
      let day = "#page-past [data-day=\"20260901\"]"
      try await page.wait(until: "$('\(day) .day-head')")
      try await page.value("$('\(day) .day-head').click()")
      try await page.wait(until: "$('\(day) .mark')")
      try await page.value("$('\(day) .mark').click()")

      try await page.expect(text: mark, "true")
      try await show("favourites", on: page)
      try await page.wait(until: "$$('#page-favourites .row').length === 1")
      try await page.value("$('#page-favourites .mark').click()")
      try await page.expect(text: mark, "false")
      // What is out of sight there has no rows.
      try await show("past", on: page)
      try await page.wait(until: "$('\(day) .mark').getAttribute('aria-pressed') === 'false'")
    }
  }

  @Test func `pictures of a page out of sight are not fetched before it is shown`() async throws {
    try await reading(allowsShift: true) { page, _ in
      let shown = "$$('#page-today img[src]').length"
      try await show("favourites", on: page)
      try await page.wait(until: "\(shown) === 0")
      try await page.value("$('#refresh').click()")
      try await waitForNotice("已更新", on: page)

      try await page.expect(number: shown, 0)
      try await page.expect(value: "$$('#page-today img').length > 8", .bool(true))
      try await show("today", on: page)
      try await page.wait(until: "\(shown) > 8")
    }
  }

  /// Sets the strip on a slot, at rest, with nothing that moves it by itself.
  private func place(_ page: BrowserPage, on slot: Int) async throws {
    try await page.value(
      """
      $('.pause[data-state=playing]')?.click();
      window.strip = $('.strip');
      strip.scrollTo({ left: \(slot) * strip.clientWidth, behavior: 'instant' });
      """)
    try await page.wait(
      until: "\(`The reader`.slot) === \(slot) && \(`The reader`.dot) === \(slot - 1)")
  }

  @Test(arguments: [(7, false, 3), (4, true, 2)])
  func `every press on a step of the carousel counts, however fast they come`(
    presses: Int, backwards: Bool, slot: Int
  ) async throws {
    try await reading(features: [:]) { page, _ in
      try await place(page, on: 1)
      try await page.value(
        """
        for (let press = 0; press < \(presses); press += 1) {
          $('.step.\(backwards ? "before" : "after")').click();
        }
        """)

      try await page.wait(until: "strip.scrollLeft === \(slot) * strip.clientWidth")
    }
  }

  @Test func `a step arrives also where the browser drops the smooth scrolling`() async throws {
    try await reading(features: [:]) { page, _ in
      try await place(page, on: 1)
      try await page.value(
        """
        const scrollTo = strip.scrollTo.bind(strip);
        strip.scrollTo = (to) => { if (to.behavior !== 'smooth') scrollTo(to); };
        $('.step.before').click();
        $('.step.before').click();
        """)

      try await page.wait(until: "strip.scrollLeft === 4 * strip.clientWidth")
    }
  }

  @Test func `a swipe on a ghost counts, also before the strip has come to rest`() async throws {
    try await reading { page, _ in
      try await place(page, on: 5)
      // The page is not told of the end of the scrolling, as by a browser that is slow to say so.
      try await page.value(
        """
        window.addEventListener('scrollend', (event) => {
          window.hasEnded = true;
          event.stopImmediatePropagation();
        }, true);
        """)
      try await swipe(page, by: -270, at: 110)
      try await page.wait(until: "window.hasEnded && strip.scrollLeft === 6 * strip.clientWidth")
      try await page.touch("touchStart", (335, 110))
      try await page.wait(until: "strip.scrollLeft === strip.clientWidth")
      try await page.showFrame()
      try await page.move(from: (335, 110), to: (65, 110))
      try await page.rest()
      try await page.letGo()

      try await page.wait(
        until: "strip.scrollLeft === 2 * strip.clientWidth && \(`The reader`.dot) === 1")
    }
  }

  @Test func `a dead picture leaves its place and a word, until it comes after all`() async throws {
    var plan = ReaderStub.Plan()
    plan.deadPictures = ["20260901-s1"]
    try await reading(plan, expectingRefusals: true) { page, stub in
      try await page.wait(until: "$$('.picture.dead').length === 1")
      try await page.expect(text: "$('.picture.dead').getAttribute('aria-label')", "图片无法显示")
      try await page.expect(number: "$('.picture.dead').offsetWidth", 75)
      try await page.expect(number: "$('.picture.dead').closest('.row').offsetHeight", 95)
      stub.change { $0.deadPictures = [] }
      try await show("favourites", on: page)
      try await page.wait(until: "$$('#page-today img[src]').length === 0")
      try await show("today", on: page)

      try await page.wait(
        until: "$$('.picture.dead, .picture[role], .picture[aria-label]').length === 0")
    }
  }
}
