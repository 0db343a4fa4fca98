import Testing

@testable import ImageCodecs
@testable import ImageFeeds

@Suite struct `Source sets` {
  private func urls(_ html: String) throws -> [String] {
    try StoryBody(html: html, base: "https://a.example/p/1").imageURLs
  }

  @Test(
    arguments: [
      ("a.jpg", ["a.jpg"]), ("a.jpg 1x, b.jpg 2x", ["a.jpg", "b.jpg"]),
      (" a.jpg 100w,b.jpg 200w 150h", ["a.jpg", "b.jpg"]),
      (
        "https://i/w_1,h_2/a.jpg 1x,https://i/w_2,h_4/a.jpg 2x",
        ["https://i/w_1,h_2/a.jpg", "https://i/w_2,h_4/a.jpg"]
      ),
      ("a.jpg, b.jpg", ["a.jpg", "b.jpg"]), ("a.jpg,b.jpg 2x", ["a.jpg,b.jpg"]),
      (",,, a.jpg ,, b.jpg,,", ["a.jpg", "b.jpg"]), ("", []), (" , ", []),
      ("a.jpg 0w, b.jpg -1w, c.jpg 1.5w, d.jpg 1w 2w, e.jpg 1w 2x, f.jpg 1q, g.jpg 3w", ["g.jpg"]),
      ("a.jpg 2x 100h, b.jpg 100h, c.jpg x, d.jpg -1x, e.jpg 1e1x", ["e.jpg"]),
      ("a.jpg (2x, 3x) 1x, b.jpg 1x", ["b.jpg"]),
      ("data:image/gif;base64,AA== 1x, b.jpg", ["data:image/gif;base64,AA==", "b.jpg"]),
      ("a.jpg\t1x\n,\u{c}b.jpg\r2x", ["a.jpg", "b.jpg"]),
    ] as [(String, [String])])
  func `a srcset is parsed as browsers parse it`(text: String, urls: [String]) {
    #expect(SourceSet(text).candidates.map(\.url) == urls)
  }

  @Test(arguments: [
    // The largest by width, then by density; `src` is a density of 1.
    (#"<img srcset="/s.jpg 320w, /l.jpg 1280w, /m.jpg 640w" src="/f.jpg">"#, "l"),
    (#"<img srcset="/1.jpg 1x, /3.jpg 3x, /2.jpg 2x" src="/f.jpg">"#, "3"),
    (#"<img srcset="/h.jpg 0.5x" src="/f.jpg">"#, "f"), (#"<img srcset="/s.jpg">"#, "s"),
    // One that is loaded late.
    (#"<img src="data:," data-srcset="/s.jpg 1x, /l.jpg 2x">"#, "l"),
    (#"<img src="data:," srcset="data:image/png;base64,AA 1x, /l.jpg 2x">"#, "l"),
    // Zhihu's own attribute has precedence.
    (#"<img data-original="/o.jpg" srcset="/l.jpg 2000w" src="/f.jpg">"#, "o"),
    // A picture element: larger sources, in formats that can be decoded.
    (#"<picture><source srcset="/l.jpg 1200w"><img src="/f.jpg"></picture>"#, "l"),
    (
      #"<picture><source type="image/heic" srcset="/a.jpg 2000w">"#
        + #"<source type="image/png" srcset="/p.jpg 900w"><img src="/f.jpg"></picture>"#, "p"
    ),
    (#"<picture><source srcset="/s.jpg"><img src="/f.jpg"></picture>"#, "f"),
    (#"<picture><source srcset="/s.jpg"><img alt=""></picture>"#, "s"),
    (
      #"<picture><source media="(min-width: 400px)" srcset="/m.jpg">"#
        + #"<source media="(min-width:800px)" srcset="/l.jpg"><img src="/f.jpg"></picture>"#, "l"
    ),
    (#"<picture><source data-srcset="/l.jpg 900w"><img src="data:,"></picture>"#, "l"),
    (#"<amp-img srcset="/s.jpg 1w, /l.jpg 2w"></amp-img>"#, "l"),
    (#"<img src="https://sugar.zhihu.com/t" data-src="/d.jpg">"#, "d"),
  ])
  func `an image is its largest candidate`(html: String, name: String) throws {
    #expect(try urls(html) == ["https://a.example/\(name).jpg"])
  }

  @Test func `the sources of a picture element belong to its own image only`() throws {
    let urls = try urls(
      """
      <picture><source srcset="/1.jpg 900w"><img src="/a.jpg"><img src="/b.jpg"></picture>
      <picture><source srcset="/2.jpg 900w"></picture><img src="/c.jpg"><source srcset="/3.jpg">
      """)

    #expect(urls == ["1", "b", "c"].map { "https://a.example/\($0).jpg" })
  }

  @Test func `feeds and the reader's page choose the same image as story bodies`() throws {
    let html = #"<picture><source srcset="/l.jpg 900w"><img src="data:,"></picture>"#
    let escaped = html.replacing("<", with: "&lt;")
    let feeds = [
      "<rss><channel><item><description>\(escaped)</description></item></channel></rss>",
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='html'>\(escaped)</content></entry></feed>",
      """
      <feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'><div>\
      <picture><source srcset="/l.jpg 900w"/><img src="data:,"/></picture></div></content></entry></feed>
      """,
      #"{"items":[{"id":"1","content_html":"\#(html.replacing("\"", with: "\\\""))"}]}"#,
    ]

    let named = try feeds.map {
      try FeedContents(reading: Array($0.utf8), base: "https://a.example/p/1").items
        .flatMap { $0.story.images.map(\.url) }
    }
    let page = try StoryPage(title: "", url: "https://a.example/p/1", html: html).sanitized {
      PageImage(source: "/image?url=\($0)")
    }

    #expect(named == Array(repeating: ["https://a.example/l.jpg"], count: feeds.count))
    #expect(page.contains(#"<img src="/image?url=https://a.example/l.jpg""#))
    #expect(!page.contains("source") && !page.contains("picture"))
  }

  @Test func `reading RSS costs in proportion to its items`() throws {
    func cost(of count: Int) throws -> Duration {
      let items = (0..<count).map { "<item><guid>\($0)</guid><link>/\($0)</link></item>" }.joined()
      let text = Array("<rss><channel>\(items)<link>/</link></channel></rss>".utf8)
      let start = ThreadTime.now
      let contents = try FeedContents(reading: text, base: "https://a.example/")
      let end = ThreadTime.now
      #expect(contents.items.count == count)
      return max(.microseconds(1), end - start)
    }
    _ = try cost(of: 500)
    let (small, large) = (try cost(of: 1000), try cost(of: 16_000))

    // 16 times the work, and room for noise; were it quadratic, 256 times.
    #expect(large < small * 64, "\(small) and \(large) of processor time")
  }
}
