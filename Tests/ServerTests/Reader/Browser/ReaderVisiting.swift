import Testing

@testable import ThumbnailServer
@testable import TestSupport

/// Tests that open the page over a stub and use it as its reader would.
protocol ReaderVisiting: Sendable {}

extension ReaderVisiting {
  /// Opens the page over a stub, waits until it is ready, and looks afterwards whether anything
  /// went wrong in it.
  ///
  /// - Parameter fontSize: Of the browser's settings, in points.
  func reading(
    _ plan: ReaderStub.Plan = .init(), path: String = "",
    features: [String: String] = ["prefers-reduced-motion": "reduce"], language: String = "zh-CN",
    size: (width: Int, height: Int) = (BrowserPage.width, BrowserPage.height),
    fontSize: Int = 16,
    expectingRefusals: Bool = false, allowsShift: Bool = false, waitsUntilReady: Bool = true,
    _ body: (BrowserPage, ReaderStub) async throws -> Void
  ) async throws {
    let stub = try ReaderStub(plan)
    defer { stub.stop() }
    let page = try await BrowserPage(
      features: features, language: language, size: size, isMobile: size.width < 900)
    _ = try await page.send("Page.setFontSizes", ["fontSizes": ["standard": fontSize]])
    try await page.go(to: stub.address + path)
    if waitsUntilReady {
      try await page.wait(until: "document.documentElement.classList.contains('ready')")
    }

    try await body(page, stub)

    #expect(page.faults(expectingRefusals: expectingRefusals) == [])
    #expect(page.requests().filter { !$0.hasPrefix(stub.origin) } == [])
    let shifts = try await page.layoutShifts()
    #expect(allowsShift || shifts == "", "\(shifts)")
    try await page.close()
  }

  /// One swipe of a finger along the page.
  func swipe(_ page: BrowserPage, by distance: Int, at y: Int) async throws {
    let start = distance > 0 ? 40 : 335
    try await page.drag(from: (start, y), to: (start + distance, y))
    try await page.rest()
    try await page.letGo()
  }

  /// Goes to a page by its tab, by script: the page is there when it returns.
  func show(_ tab: String, on page: BrowserPage) async throws {
    try await page.value("$('#tab-\(tab)').click()")
    try await wait(forTab: tab, on: page)
  }

  /// Waits until a tab is the current one.
  func wait(forTab tab: String, on page: BrowserPage) async throws {
    try await page.wait(until: "$('#tab-\(tab)').getAttribute('aria-selected') === 'true'")
  }

  /// Waits until the notice says something.
  func waitForNotice(_ text: String, on page: BrowserPage) async throws {
    try await page.wait(until: "$('.hud .panel').textContent.includes('\(text)')")
  }
}

extension BrowserPage {
  /// Has every request fail from now on.
  func goOffline() async throws {
    _ = try await send(
      "Network.emulateNetworkConditions",
      ["offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0])
  }
}
