import Testing

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
      try await page.wait(until: "$('#page-statistics dl')")
      try await page.wait(until: "!$('#page-statistics').inert")
      try await page.key("Tab", code: 9, withShift: true)
      try await page.wait(until: "\(Self.focused).id === 'page-statistics'")

      try await page.value("$('#tab-statistics').focus()")
      try await page.key("ArrowLeft", code: 37)
      try await page.wait(until: "$('#page-favourites .empty')")
      try await page.wait(until: "!$('#page-favourites').inert")
      try await page.key("Tab", code: 9, withShift: true)
      try await page.wait(until: "\(Self.focused).id === 'page-favourites'")
    }
  }

  @Test(arguments: ["today", "favourites"])
  func `the skip link leads to the page that is shown`(tab: String) async throws {
    try await reading(allowsShift: true) { page, _ in
      if tab != "today" { try await show(tab, on: page) }
      try await page.value("$('.skip').focus()")
      try await page.key("Enter", code: 13)
      try await page.wait(until: "\(Self.focused).id === 'page-\(tab)'")

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
