import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// The page for those who have no pointer: where the focus is, and that it is never lost.
@Suite(.serialized, .needsBrowser)
struct `The reader by keyboard`: ReaderVisiting {
  private static let focused = "document.activeElement"

  @Test func `a page that holds nothing to reach is reached itself`() async throws {
    try await reading { page, _ in
      try await page.value("$('#tab-today').focus()")
      try await page.key("End", code: 35)
      try await page.wait(until: "$('#page-favourites .empty')")
      try await page.wait(until: "!$('#page-favourites').inert")
      try await page.key("Tab", code: 9, withShift: true)
      try await page.wait(until: "\(Self.focused).id === 'page-favourites'")
    }
  }

  @Test func `arrows go through a row's picture and star, and s and v use them`() async throws {
    try await reading { page, _ in
      try await page.value("$('#page-today .row .open').focus()")
      for (key, code, name) in [
        ("ArrowRight", 39, "zoom"), ("ArrowRight", 39, "mark"), ("ArrowRight", 39, "mark"),
        ("ArrowLeft", 37, "zoom"), ("ArrowLeft", 37, "open"),
      ] {
        try await page.key(key, code: code)
        try await page.expect(text: "\(Self.focused).className", name)
      }
      try await page.key("s", code: 83)
      try await page.wait(until: "$('.row .mark').getAttribute('aria-pressed') === 'true'")
      try await page.key("v", code: 86)
      try await page.wait(until: "$('#viewer')?.open")
      try await page.key("Escape", code: 27)
      try await page.wait(until: "!$('#viewer').open")
      try await page.key("Tab", code: 9)
      try await page.expect(
        value: "\(Self.focused) === $$('#page-today .row .open')[1]", .bool(true))
    }
  }

  @Test func `j and k go from story to story, and are letters where one types`() async throws {
    try await reading(allowsShift: true) { page, _ in
      let row = "$$('#page-today .row').indexOf(\(Self.focused).closest('.row'))"
      for (key, code, index) in [
        ("j", 74, 0.0), ("j", 74, 1), ("j", 74, 2), ("k", 75, 1), ("k", 75, 0), ("k", 75, 0),
      ] {
        try await page.key(key, code: code)
        try await page.expect(number: row, index)
      }
      // On to the days before, always in sight below the bar and its heading.
      for _ in 0..<9 { try await page.key("j", code: 74) }
      try await page.wait(until: "$$('.day').length > 1")
      try await page.wait(
        until: """
          (() => { const { top, bottom } = \(Self.focused).closest('.row').getBoundingClientRect();
            return top >= 64 && bottom <= $('#tabs').getBoundingClientRect().top; })()
          """)
      try await page.key("/", code: 191)
      try await page.wait(until: "$('#search-layer').open")
      try await page.key("j", code: 74)
      try await page.expect(text: "\(Self.focused).type", "search")
    }
  }

  @Test func `single keys can be turned off, and stay so`() async throws {
    try await reading(allowsShift: true) { page, _ in
      try await page.key("?", code: 191, withShift: true)
      try await page.wait(until: "$('#help-layer').open")
      try await page.value("$('#help-layer .choice').click()")
      try await page.key("Escape", code: 27)
      try await page.wait(until: "!$('#help-layer').open && !history.state?.layer")
      try await page.value("window.isLeft = true; location.reload()")
      try await page.wait(until: "!window.isLeft && $('.ready')")
      for (key, code) in [("/", 191), ("j", 74), ("?", 191)] {
        try await page.key(key, code: code)
        try await page.expect(value: "Boolean($('dialog[open]'))", .bool(false))
        try await page.expect(value: "\(Self.focused) === document.body", .bool(true))
      }
    }
  }

  @Test func `a question mark lists the keys, and so do the settings`() async throws {
    try await reading { page, _ in
      try await page.key("?", code: 191, withShift: true)
      try await page.wait(until: "$('#help-layer').open")
      try await page.expect(
        text:
          "[...$('#help-layer dl').children].map(({ firstChild }) => firstChild.textContent).join()",
        "j  k,←  →,s,v,/,?,Esc")
      try await page.key("Escape", code: 27)
      try await page.wait(until: "!$('#help-layer').open && !history.state?.layer")
      try await page.tap("#settings")
      try await page.value("$$('#settings-layer .choice').at(-2).click()")
      try await page.wait(until: "$('#help-layer').open && !$('#settings-layer').open")
      try await page.value("history.back()")
      try await page.wait(until: "!$('#help-layer').open && !history.state?.layer")
      try await page.wait(until: "\(Self.focused).id === 'settings'")
    }
  }

  @Test func `arrows go through the carousel, one story a press, and the focus goes along`()
    async throws
  {
    try await reading(features: [:]) { page, _ in
      try await page.value("$('.slide[tabindex=\"0\"]').focus()")
      for (key, code, slot) in [
        ("ArrowRight", 39, 2), ("ArrowRight", 39, 3), ("ArrowLeft", 37, 2), ("ArrowLeft", 37, 1),
        ("ArrowLeft", 37, 5), ("ArrowRight", 39, 1),
      ] {
        try await page.key(key, code: code)
        try await page.wait(
          until: "\(`The reader`.slot) === \(slot) && \(Self.focused) === $$('.slide')[\(slot)]")
      }
      try await page.wait(until: "$$('.slide[tabindex=\"0\"]').length === 1")
      try await page.key("Tab", code: 9)
      try await page.expect(text: "\(Self.focused).className", "pause")
    }
  }

  @Test(arguments: [375, 1280])
  func `tabs come where they are seen`(width: Int) async throws {
    try await reading(size: (width, 700), allowsShift: true) { page, _ in
      try await page.expect(
        text: """
          (() => { const order = [$('#tabs'), $('#search'), $('.slide')];
            const places = order.map((element) => {
              const { top, left } = element.getBoundingClientRect();
              return Math.round(top / 64) * 10000 + left;
            });
            const isBefore = (a, b) => Boolean(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);
            return [isBefore(order[0], order[1]), places[0] < places[1]].join(); })()
          """, width < 900 ? "false,false" : "true,true")
    }
  }

  @Test(arguments: ["today", "favourites"])
  func `the skip link leads to the page that is shown`(tab: String) async throws {
    try await reading(allowsShift: true) { page, _ in
      if tab != "today" { try await show(tab, on: page) }
      try await page.value("$('.skip').focus()")
      try await page.key("Enter", code: 13)
      // Today has stories, the favourites have none yet.
      try await page.wait(
        until: tab == "today"
          ? "\(Self.focused) === $('#page-today .row .open')"
          : "\(Self.focused).id === 'page-favourites'")

      try await page.expect(text: "$('[aria-selected=true]').id", "tab-\(tab)")
    }
  }

  @Test func `the button for older days keeps the focus while they come`() async throws {
    let gate = Gate()
    try await reading(.init(older: gate), allowsShift: true) {
      page, _ in
      // Coming to it is going beyond the end of the list, so the day before is asked for.
      try await page.value("$('.more').focus()")
      try await page.wait(until: "!$('#spinner').hidden")
      // As long as it takes to be drawn: what is disabled loses the focus then.
      try await page.value(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
      try await page.expect(text: "\(Self.focused).className", "more")
      gate.open()
      try await page.wait(until: "$$('.day').length >= 2")
      try await page.wait(until: "$('#spinner').hidden")

      try await page.expect(text: "\(Self.focused).className", "more")
    }
  }

  @Test func `the focus comes back to the button that refreshed`() async throws {
    let gate = Gate()
    try await reading(.init(refresh: gate)) { page, stub in
      try await page.value("$('#refresh').focus()")
      try await page.key(" ", code: 32)
      try await waitForNotice("2 / 5", on: page)
      try await page.value(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
      gate.open()
      try await waitForNotice("已更新", on: page)
      try await page.wait(until: "\(Self.focused).id === 'refresh'")

      #expect(stub.requests.filter { $0.method == "POST" }.count == 1)
    }
  }

  @Test func `a favourite that is taken away hands the focus to its neighbour`() async throws {
    try await reading { page, _ in
      try await page.value("$$('#page-today .mark').slice(0, 3).forEach((mark) => mark.click())")
      try await show("favourites", on: page)
      let rows = "$$('#page-favourites .row')"
      try await page.wait(until: "\(rows).length === 3")
      let third = try await page.text("\(rows)[2].dataset.story")
      try await page.value("\(rows)[1].querySelector('.mark').focus()")
      try await page.key(" ", code: 32)
      try await page.wait(
        until:
          "\(rows).length === 2 && \(Self.focused).closest('.row')?.dataset.story === '\(third)'")
      // It was the last one; the one before it is next, and then the page itself.
      try await page.key(" ", code: 32)
      try await page.wait(until: "\(rows).length === 1 && \(rows)[0].contains(\(Self.focused))")
      try await page.key(" ", code: 32)
      try await page.wait(until: "\(rows).length === 0 && \(Self.focused).id === 'page-favourites'")
    }
  }
}
