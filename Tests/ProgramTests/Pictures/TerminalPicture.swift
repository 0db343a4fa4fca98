import Foundation
import Testing

@testable import TestSupport

/// Screens of a terminal as images, drawn by the browser.
struct TerminalPicture {
  private let page: BrowserPage

  /// - Parameter screen: Another one of its size is drawn later.
  init(_ screen: TerminalScreen) async throws {
    page = try await BrowserPage(
      density: 1, size: (screen.columns * 10 + 24, screen.rows * 20 + 24), isMobile: false)
    let document = Data(screen.htmlPage().utf8).base64EncodedString()
    try await page.go(to: "data:text/html;charset=utf-8;base64,\(document)")
    try await page.wait(until: "document.querySelector('pre')")
  }

  /// Returns a PNG of a screen.
  func image(of screen: TerminalScreen) async throws -> Data {
    let html = try JSONSerialization.data(withJSONObject: [screen.html()])
    try await page.value(
      "document.querySelector('pre').outerHTML = \(String(decoding: html, as: UTF8.self))[0]")
    try await page.showFrame()
    return try await page.screenshot()
  }

  /// Returns a PNG, as large as those of screens, that shows an image file.
  func image(of path: String) async throws -> Data {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).base64EncodedString()
    try await page.value(
      """
      (async () => {
        const image = new Image();
        image.src = 'data:;base64,\(bytes)';
        image.style = 'position: fixed; inset: 0; width: 100%; height: 100%; object-fit: contain; background: #10141a';
        await image.decode();
        document.body.append(image);
      })()
      """)
    try await page.showFrame()
    let picture = try await page.screenshot()
    try await page.value("document.querySelector('body > img').remove()")
    return picture
  }

  func close() async throws { try await page.close() }
}
