import Foundation
import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// What the reader notes of stories: which were opened and which are favourites.
@Suite(.serialized, .needsBrowser)
struct `The reader's marks`: ReaderVisiting {
  private static let read = "$$('#page-today .row.read').map((row) => row.dataset.story).join()"

  private var plan: ReaderStub.Plan {
    with(ReaderStub.Plan()) {
      $0.story = StoryPage(title: "a", url: "https://a.invalid/", html: "<p>text</p>")
    }
  }

  @Test func `a story that was opened is dimmed, here and in another tab`() async throws {
    try await reading(plan, allowsShift: true) { page, stub in
      try await page.expect(text: Self.read, "")
      let color = "getComputedStyle($('#page-today .row .title')).color"
      let fresh = try await page.text(color)
      try await page.value("$('#page-today .row .open').click()")
      try await page.wait(until: "location.pathname.includes('/stories/')")
      try await page.value("history.back()")
      try await page.wait(until: "location.pathname === '/' && \(Self.read) === '20260901s0'")
      let dimmed = try await page.text(color)
      #expect(dimmed != fresh)
      try await page.expect(
        text: "$('.row.read .open .said').checkVisibility() && $('.row.read .said').textContent",
        "已读")
      // Another tab reads the second one.
      try await page.value(
        """
        new Promise((done) => {
          addEventListener('storage', () => setTimeout(done), { once: true });
          const frame = document.createElement('iframe');
          document.body.append(frame);
          frame.contentWindow.localStorage.setItem('imgcache.read', '["20260901s1","20260901s0"]');
          frame.remove();
        })
        """)
      try await page.wait(until: "\(Self.read) === '20260901s0,20260901s1'")
    }
  }

  /// The file that the browser has saved.
  private static func file(in folder: Scratch) -> String? {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder / "files")
    return names?.first { $0.hasSuffix(".json") }
      .flatMap { try? String(contentsOfFile: folder / "files/\($0)", encoding: .utf8) }
  }

  @Test func `marks are saved to a file, and read back by another browser`() async throws {
    let folder = try Scratch()
    try await reading(plan) { page, _ in
      _ = try await page.send(
        "Page.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder / "files"])
      try await page.value("$$('#page-today .mark').slice(0, 2).forEach((mark) => mark.click())")
      try await page.value("localStorage.setItem('imgcache.read', '[\"20260901s3\"]')")
      try await page.tap("#settings")
      try await page.tap("#settings-layer .setting:nth-of-type(4) .choice")
      await Condition.until { Self.file(in: folder) != nil }
    }
    let file = try #require(Self.file(in: folder))
    try #require(file.contains("imgcache marks"))

    try await reading(plan, allowsShift: true) { page, _ in
      try await page.value("$$('#page-today .mark')[2].click()")
      try await page.tap("#settings")
      let status = "$('#settings-layer .status').textContent"
      for (text, answer) in [
        ("{}", "这个文件没有收藏和已读标记"), (file, "已读取 2 篇收藏、1 篇已读"),
      ] {
        let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        try await page.value(
          """
          (() => { const files = new DataTransfer();
            files.items.add(new File([\(quoted)], 'marks.json'));
            const input = $('#settings-layer input[type=file]');
            input.files = files.files;
            input.dispatchEvent(new Event('change')); })()
          """)
        try await page.wait(until: "\(status) === '\(answer)'")
      }
      try await page.expect(text: Self.read, "20260901s3")
      try await page.value("$('#settings-layer .close').click()")
      try await show("favourites", on: page)
      try await page.expect(
        text: "$$('#page-favourites .row').map((row) => row.dataset.story).join()",
        "20260901s2,20260901s1,20260901s0")
      try await page.wait(
        until: "$$('#page-favourites img').some((image) => image.naturalWidth > 0)")
    }
  }

  @Test func `a file of another's making brings text and addresses of this server only`()
    async throws
  {
    let file = """
      {"format": "imgcache marks", "version": 1, "read": ["a", 7, null], "favourites": [null, 5,
        {"id": 1}, {"id": "2", "title": "<img src=x onerror=alert(1)>", "page": "//evil.invalid/",
        "url": "javascript:alert(1)", "images": [null, 3, {"image": "https://evil.invalid/i",
        "thumbs": {"list": {"1x": "https://evil.invalid/t"}}}]}]}
      """
    try await reading(allowsShift: true) { page, _ in
      try await page.tap("#settings")
      let quoted = String(decoding: try JSONEncoder().encode(file), as: UTF8.self)
      try await page.value(
        """
        import('/reader/marks.js').then(({ loadMarks }) => loadMarks(new File([\(quoted)], 'a.json')))
        """)
      try await page.value("$('#settings-layer .close').click()")
      try await show("favourites", on: page)
      try await page.wait(until: "$$('#page-favourites .row').length === 1")

      try await page.expect(
        text: "$('#page-favourites .title').textContent", "<img src=x onerror=alert(1)>")
      try await page.expect(text: "$('#page-favourites .open').getAttribute('href')", "#")
      try await page.expect(
        text: "localStorage.getItem('imgcache.read')", "[\"a\"]")
    }
  }
}
