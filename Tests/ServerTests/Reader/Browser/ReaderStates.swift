import Testing

@testable import ImageFeeds
@testable import TestSupport

/// The states of the reader, one after the other, each reached as a user reaches it.
struct ReaderStates {
  /// A page that shows the reader, ready, with stories of several days, a page for the first one, and
  /// titles that contain "山".
  let page: BrowserPage

  /// What is seen of the images of a state.
  static let imagesAreThere = """
    $$('.slide img, #page-today .row img, .hit img, main > .zoom img').slice(0, 8)
      .every((image) => image.complete)
    """

  /// Shows each state and calls a function with its name.
  func visit(_ look: (String) async throws -> Void) async throws {
    try await page.wait(until: Self.imagesAreThere)
    try await look("list")
    // The day before comes into sight.
    try await page.value(
      "$('#page-today').scrollTo(0, $('.day').offsetTop + $('.day').offsetHeight - 300)")
    try await page.wait(until: "$$('.day').length > 1")
    try await look("list-scrolled")
    try await page.value("$('#page-today').scrollTo(0, 0)")
    if try await page.value("$$('.dots i').length > 1") == .bool(true) {
      try await page.value("$('.step.after').click()")
      try await page.wait(until: "$$('.dots i')[1].classList.contains('on')")
      try await look("hero-second")
    }

    try await searching(look)
    try await page.value("$('#calendar').click()")
    try await page.wait(until: "$('#calendar-layer td [data-state=complete]')")
    try await look("calendar")
    try await close("calendar-layer")
    try await viewing(".row .zoom", "picture", look)

    try await page.value("$('.row .mark').click()")
    for (tab, sign) in [("past", ".past-day"), ("favourites", ".row")] {
      try await show(tab, sign)
      if tab == "past" {
        try await look("past")
        try await page.value("$$('.day-head')[1].click()")
        try await page.wait(until: "$('.past-day .row')")
        try await page.wait(until: "$('.hud').hidden")
        try await look("past-open")
      } else {
        try await look(tab)
      }
    }
    try await show("today", ".row")
    for (layer, sign) in [("settings", "h2"), ("help", "kbd"), ("statistics", "dl")] {
      if !(try await page.value("$('#settings-layer').open") == .bool(true)) {
        try await page.value("$('#settings').click()")
      }
      if layer != "settings" {
        try await page.value(
          "$$('#settings-layer .choice').at(\(layer == "help" ? -2 : -1)).click()")
      }
      try await page.wait(until: "$('#\(layer)-layer').open && $('#\(layer)-layer \(sign)')")
      try await look(layer)
      if layer != "settings" { try await close("\(layer)-layer") }
    }

    try await page.value("$('#page-today .row .open').click()")
    try await page.wait(until: "location.pathname.includes('/stories/') && $('main .zoom')")
    try await page.wait(until: Self.imagesAreThere)
    try await look("story")
    for (name, place) in [("story-scrolled", "400"), ("story-end", "1e6"), ("", "0")] {
      try await page.value("scrollTo({ top: \(place), behavior: 'instant' })")
      let isScrolled = "document.documentElement.classList.contains('scrolled')"
      try await page.wait(until: "\(isScrolled) === (scrollY > 80)")
      if !name.isEmpty { try await look(name) }
    }
    try await viewing("main .zoom", "story-picture", look)
  }

  private func searching(_ look: (String) async throws -> Void) async throws {
    try await page.value("$('#search').click()")
    try await page.wait(until: "$('#search-layer').dataset.state === 'blank'")
    try await look("search")
    for (text, sign, name) in [
      ("山", "$('.hit')", "search-results"), ("zzz", "!$('.hit')", "search-none"),
    ] {
      try await page.type(text, into: "#search-layer input")
      try await page.wait(until: "$('#search-layer').dataset.state === 'done' && \(sign)")
      try await page.wait(until: Self.imagesAreThere)
      try await look(name)
    }
    try await close("search-layer")
  }

  private func viewing(
    _ opener: String, _ name: String, _ look: (String) async throws -> Void
  ) async throws {
    try await page.value("$('\(opener)').click()")
    let isShown = "$('.stage')?.dataset.state === 'shown'"
    try await page.wait(until: isShown)
    try await look(name)
    try await page.value("$('.larger').click()")
    try await page.value("$('.larger').click()")
    try await page.wait(until: "\(isShown) && $('.stage').dataset.zoomed === 'true'")
    try await look("\(name)-zoomed")
    try await close("viewer")
  }

  private func show(_ tab: String, _ sign: String) async throws {
    try await page.value("$('#tab-\(tab)').click()")
    try await page.wait(
      until: """
        $('#page-\(tab) \(sign)')
          && $('#tab-\(tab)').getAttribute('aria-selected') === 'true'
        """)
  }

  private func close(_ layer: String) async throws {
    try await page.value("$('#\(layer) .close').click()")
    try await page.wait(until: "!$('#\(layer)').open && !history.state?.layer")
  }
}
