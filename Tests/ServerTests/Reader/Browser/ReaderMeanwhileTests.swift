import Testing

@testable import ImageFeeds
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// The page while something else goes on: two loads, two fingers, two pages that show one story.
@Suite(.serialized, .needsBrowser)
struct `The reader meanwhile`: ReaderVisiting {
  private static let days =
    "[...document.querySelectorAll('#page-today .day')].map((day) => day.dataset.day)"

  @Test func `an older day that comes after a refresh does not stand among those of another day`()
    async throws
  {
    let (older, refresh) = (Gate(), Gate())
    let plan = ReaderStub.Plan(days: ReaderStub.plainDays, refresh: refresh, older: older)
    try await reading(plan, allowsShift: true) { page, stub in
      try await page.value("document.querySelector('#page-today').scrollTo(0, 1e9)")
      try await page.wait(until: "!document.querySelector('#spinner').hidden")
      try await page.value("document.querySelector('#refresh').click()")
      try await waitForNotice("2 / 5", on: page)
      // The day that is on its way is gone when the newest one comes anew.
      stub.change { $0.days.remove(at: 1) }
      refresh.open()
      try await waitForNotice("已更新", on: page)
      older.open()
      try await page.value("document.querySelector('#page-today').scrollTo(0, 1e9)")
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
    let plan = ReaderStub.Plan(days: ReaderStub.plainDays, refresh: refresh, older: older)
    try await reading(plan, allowsShift: true) { page, _ in
      try await show("past", on: page)
      let day = "#page-past [data-day=\"20260830\"]"
      try await page.wait(until: "document.querySelector('\(day) .day-head')")
      try await page.value("document.querySelector('\(day) .day-head').click()")
      try await page.wait(until: "!document.querySelector('.hud').hidden")
      try await page.value("document.querySelector('#refresh').click()")
      try await waitForNotice("2 / 5", on: page)
      older.open()
      try await page.wait(until: "document.querySelectorAll('\(day) .row').length === 7")

      try await page.expect(text: "document.querySelector('.hud').dataset.mask", "black")
      try await page.expect(value: "document.querySelector('#pages').inert", .bool(true))
      refresh.open()
      try await waitForNotice("已更新", on: page)
      try await page.expect(text: "document.querySelector('.hud').dataset.mask", "none")
    }
  }

  @Test func `a second finger ends the pull of the first`() async throws {
    try await reading(allowsShift: true) { page, stub in
      let height = "document.querySelector('.banner').offsetHeight"
      try await page.drag(from: (180, 300), to: (180, 500))
      try await page.wait(until: "\(height) === 280")
      try await page.touch("touchStart", (180, 500), (240, 500))
      try await page.wait(until: "\(height) === 220")
      try await page.letGo()

      #expect(stub.requests.filter { $0.method == "POST" }.isEmpty)
    }
  }

  @Test func `the tab that was just left is gone back to while the pages are on their way`()
    async throws
  {
    try await reading { page, _ in
      // In one go: the page has not been told yet that it moves.
      let place = try await page.number(
        """
        (() => {
          for (const name of ['favourites', 'today']) document.querySelector(`#tab-${name}`).click();
          return document.querySelector('#pages').scrollLeft;
        })()
        """)

      #expect(place == 0)
      try await page.wait(until: "\(`The reader`.indicator) === 0")
      try await page.expect(
        text: "document.querySelector('#tab-today').getAttribute('aria-selected')", "true")
    }
  }

  @Test func `what was refreshed shows among the past days too`() async throws {
    try await reading(allowsShift: true) { page, stub in
      try await show("past", on: page)
      try await page.wait(until: "document.querySelectorAll('.past-day').length === 6")
      try await show("today", on: page)
      stub.change { $0.days.removeLast() }
      try await page.value("document.querySelector('#refresh').click()")
      try await waitForNotice("已更新", on: page)
      try await show("past", on: page)
      try await page.wait(until: "document.querySelectorAll('.past-day').length === 5")

      #expect(stub.count("/days") == 2)
    }
  }

  @Test func `a mark shows wherever its story stands`() async throws {
    try await reading(allowsShift: true) { page, _ in
      let mark = "document.querySelector('#page-today .mark').getAttribute('aria-pressed')"
      try await show("past", on: page)
      let day = "#page-past [data-day=\"20260901\"]"
      try await page.wait(until: "document.querySelector('\(day) .day-head')")
      try await page.value("document.querySelector('\(day) .day-head').click()")
      try await page.wait(until: "document.querySelector('\(day) .mark')")
      try await page.value("document.querySelector('\(day) .mark').click()")

      try await page.expect(text: mark, "true")
      try await show("favourites", on: page)
      try await page.wait(until: "document.querySelectorAll('#page-favourites .row').length === 1")
      try await page.value("document.querySelector('#page-favourites .mark').click()")
      try await page.expect(text: mark, "false")
      // What is out of sight there has no rows.
      try await show("past", on: page)
      try await page.wait(
        until: "document.querySelector('\(day) .mark').getAttribute('aria-pressed') === 'false'")
    }
  }

  @Test func `pictures of a page out of sight are not fetched before it is shown`() async throws {
    try await reading(allowsShift: true) { page, _ in
      let shown = "document.querySelectorAll('#page-today img[src]').length"
      try await show("statistics", on: page)
      try await page.wait(until: "\(shown) === 0")
      try await page.value("document.querySelector('#refresh').click()")
      try await waitForNotice("已更新", on: page)

      try await page.expect(number: shown, 0)
      try await page.expect(
        value: "document.querySelectorAll('#page-today img').length > 8", .bool(true))
      try await show("today", on: page)
      try await page.wait(until: "\(shown) > 8")
    }
  }

  @Test func `play that was pressed goes on under the focus, until that has left and come again`()
    async throws
  {
    try await reading { page, _ in
      let slot = `The reader`.slot
      try await page.value(
        "document.querySelector('.pause').focus(); document.querySelector('.pause').click()")
      try await page.value("window.skew += 6000")
      try await page.wait(until: "\(slot) === 2")
      try await page.value("document.activeElement.blur(); window.looks = 0")
      try await page.wait(until: "window.looks > 4")
      try await page.value("document.querySelector('.pause').focus()")
      let held = try await page.number(slot)
      try await page.value("window.skew += 60000; window.looks = 0")
      try await page.wait(until: "window.looks > 10")

      try await page.expect(number: slot, held)
    }
  }

  @Test func `the carousel waits until the strip has come to rest, not until the finger has left`()
    async throws
  {
    try await reading { page, _ in
      // The end of the scrolling is held back, as a slow one would be.
      try await page.value(
        """
        (() => {
          window.stops = (event) => event.stopImmediatePropagation();
          window.addEventListener('scrollend', window.stops, true);
          document.querySelector('.pause').click();
          const strip = document.querySelector('.strip');
          strip.style.scrollSnapType = 'none';
          strip.dispatchEvent(new Event('touchstart'));
          strip.scrollTo({ left: 525, behavior: 'instant' });
          strip.dispatchEvent(new Event('touchend'));
          window.skew += 60000;
          window.looks = 0;
        })()
        """)
      try await page.wait(until: "window.looks > 10")
      try await page.expect(number: "document.querySelector('.strip').scrollLeft", 525)
      try await page.value(
        """
        (() => {
          window.removeEventListener('scrollend', window.stops, true);
          document.querySelector('.strip').dispatchEvent(new Event('scrollend'));
          window.skew += 6000;
        })()
        """)
      try await page.wait(until: "document.querySelector('.strip').scrollLeft === 750")
    }
  }

  /// Sets the strip on a slot, at rest, with nothing that moves it by itself.
  private func place(_ page: BrowserPage, on slot: Int) async throws {
    try await page.value(
      """
      document.querySelector('.pause[data-state=playing]')?.click();
      window.strip = document.querySelector('.strip');
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
          document.querySelector('.step.\(backwards ? "before" : "after")').click();
        }
        """)

      try await page.wait(until: "strip.scrollLeft === \(slot) * strip.clientWidth")
    }
  }

  @Test(arguments: [(1, 3), (5, 2)])
  func `a press while the carousel moves goes on from where the move leads`(from: Int, to: Int)
    async throws
  {
    try await reading(features: [:]) { page, _ in
      try await place(page, on: from)
      try await page.value(
        """
        (() => {
          const next = document.querySelector('.step.after');
          strip.addEventListener('scroll', () => next.click(), { once: true });
          next.click();
        })()
        """)

      try await page.wait(until: "strip.scrollLeft === \(to) * strip.clientWidth")
    }
  }

  @Test func `a finger takes the carousel from where a move would lead`() async throws {
    try await reading(features: [:]) { page, _ in
      try await place(page, on: 2)
      try await page.value("document.querySelector('.step.after').click()")
      try await page.wait(until: "strip.scrollLeft === 3 * strip.clientWidth")
      try await swipe(page, by: -270, at: 110)
      try await page.wait(until: "strip.scrollLeft === 4 * strip.clientWidth")
      try await page.value("document.querySelector('.step.after').click()")

      try await page.wait(until: "strip.scrollLeft === 5 * strip.clientWidth")
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

  @Test func `a picture that comes after all is no dead one`() async throws {
    var plan = ReaderStub.Plan(days: ReaderStub.plainDays)
    plan.deadPictures = ["20260901-s1"]
    try await reading(plan, expectingRefusals: true) { page, stub in
      try await page.wait(until: "document.querySelectorAll('.picture.dead').length === 1")
      stub.change { $0.deadPictures = [] }
      try await show("favourites", on: page)
      try await page.wait(until: "document.querySelectorAll('#page-today img[src]').length === 0")
      try await show("today", on: page)

      try await page.wait(
        until:
          "document.querySelectorAll('.picture.dead, .picture[role], .picture[aria-label]').length === 0"
      )
    }
  }
}
