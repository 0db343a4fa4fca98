import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// The page in a real browser, state after state.
@Suite(.serialized, .needsBrowser)
struct `The reader`: ReaderVisiting {
  /// Whether the stories of the newest day are there.
  private static let isWhole = "$$('[data-day=\"20260901\"] .row').length === 8"
  private static let pictures = "$$('#page-today img')"

  @Test func `the first view shows the day, its stories and its pictures`() async throws {
    try await reading { page, stub in
      try await page.wait(
        until:
          "\(Self.pictures).length > 8 && $$('.banner img, .slide img').every((image) => image.complete)"
      )

      try await page.expect(text: "$('.day h2').textContent", "今天")
      try await page.expect(value: Self.isWhole, .bool(true))
      try await page.expect(number: "$('.banner').offsetHeight", 220)
      try await page.expect(number: "$('.row').offsetHeight", 95)
      // A story without a picture gives its title the whole width.
      try await page.expect(number: "$$('[data-day=\"20260901\"] .row.full').length", 1)
      // What a title holds is text.
      try await page.expect(value: "$('.row b') === null", .bool(true))
      #expect(stub.count("/days/latest") == 1)
      // A picture of the carousel is fetched once, ghosts and all.
      try await page.expect(number: "$$('.slide').length", 7)
      #expect(stub.requests.filter { $0.path.hasPrefix("/picture/20260901-t") }.count == 5)
    }
  }

  @Test func `until a picture comes a blurred one is in its place, not behind it`() async throws {
    let hash = try ThumbHash(of: SampleImages.gradient(60, 40))
    let gate = Gate()
    var plan = ReaderStub.Plan(pictures: gate)
    plan.thumbHash = Data(hash.bytes).base64EncodedString()
    try await reading(plan) { page, _ in
      let blurred =
        "$$('#page-today .picture')"
        + ".filter((frame) => frame.style.backgroundImage.startsWith('url(\"data:image/png'))"
      try await page.wait(until: "\(blurred).length > 0")
      gate.open()

      try await page.wait(
        until: "\(Self.pictures).some((image) => image.complete) && \(blurred).length === 0")
    }
  }

  @Test func `the first screen is painted before any script has come`() async throws {
    let gate = Gate()
    try await reading(
      .init(scripts: gate), waitsUntilReady: false
    ) { page, _ in
      try await page.wait(
        until:
          "performance.getEntriesByName('first-contentful-paint').length === 1 && $$('.row').length === 8"
      )
      let isBare = try await page.value("!document.documentElement.classList.contains('ready')")
      gate.open()
      try await page.wait(until: "document.documentElement.classList.contains('ready')")

      #expect(isBare == .bool(true))
      try await page.expect(value: Self.isWhole, .bool(true))
    }
  }

  static let slot = "Math.round($('.strip').scrollLeft / $('.strip').clientWidth)"
  static let dot = "$$('.dots i').findIndex((dot) => dot.classList.contains('on'))"

  @Test func `swiping goes round at both ends`() async throws {
    try await reading { page, _ in
      try await page.wait(until: "\(Self.slot) === 1 && \(Self.dot) === 0")
      try await swipe(page, by: 270, at: 110)
      try await page.wait(until: "\(Self.slot) === 5 && \(Self.dot) === 4")
      try await swipe(page, by: -270, at: 110)
      try await page.wait(until: "\(Self.slot) === 1 && \(Self.dot) === 0")
      try await swipe(page, by: -270, at: 110)
      try await page.wait(until: "\(Self.slot) === 2 && \(Self.dot) === 1")
    }
  }

  @Test func `the carousel moves by itself, but not under a finger or for calm`() async throws {
    try await reading(features: [:]) { page, _ in
      try await page.value("window.skew += 5000")
      try await page.wait(until: "\(Self.slot) === 2")
      try await page.touch("touchStart", (180, 110))
      let held = try await page.number(Self.slot)
      // A minute goes by on the page's clock, and the page looks at it many times.
      try await page.value("window.skew += 60000; window.looks = 0")
      try await page.wait(until: "window.looks > 10")
      let later = try await page.number(Self.slot)
      // Not a tap, which would open the story that is shown.
      try await page.touch("touchCancel")

      #expect(later == held)
    }
    try await reading { page, _ in
      try await page.expect(text: "$('.pause').dataset.state", "paused")
    }
  }

  @Test func `scrolling to the end brings the days before, until there are none`() async throws {
    try await reading { page, stub in
      for count in 2...6 {
        try await page.value("$('#page-today').scrollTo(0, 1e9)")
        try await page.wait(until: "$$('.day').length >= \(count)")
      }
      try await page.wait(until: "$('.more').getAttribute('aria-disabled') === 'true'")

      try await page.expect(
        text: "$$('.day').map((day) => day.dataset.day).join()",
        "20260901,20260831,20260830,20260829,20260828,20260827")
      try await page.expect(
        text: "$$('.day h2').slice(0, 3).map((title) => title.textContent).join()",
        "今天,昨天,8月30日 星期日")
      for (day, _, _) in ReaderStub.plainDays.dropFirst() {
        #expect(stub.count("/days/\(day)") == 1)
      }
      try await page.expect(text: "$('.more').textContent", "没有更早的文章了")
    }
  }

  @Test func `the day before comes a screen ahead, and nothing turns meanwhile`() async throws {
    try await reading { page, stub in
      try await page.wait(until: "$$('.day').length === 2")
      try await page.expect(number: "$('#page-today').scrollTop", 0)
      try await page.expect(value: "$('#spinner').hidden", .bool(true))
      #expect(stub.count("/days/20260830") == 0)
      try await page.value("$('#page-today').scrollTo(0, 450)")
      try await page.wait(until: "$$('.day').length === 3")

      try await page.expect(
        value: """
          $('#page-today').scrollTop + $('#page-today').clientHeight
            < $$('.day')[2].getBoundingClientRect().top
          """, .bool(true))
    }
  }

  @Test(arguments: [(375, 10, 0), (1280, 64, 1)])
  func `the bar names the day on screen, whose heading stays in sight`(
    width: Int, top: Int, opacity: Int
  ) async throws {
    try await reading(size: (width, 667), allowsShift: true) { page, _ in
      let title = "$('#bar h1').textContent"
      try await page.expect(text: title, "每日阅读")
      try await page.wait(until: "$$('.day').length >= 2")
      for (day, name) in [(1, "昨天"), (0, "今天")] {
        try await page.value(
          """
          (() => { const page = $('#page-today');
            page.scrollBy(0, $$('.day')[\(day)].getBoundingClientRect().top + 100); })()
          """)
        try await page.wait(until: "\(title) === '\(name)'")
        try await page.expect(
          number: "Math.round($$('.day h2')[\(day)].getBoundingClientRect().top)", Double(top))
        try await page.expect(text: "getComputedStyle($('#bar h1')).opacity", "\(opacity)")
      }
      try await page.value("$('#page-today').scrollTo(0, 0)")
      try await page.wait(until: "\(title) === '每日阅读'")
    }
  }

  @Test func `pulling closes the ring, stretches the banner by 60, and refreshes`() async throws {
    let gate = Gate()
    try await reading(.init(refresh: gate), allowsShift: true) {
      page, stub in
      try await page.drag(from: (180, 300), to: (180, 340))
      try await page.wait(until: "Number($('#ring').dataset.progress) > 0")
      try await page.drag(from: (180, 340), to: (180, 600))
      try await page.wait(until: "$('.banner').offsetHeight === 280")
      #expect(stub.requests.filter { $0.method == "POST" }.isEmpty)
      try await page.letGo()
      // The first event says two of five; the ring shows it, and the page can be used.
      try await page.wait(until: "$('#ring').dataset.progress === '0.4'")
      try await page.expect(text: "$('#ring').dataset.state", "refreshing")
      gate.open()
      try await page.wait(
        until: "$('#ring').dataset.state === 'rest' && $('.banner').offsetHeight === 220")

      #expect(stub.requests.filter { $0.method == "POST" }.count == 1)
      #expect(stub.count("/days/latest") == 2)
    }
  }

  @Test func `the button refreshes under a notice that forbids a second press`() async throws {
    let gate = Gate()
    try await reading(.init(refresh: gate)) { page, stub in
      try await page.tap("#refresh")
      try await waitForNotice("2 / 5", on: page)
      try await page.expect(text: "$('.hud').dataset.mask", "black")
      try await page.expect(value: "$('#pages').inert", .bool(true))
      // A tap outside does not take it away, and nothing below is reached.
      try await page.touch("touchStart", (20, 400))
      try await page.letGo()
      try await page.expect(text: "$('.hud').dataset.mask", "black")
      gate.open()
      try await waitForNotice("已更新", on: page)

      try await page.expect(text: "$('.hud').dataset.mask", "none")
      #expect(stub.requests.filter { $0.method == "POST" }.count == 1)
    }
  }

  @Test(
    arguments: [
      (
        202, "event: failed\ndata: {\"code\":\"timeout\",\"message\":\"origin is slow\"}\n\n",
        false, "origin is slow"
      ), (409, "", false, "正在刷新"), (202, "", true, "刷新失败"),
    ] as [(Int, String, Bool, String)])
  func `a refresh that fails, that runs already or that is offline says why and keeps the day`(
    status: Int, ending: String, isOffline: Bool, notice: String
  ) async throws {
    var plan = ReaderStub.Plan()
    (plan.refreshStatus, plan.ending) = (status, ending)
    try await reading(plan, expectingRefusals: ending.isEmpty) { page, stub in
      if isOffline { try await page.goOffline() }
      try await page.tap("#refresh")
      try await waitForNotice(notice, on: page)

      try await page.expect(value: Self.isWhole, .bool(true))
      #expect(stub.requests.contains { $0.method == "POST" } != isOffline)
    }
  }

  @Test(
    arguments: [
      (500, "{}", "badAnswer", "数据无法读取"), (200, "<html>", "badAnswer", "数据无法读取"),
      (
        200, #"{"day":"20260901","stories":[],"top_stories":[],"previous":null}"#, "noStories",
        "这一天没有文章"
      ),
    ] as [(status: Int, body: String, reason: String, text: String)])
  func `where there is nothing the page says why, and the button tries again`(
    refusal: (status: Int, body: String, reason: String, text: String)
  ) async throws {
    var plan = ReaderStub.Plan()
    plan.latest = (refusal.status, refusal.body)
    plan.hidesFirstScreen = true
    try await reading(plan, expectingRefusals: true, allowsShift: true) { page, stub in
      try await page.wait(until: "$('#page-today .empty')?.dataset.reason === '\(refusal.reason)'")
      try await page.expect(text: "$('#page-today .empty p').textContent", refusal.text)
      stub.change { $0.latest = nil }
      try await page.tap("#page-today .reload")
      try await page.wait(until: Self.isWhole)

      try await page.expect(value: "$('#page-today .empty') === null", .bool(true))
    }
  }

  @Test func `an empty cache says what to do, and why that did not work`() async throws {
    var plan = ReaderStub.Plan()
    plan.latest = (404, "{}")
    plan.days = []
    plan.hidesFirstScreen = true
    plan.refreshStatus = 403
    try await reading(plan, language: "en", expectingRefusals: true, allowsShift: true) {
      page, stub in
      let panel = "#page-today [data-reason=firstRun]"
      try await page.wait(until: "$('\(panel)')")
      try await page.expect(
        text: "$('\(panel) .reload').textContent", "Fetch the newest stories")
      try await page.tap("\(panel) .reload")
      try await page.wait(until: "$('\(panel) .why')?.textContent.startsWith('The refresh failed')")
      try await show("past", on: page)
      try await page.wait(until: "$('#page-past [data-reason=firstRun] .reload')")
      stub.change {
        $0.latest = nil
        $0.days = ReaderStub.plainDays
        $0.refreshStatus = 202
      }
      // The ring is shown for two seconds at least; a press meanwhile is none.
      try await page.wait(until: "$('#ring').dataset.state === 'rest'")
      try await page.tap("#page-past .reload")
      try await page.wait(until: "$$('.past-day').length === 6")
      try await show("today", on: page)
      try await page.wait(until: Self.isWhole)
    }
  }

  @Test(arguments: ["pull", "button", "panel"])
  func `where nothing is kept, a refresh asks the origin for the day`(way: String) async throws {
    let gate = Gate()
    var plan = ReaderStub.Plan(refresh: gate)
    plan.latest = (404, "{}")
    plan.hidesFirstScreen = true
    try await reading(plan, expectingRefusals: true, allowsShift: true) { page, stub in
      try await page.wait(until: "$('#page-today .empty')")
      if way == "pull" {
        try await page.drag(from: (180, 150), to: (180, 400))
        try await page.letGo()
      } else {
        try await page.tap(way == "button" ? "#refresh" : "#page-today .reload")
      }
      try await page.wait(until: "$('#ring').dataset.progress === '0.4'")
      stub.change { $0.latest = nil }
      gate.open()
      try await page.wait(until: Self.isWhole)

      #expect(stub.requests.filter { $0.method == "POST" }.count == 1)
    }
  }

  @Test func `ten thousand stories are few elements, wherever one scrolls`() async throws {
    try await reading(.init(days: [("20260901", 10_000, 5)])) { page, _ in
      try await page.wait(until: "$('#page-today').scrollHeight > 950000")
      for place in [0, 300_000, 949_000, 475_000] {
        try await page.value("$('#page-today').scrollTo(0, \(place))")
        try await page.wait(
          until: """
            (() => { const row = document.elementFromPoint(100, 400)?.closest('.row');
              return row && Math.abs(Number(row.getAttribute('aria-posinset')) * 95 - \(place) - 400) < 600; })()
            """)
        try await page.expect(value: "($$('.row').length) <= 200", .bool(true))
      }
      try await page.expect(text: "$('.row').getAttribute('aria-setsize')", "10000")
    }
  }

  static let indicator = "Math.round(new DOMMatrix(getComputedStyle($('.indicator')).transform).e)"

  @Test func `tabs are reached by tap and by swipe, and the indicator follows`() async throws {
    try await reading { page, _ in
      try await page.tap("#tab-past")
      try await wait(forTab: "past", on: page)
      try await page.wait(until: "\(Self.indicator) === 125")
      try await page.wait(until: "$$('.past-day').length === 6")
      try await swipe(page, by: -270, at: 450)
      try await wait(forTab: "favourites", on: page)
      try await page.wait(until: "\(Self.indicator) === 250")
      try await page.expect(text: "$('#page-favourites .empty p').textContent", "还没有收藏")
    }
  }

  @Test func `under a moving finger the page beside has its content`() async throws {
    try await reading { page, _ in
      try await page.value("$('#page-today .mark').click()")
      for (current, beside, sign) in [
        ("today", "past", ".past-day"), ("past", "favourites", ".row"),
      ] {
        try await page.drag(from: (335, 450), to: (235, 450))
        try await page.wait(until: "$('#page-\(beside) \(sign)')")
        try await page.expect(
          text: "$('[role=tab][aria-selected=true]').id", "tab-\(current)")
        try await page.expect(
          value: "$('#page-\(beside)').getBoundingClientRect().left < innerWidth", .bool(true))
        try await page.move(from: (235, 450), to: (65, 450))
        try await page.rest()
        try await page.letGo()
        try await wait(forTab: beside, on: page)
        try await page.wait(until: "$('#page-\(beside)').getBoundingClientRect().left === 0")
      }
    }
  }

  @Test func `past days open in their place, and pulling turns the arrow at 65`() async throws {
    try await reading(allowsShift: true) { page, stub in
      try await page.tap("#tab-past")
      try await page.wait(until: "$$('.past-day').length === 6")
      try await wait(forTab: "past", on: page)
      try await page.tap("[data-day=\"20260831\"] .day-head")
      try await page.wait(until: "$$('.past-day .row').length === 6")
      try await page.expect(
        text: "$('[data-day=\"20260831\"] .day-head').getAttribute('aria-expanded')", "true")

      // The page follows half as far as the finger: 120 down is 60, 140 is 70.
      let state = "$('.pull-header').dataset.state"
      try await page.drag(from: (180, 200), to: (180, 320))
      try await page.expect(text: state, "normal")
      try await page.expect(text: "$('.pull-header .status').textContent", "下拉可以刷新")
      try await page.touch("touchMove", (180, 342))
      try await page.wait(until: "\(state) === 'pulling'")
      try await page.expect(text: "$('.pull-header .status').textContent", "松开即可刷新")
      let updated = try await page.text("$('.pull-header .updated').textContent")
      #expect(updated.hasPrefix("最后更新: 2026/9/1 "))
      let before = stub.count("/days")
      stub.change { $0.refreshedAt = "2026-09-03T07:05:00Z" }
      try await page.letGo()
      try await page.wait(until: "\(state) === 'normal'")
      #expect(stub.count("/days") == before + 1)
      // The origin was asked, and both pages show what it said.
      #expect(stub.requests.filter { $0.method == "POST" }.count == 1)
      #expect(stub.count("/days/latest") == 2)
      try await page.wait(
        until: "$('.pull-header .updated').textContent.startsWith('最后更新: 2026/9/3 ')")
    }
  }

  @Test func `favourites are kept by the browser, over a new visit too`() async throws {
    try await reading { page, stub in
      try await page.tap(".row .mark")
      try await page.wait(until: "$('.row .mark').getAttribute('aria-pressed') === 'true'")
      try await page.go(to: stub.address + "?lang=en")
      try await page.wait(
        until:
          "document.documentElement.lang === 'en' && document.documentElement.classList.contains('ready')"
      )
      try await page.expect(text: "$('.row .mark').getAttribute('aria-pressed')", "true")
      try await page.tap("#tab-favourites")
      try await page.wait(until: "$$('#page-favourites .row').length === 1")
    }
  }

  @Test func `everything can be reached by keyboard, and says what it is`() async throws {
    try await reading { page, _ in
      let focused = "document.activeElement"
      var reached: Set<String> = []
      for _ in 0..<60 where !reached.contains("tab-today") {
        try await page.key("Tab", code: 9)
        reached.insert(try await page.text("\(focused).id || \(focused).className"))
      }
      #expect(
        reached.isSuperset(of: [
          "skip", "search", "calendar", "settings", "refresh", "slide", "pause", "open", "more",
          "tab-today",
        ]))
      // A story is one stop, its picture and star are reached by arrows.
      #expect(reached.isDisjoint(with: ["mark", "zoom", "step before", "step after"]))
      // Whatever can be reached has a name.
      try await page.expect(
        number:
          "$$('a[href], button').filter((e) => e.checkVisibility() && !e.textContent.trim() && !e.getAttribute('aria-label')).length",
        0)
      // Arrows move along the tabs.
      try await page.value("$('#tab-today').focus()")
      try await page.key("ArrowRight", code: 39)
      try await page.wait(
        until:
          "$('#tab-past').getAttribute('aria-selected') === 'true' && document.activeElement.id === 'tab-past'"
      )
    }
  }

  @Test(arguments: [600, 899])
  func `on a wide screen the controls of the clear bar stand on the banner`(width: Int) async throws
  {
    try await reading(size: (width, 700), allowsShift: true) { page, _ in
      try await page.expect(value: "$('#bar.solid') === null", .bool(true))

      try await page.expect(
        text: """
          (() => { const banner = $('.banner').getBoundingClientRect();
            return $$('#bar > :not(h1)')
              .filter((e) => e.getBoundingClientRect().left < banner.left || e.getBoundingClientRect().right > banner.right)
              .map((e) => e.id || e.localName).join(); })()
          """, "")
    }
  }

  @Test func `a story without a page here opens in a tab of its own`() async throws {
    let plan = with(ReaderStub.Plan()) { $0.hasNoPages = true }
    try await reading(plan) { page, _ in
      for selector in [".slide", "#page-today .row .open"] {
        try await page.expect(
          text:
            "[...new Set($$('\(selector)').map(({ target, rel }) => `${target} ${rel}`))].join()",
          "_blank noopener noreferrer")
      }
    }
  }
}
