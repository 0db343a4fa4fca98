import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// `prefetch --export` with names of one's own, pages to look at, and as a ZIP file.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Exports for people` {
  private func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// A JSON feed of items with these titles, an image each.
  private func feed(_ origin: FeedOrigin, _ titles: [String]) throws -> String {
    let items = titles.enumerated().map { number, title -> [String: Any] in
      [
        "id": "i\(number)", "title": title, "date_published": "2020-06-16",
        "url": "https://example.org/\(number)", "image": origin.image("p\(number)"),
        "content_html": "<p>Text \(number)<script>alert(1)</script></p>",
      ]
    }
    origin.origin["/feed.json"] = [
      .whole([UInt8](try JSONSerialization.data(withJSONObject: ["items": items])))
    ]
    return origin.url("/feed.json")
  }

  @Test
  func `titles name files, case does not tell them apart, and a second template renames none`()
    async throws
  {
    let origin = try FeedOrigin(images: ["p0", "p1", "p2"])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let feed = try feed(origin, ["图：一/二", "Photo", "PHOTO"])

    for template in ["{title}", "{id}"] {
      let report = try await Tool.prefetch(
        cache, ["--feed", feed, "--export", out / "days", "--export-names", template])
      #expect(report.status == 0, "\(report.errors)")
      #expect(
        try names(out / "days/20200616")
          == ["PHOTO-2.png", "Photo.png", "index.html", "index.json", "图：一 二.png"].sorted())
    }
    let index = try read(out / "days/20200616/index.json")
    #expect(index.contains("\"title\":\"图：一/二\"") && index.contains("\"date\":\"2020-06-16\""))
    #expect(index.contains("\"link\":\"https://example.org/0\""))
  }

  @Test func `a page of the user's own stays, and ours has another name`() async throws {
    let origin = try FeedOrigin(images: ["p0", "p1"])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let feed = try feed(origin, ["<b>One</b>", "Two"])
    try FileManager.default.createDirectory(
      atPath: out / "days/20200616", withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(filePath: out / "days/20200616/index.html"))

    for _ in 0..<2 {
      let report = try await Tool.prefetch(
        cache, ["--feed", feed, "--bodies", "--export", out / "days"])
      #expect(report.errors.contains("the page is index-2.html"))
    }

    let folder = out / "days/20200616"
    #expect(try read(folder + "/index.html") == "mine")
    #expect(try names(folder).filter { $0.hasSuffix(".html") } == ["index-2.html", "index.html"])
    let page = try read(folder + "/index-2.html")
    #expect(page.contains("&lt;b&gt;One") && page.contains("<p>Text 0</p>"))
    #expect(!page.contains("alert(1)"))
    // Images of 8 pixels are not blown up.
    #expect(page.contains("class=\"zoom cover small\""))
    #expect(try read(out / "days/index.html").contains("class=\"cover small\""))
    #expect(try read(out / "days/index.html").contains("20200616/index-2.html"))
  }

  @Test func `a zip has the same files, keeps what it had, and replaces nothing else`() async throws
  {
    let origin = try FeedOrigin(images: ["p0"])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let zip = out / "days.zip"
    let feed = try feed(origin, ["图"])
    let export = ["--feed", feed, "--export", zip, "--export-names", "{title}"]

    for _ in 0..<2 {
      let report = try await Tool.prefetch(cache, export)
      #expect(report.status == 0, "\(report.errors)")
      let script = """
        import sys, zipfile
        z = zipfile.ZipFile(sys.argv[1])
        assert z.testzip() is None
        names = [i.filename for i in z.infolist()]
        assert all(i.flag_bits & 0x800 for i in z.infolist() if i.filename != 'mine.txt'), 'utf-8'
        assert '20200616/图.png' in names and 'index.html' in names, names
        assert z.getinfo('20200616/图.png').compress_type == 0
        assert sorted(names) == names or 'mine.txt' in names, names
        if len(sys.argv) > 2: assert z.read('mine.txt') == b'mine'
        z.close()
        zipfile.ZipFile(sys.argv[1], 'a').writestr('mine.txt', 'mine') if 'mine.txt' not in names else None
        """
      let mine = try names(out.path).contains("seen") ? ["mine"] : []
      try Data(script.utf8).write(to: URL(filePath: out / "check.py"))
      let check = Process()
      check.executableURL = URL(filePath: "/usr/bin/env")
      check.arguments = ["python3", out / "check.py", zip] + mine
      try check.run()
      check.waitUntilExit()
      #expect(check.terminationStatus == 0)
      try Data().write(to: URL(filePath: out / "seen"))
    }
    #expect(try names(out.path) == ["check.py", "days.zip", "seen"])

    try Data("mine".utf8).write(to: URL(filePath: zip))
    let requests = origin.requestCount
    let report = try await Tool.prefetch(cache, export)
    #expect(report.status == 2 && report.errors.contains("is not an export of imgcache"))
    #expect(try read(zip) == "mine" && origin.requestCount == requests)
  }

  @Test(.needsBrowser)
  func `a page opened as a file has a viewer for the keyboard, and nothing fails`() async throws {
    let (cache, out) = (try Scratch(), try Scratch())
    _ = try await Tool.prefetch(
      cache, ["--sample", "20260110", "--bodies", "--export", out / "days"])
    let page = try await BrowserPage()

    try await page.go(to: "file://\(out / "days/20260110/index.html")")
    try await page.wait(
      until: "document.readyState === 'complete' && document.querySelector('.text a.zoom')")
    try await page.value("document.querySelector('a.zoom').focus()")
    try await page.value("document.activeElement.click()")
    try await page.wait(until: "document.querySelector('#viewer[open] img').naturalWidth > 0")
    try await page.key("ArrowRight", code: 39)
    try await page.wait(until: "document.querySelector('.place').textContent.startsWith('2 / ')")
    try await page.key("Escape", code: 27)
    try await page.wait(until: "!document.querySelector('#viewer').open")

    try await page.expect(
      value: "document.activeElement === document.querySelector('a.zoom')", .bool(true))
    #expect(page.faults() == [])
    #expect(page.requests().allSatisfy { $0.hasPrefix("file://") })
    try await page.close()
  }
}
