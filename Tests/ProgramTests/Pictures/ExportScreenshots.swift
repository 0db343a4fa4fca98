import Foundation
import Testing

@testable import ImageCodecs
@testable import TestSupport

/// Makes an image of each page of an export: `scripts/screenshots DIR`.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] != nil,
    "only for scripts/screenshots"))
struct `Screenshots of an export` {
  private static let sizes = [(320, 640), (390, 844), (1280, 800)]

  /// Exports the sample's days, whose titles are Chinese, or items with English titles and their
  /// images; returns the folder of the newest day.
  private func export(_ language: String, to out: Scratch) async throws -> String {
    let cache = try Scratch()
    if language == "zh" {
      _ = try await Tool.prefetch(
        cache, ["--sample", "20260110...20260112", "--bodies", "--export", out / "days"])
      return out / "days/20260112"
    }
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let titles = [
      "Why mountains look blue from far away", "Fog", "Seven bridges worth a detour",
      "A history of lighthouses, told by the people who kept them through storms and wars",
      "Small things", "Not available",
    ]
    var items: [[String: Any]] = []
    for (number, title) in titles.enumerated() {
      let side = title == "Small things" ? 120 : 600 + 40 * number
      if title != "Not available" {
        origin.origin["/p\(number).png"] = [
          .whole(try FeedOrigin.gradient(side, number))
        ]
      }
      items.append([
        "id": "\(number)", "title": title, "date_published": "2026-01-12",
        "url": "https://example.org/\(number)", "authors": [["name": "Ann Author"]],
        "image": origin.image("p\(number)"),
        "content_html": "<p>\(String(repeating: "Light is scattered by air. ", count: 30))</p>",
      ])
    }
    origin.origin["/feed.json"] = [
      .whole([UInt8](try JSONSerialization.data(withJSONObject: ["items": items])))
    ]
    _ = try await Tool.prefetch(
      cache, ["--feed", origin.url("/feed.json"), "--bodies", "--export", out / "days"])
    return out / "days/20260112"
  }

  @Test(arguments: ["zh", "en"], ["light", "dark"])
  func `of its days`(language: String, scheme: String) async throws {
    let folder = ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] ?? ""
    let out = try Scratch()
    let day = try await export(language, to: out)
    for (width, height) in Self.sizes {
      let page = try await BrowserPage(
        features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme],
        density: 1, size: (width, height), isMobile: width < 600)
      func save(_ name: String) async throws {
        try await page.wait(
          until:
            "[...document.images].every((image) => image.complete || image.loading === 'lazy')")
        try await page.showFrame()
        let path = "\(folder)/export-\(name)-\(language)-\(scheme)-\(width).png"
        try await page.screenshot().write(to: URL(fileURLWithPath: path))
      }
      try await page.go(to: "file://\(out / "days/index.html")")
      try await save("days")
      try await page.go(to: "file://\(day)/index.html")
      try await save("day")
      try await page.value("document.querySelector('summary').click()")
      try await page.value("document.querySelector('details[open]').scrollIntoView()")
      try await save("text")
      try await page.value("document.querySelector('a.zoom').click()")
      try await page.wait(until: "document.querySelector('#viewer[open] img').naturalWidth > 0")
      try await save("viewer")
      try await page.close()
    }
  }
}

extension FeedOrigin {
  /// An image with a gradient, as large as covers are.
  fileprivate static func gradient(_ side: Int, _ shift: Int) throws -> [UInt8] {
    try ImageCodecs.encodePNG(SampleImages.gradient(side, side * 3 / 4, shift: 40 * shift))
  }
}
