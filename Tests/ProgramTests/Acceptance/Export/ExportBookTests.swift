import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageFeeds
@testable import TestSupport

/// `--export FILE.cbz` and `FILE.epub`, read by Python's `zipfile` and checked by `epubcheck`.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Books of exports` {
  /// Debian's program is an archive that Linux may not start by itself.
  private static let check = "/usr/share/java/epubcheck.jar"
  private static let isCheckInstalled =
    FileManager.default.fileExists(atPath: check)
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/java")

  /// A feed with images of all formats in and beside its texts, and texts that are not XML.
  ///
  /// - Parameter texts: More texts, an item each.
  private func feed(_ origin: FeedOrigin, texts: [String] = []) throws -> String {
    let flat = SampleImages.flat(300, 260, [200, 30, 60, 255])
    let clear = SampleImages.flat(40, 30, [0, 90, 200, 100])
    let files: [String: [UInt8]] = [
      "/photo.webp": try ImageCodecs.encodeWebP(flat),
      "/clear.webp": try ImageCodecs.encodeWebP(clear),
      "/a.gif": try ImageCodecs.encodeGIF([AnimationFrame(pixels: flat, delay: .zero)]),
      "/b.jpg": try ImageCodecs.encodeJPEG(flat),
    ]
    for (path, bytes) in files {
      origin.origin[path] = [.whole(bytes, fields: ["Cache-Control: max-age=3600"])]
    }
    let data = try ImageCodecs.encodePNG(SampleImages.flat(20, 20, [1, 2, 3, 255]))
      .base64EncodedString
    let webp = try ImageCodecs.encodeWebP(flat).base64EncodedString
    var items: [[String: Any]] = [
      [
        "id": "1", "title": "瞎扯 · 如何正确地吐槽", "url": origin.url("/1?a=b&c d#e f"),
        "image": origin.url("/photo.webp"), "authors": [["name": "作者 <A> & B"]],
        "content_html": """
        <h1>标题</h1><p>文<img src="\(origin.url("/b.jpg"))"><img src="\(origin.url("/gone.png"))" \
        alt="消失"><p><img src="data:image/png;base64,\(data)">\
        <img src="data:image/webp;base64,\(webp)" alt="内嵌">
        """,
      ],
      [
        "id": "2", "content_html": "no title, no image &nbsp;&copy; <b>x<p>y</b>z",
        "url": "javascript:alert(1)",
      ],
      [
        "id": "3", "title": "<script>alert(1)</script> & \"q\" ]]> \u{1}\u{B}\u{FFFF}",
        "image": origin.url("/clear.webp"),
        "content_html": """
        <ul>t<li>a<p>b</ul><table>x<tr><li>y<td><form><input></form></table><a href="http://a b/">\
        <a href="http://x/|[ü]%">c</a></a><video src="http://a/v.mp4"></video><dl><dd>d</dl>\
        <svg><image href="http://a/"/></svg><div id="1 2" style="" onclick="y" class="meta">e</div>\
        <ruby>f<rt>g</ruby><time>h</time><q cite="%%">i</q><math><mi>j</math><li value=3>k
        """,
      ],
      ["id": "4", "title": String(repeating: "很长", count: 20_000), "image": origin.url("/a.gif")],
      ["id": "5", "title": " \u{2} ", "content_html": "<p></p>"],
    ]
    items += texts.enumerated().map { ["id": "t\($0)", "title": "t", "content_html": $1] }
    for (number, _) in items.enumerated() {
      items[number]["date_published"] = number % 2 == 0 ? "2020-06-16" : "2020-06-17"
    }
    var json = [UInt8](try JSONSerialization.data(withJSONObject: ["items": items]))
    // A surrogate without its partner, which a string of Swift cannot hold.
    json.removeLast(2)
    json += Array(
      #",{"id":"6","title":"\ud800 lone","date_published":"2020-06-16","content_html":"\udc00"}]}"#
        .utf8)
    origin.origin["/feed.json"] = [.whole(json)]
    return origin.url("/feed.json")
  }

  /// The names of the entries in their order and how many are those of their contents, and the text
  /// of one of them.
  private func entries(
    of path: String, reading name: String = ""
  ) async throws -> (names: [String], text: String) {
    let script = """
      import hashlib, sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as z:
          assert z.testzip() is None
          assert not z.infolist()[0].compress_type or not sys.argv[1].endswith('epub')
          names = z.namelist()
          assert len(set(names)) == len(names)
          print('\\n'.join(names))
          print(sum(hashlib.sha256(z.read(n)).hexdigest()[:32] in n for n in names), 'unchanged')
          if sys.argv[2]: print('\\0' + z.read(sys.argv[2]).decode())
      """
    let outcome = try await Tool(path: "python3").run(["-X", "utf8", "-c", script, path, name])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let parts = outcome.output.split(separator: "\0", omittingEmptySubsequences: false)
    return (
      parts.first?.split(separator: "\n").map(String.init) ?? [],
      parts.count > 1 ? String(parts[1]) : ""
    )
  }

  private func expectValid(_ path: String) async throws {
    let outcome = try await Tool(path: "/usr/bin/java").run(["-jar", Self.check, path])
    #expect(outcome.status == 0 && !outcome.errors.contains("WARNING"), "\(outcome.errors)")
  }

  @Test(.enabled(if: isCheckInstalled, "needs epubcheck"))
  func `epubcheck accepts the EPUB of a hostile feed`() async throws {
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let feed = try feed(origin, texts: try Self.hostileTexts())

    let report = try await Tool.prefetch(cache, ["--feed", feed, "--export", out / "a.epub"])

    // One image of a text is missing.
    #expect(report.status == 1, "\(report.errors)")
    try await expectValid(out / "a.epub")
  }

  /// The inputs that fuzzers of HTML have found, and others that nest as no author would.
  private static func hostileTexts() throws -> [String] {
    let names = [
      "ul", "li", "table", "tr", "td", "p", "a href='http://a/'", "b", "dl", "dd", "figure",
      "figcaption", "h2", "pre", "span", "ruby", "rt", "caption", "tbody", "blockquote", "ol",
    ]
    var state = 7 as UInt32
    func next(_ count: Int) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int(state >> 8) % count
    }
    let random = (0..<60).map { _ in
      (0..<40).map { _ in
        let name = names[next(names.count)]
        return next(3) == 0 ? "</\(name.split(separator: " ")[0])>" : "<\(name)>\(next(9))"
      }.joined()
    }
    let seeds = SharedFixtures.packageRoot.appending(path: "Tests/Fixtures/seeds/html")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: seeds.path)) ?? []
    return try random
      + files.sorted().map {
        String(decoding: try Data(contentsOf: seeds.appending(path: $0)), as: UTF8.self)
      }
  }

  @Test func `an EPUB has a chapter a story, its images and a table by day`() async throws {
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let arguments = ["--feed", try feed(origin), "--export", out / "a.epub"]
    _ = try await Tool.prefetch(cache, arguments)
    let first = try out.bytes(of: "a.epub")

    let (names, chapter) = try await entries(
      of: out / "a.epub", reading: "EPUB/20200616-000001.xhtml")
    let navigation = try await entries(of: out / "a.epub", reading: "EPUB/nav.xhtml").text
    let package = try await entries(of: out / "a.epub", reading: "EPUB/package.opf").text
    _ = try await Tool.prefetch(cache, arguments)

    #expect(names.first == "mimetype")
    // The JPEG, the GIF and the PNG of a `data:` URL; the others were WebPs.
    #expect(names.last == "3 unchanged")
    #expect(names.count { $0.hasSuffix(".xhtml") } == 7)
    // Each once: the WebP in a `data:` URL is that of the first story.
    #expect(
      names.filter { $0.contains("images/") }.map { String($0.suffix(4)) }.sorted()
        == [".gif", ".jpg", ".jpg", ".png", ".png"])
    #expect(chapter.contains("<html xmlns=\"http://www.w3.org/1999/xhtml\""))
    #expect(chapter.contains("lang=\"zh-CN\""))
    #expect(chapter.contains("<h1 dir=\"auto\">瞎扯 · 如何正确地吐槽</h1>"))
    #expect(chapter.contains("作者 &lt;A&gt; &amp; B"))
    #expect(chapter.contains("<span class=\"missing\">[消失]</span>"))
    #expect(chapter.contains("alt=\"内嵌\""))
    #expect(chapter.matches(of: /<img src="images\//).count == 3)
    #expect(!chapter.contains("src=\"http") && !chapter.contains("src=\"data:"))
    #expect(navigation.contains("2020年6月16日</a>\n<ol>") || navigation.contains("June 16, 2020"))
    #expect(package.contains("properties=\"cover-image\""))
    #expect(package.contains("<dc:date>2020-06-17</dc:date>"))
    #expect(try out.bytes(of: "a.epub") == first)
    #expect(out.names() == ["a.epub"])
  }

  @Test func `a comic book has each image once, in order, and its pages in ComicInfo`() async throws
  {
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())

    _ = try await Tool.prefetch(
      cache, ["--feed", try feed(origin), "--export", out / "a.cbz"])

    let (names, information) = try await entries(of: out / "a.cbz", reading: "ComicInfo.xml")
    #expect(
      names == [
        "20200616-000001.jpg", "20200616-000002.jpg", "20200616-000003.png",
        "20200617-000001.gif", "ComicInfo.xml", "0 unchanged",
      ])
    #expect(information.contains("<PageCount>4</PageCount>"))
    #expect(information.contains("<Year>2020</Year>\n<Month>6</Month>\n<Day>17</Day>"))
    #expect(information.contains("Type=\"FrontCover\" Bookmark=\"瞎扯 · 如何正确地吐槽\""))
    #expect(information.matches(of: /ImageWidth="300" ImageHeight="260"/).count == 3)
    #expect(try Markup.xml(Array(information.utf8)).fault == nil)
  }

  @Test func `a book is written again, a killed run leaves the former one, others stay`()
    async throws
  {
    let (cache, out) = (try Scratch(), try Scratch())
    for name in ["a.epub", "a.cbz"] {
      let path = out / name
      func prefetch(_ day: String) -> [String] {
        ["prefetch", "--sample", "--bodies", day, "--export", path, "--cache-dir", cache / "cache"]
      }
      #expect(try await Tool.imgcache.run(prefetch("20260110")).status == 0)
      let before = try out.bytes(of: name)

      let folder = out.path
      _ = try await Tool.imgcache.run(prefetch("20260111")) {
        await Condition.until {
          let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
          return names.contains { $0.hasSuffix(".part") }
            || (try? Data(contentsOf: URL(filePath: path))).map(Array.init) != before
        }
      }
      let killed = try await entries(of: path).names
      #expect(try await Tool.imgcache.run(prefetch("20260111")).status == 0)
      let names = try await entries(of: path).names

      #expect(!killed.isEmpty)
      #expect(names.contains { $0.contains("20260111") })
      #expect(!names.contains { $0.contains("20260110") })
      try out.write("mine", to: "mine." + name)
      let report = try await Tool.prefetch(
        cache, ["--sample", "20260110", "--export", out / "mine." + name])
      #expect(report.status != 0 && report.errors.contains("is not an export of imgcache"))
      #expect(try out.text(of: "mine." + name) == "mine")
    }
    #expect(out.names() == ["a.cbz", "a.epub", "mine.a.cbz", "mine.a.epub"])
  }

  @Test func `links and names are refused for a book, and a book without images is an error`()
    async throws
  {
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    for (option, reason) in [
      (["--export-links"], "cannot have hard links"),
      (["--export-names", "{title}"], "are named by their order"),
    ] {
      let report = try await Tool.prefetch(
        cache, ["--sample", "--export", out / "a.epub"] + option)
      #expect(report.status == 64 && report.errors.contains(reason), "\(report.errors)")
    }
    origin.origin["/feed.json"] = [
      .whole(Array(#"{"items":[{"id":"1","content_html":"x"}]}"#.utf8))
    ]

    let report = try await Tool.prefetch(
      cache, ["--feed", origin.url("/feed.json"), "--export", out / "a.cbz"])

    #expect(report.status == 2 && report.errors.contains("none of the images is in the cache"))
    #expect(out.names() == [])
  }
}

extension [UInt8] {
  fileprivate var base64EncodedString: String { Data(self).base64EncodedString() }
}
