import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `The page of an exported day` {
  private var index: ExportIndex

  init() throws { index = ExportIndex(day: try #require(DayKey("20200616"))) }

  private func image(
    _ url: String, file: String? = "a.jpg", role: String = "story", story: String = "1",
    link: String? = nil, width: Int = 800, height: Int = 600, isPlaceholder: Bool? = nil
  ) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: url, role: role, storyID: story)
    (image.file, image.link, image.placeholder) = (file, link, isPlaceholder)
    (image.width, image.height) = (width, height)
    return image
  }

  private mutating func add(_ images: ExportIndex.Image...) {
    for image in images { index[image.url] = image }
  }

  private var html: String { ExportPage(index, overview: "index-2.html").html }

  private var cards: [Substring] { html.split(separator: "<article>").dropFirst().map { $0 } }

  /// Adds a story with a text, at an address that its images name.
  private mutating func addStory(text: String) {
    index.add(.init(id: "1", title: "T", link: "http://a/s", text: text))
  }

  // MARK: Cards

  @Test mutating func `the head has the date, the counts and a link to all days`() {
    index.add(.init(id: "1", title: "T"))
    index.add(.init(id: "2", title: "U"))
    add(image("u", story: "3"))

    #expect(
      html.contains(
        #"<header><nav><a href="../index-2.html">‹ All days</a></nav>"#
          + "<h1>June 16, 2020</h1><p>3 stories · 1 image</p></header>"))
  }

  @Test mutating func `images belong to the story with their identifier and link`() {
    index.add(.init(id: "1", title: "First", link: "http://a/1"))
    index.add(.init(id: "1", title: "Second", link: "http://b/1"))
    add(image("u", file: "second.jpg", link: "http://b/1"), image("v", file: "other.jpg"))

    #expect(cards.map { $0.contains("second.jpg") } == [false, true, false])
    #expect(cards.map { $0.contains("other.jpg") } == [false, false, true])
    #expect(cards.last?.contains(">Images</h2>") == true)
  }

  @Test mutating func `the largest image is the cover and the others are a strip`() throws {
    index.add(.init(id: "1"))
    for (url, width) in [("u", 300), ("v", 900), ("w", 400)] {
      add(image(url, file: "\(url).jpg", width: width))
    }

    let card = try #require(cards.first)

    #expect(
      card.hasPrefix(
        #"\#n<a class="zoom cover" href="v.jpg" data-width="900" data-height="600"><img "#))
    let strip = try #require(card.firstMatch(of: #/<ul class="strip">(.*)</ul>/#)).1
    #expect(
      strip.matches(of: #/href="([^"]*)"/#).map { String($0.1) } == ["u.jpg", "w.jpg"])
  }

  @Test mutating func `a missing image and a placeholder are no covers beside a real one`() throws {
    index.add(.init(id: "1"))
    add(
      image("u", file: nil, width: 9000),
      image("v", file: "p.png", width: 8000, isPlaceholder: true),
      image("w", file: "w.jpg", width: 239, height: 239))

    let card = try #require(cards.first)

    // A small one is shown at its own size.
    #expect(card.hasPrefix("\n<a class=\"zoom cover small\" href=\"w.jpg\""))
    #expect(
      card.contains(#"<li><div class="missing "><span>Image not available</span></div></li>"#))
    #expect(
      card.contains(
        #"<li><div class="missing "><img src="p.png" alt="" loading="lazy" decoding="async">"#
          + "<span>Placeholder</span></div></li>"))
  }

  @Test mutating func `the images of the first six cards are loaded at once`() {
    for number in 1...8 { add(image("\(number)", story: "\(number)")) }

    #expect(
      cards.map { $0.contains("loading=\"lazy\"") }
        == [false, false, false, false, false, false, true, true])
  }

  // MARK: Lines

  @Test mutating func `a title is escaped and an empty one replaced`() {
    index.add(.init(id: "1", title: "<b>\n\"T\""))
    index.add(.init(id: "2", title: " "))

    #expect(cards.first?.contains("<h2 dir=\"auto\">&lt;b&gt; &quot;T&quot;</h2>") == true)
    #expect(cards.last?.contains("<h2 dir=\"auto\">Images</h2>") == true)
  }

  @Test(
    arguments: [
      (nil, nil, ""), ("", "2020-06-16", ""), (nil, "not a date", ""),
      ("A & B", nil, #"<p class="by"><span dir="auto">A &amp; B</span></p>"#),
      (
        "A", "2020-06-15",
        #"<p class="by"><span dir="auto">A</span> · "#
          + #"<time datetime="2020-06-15">June 15, 2020</time></p>"#
      ),
    ] as [(String?, String?, String)])
  mutating func `the byline has the author, and a date that is not that of the page`(
    author: String?, date: String?, line: String
  ) {
    index.add(.init(id: "1", title: "T", author: author, date: date))

    #expect(cards.first?.contains("</h2>\n\(line)\n") == true)
  }

  @Test(
    arguments: [
      ("http://a/?b&c", "http://a/?b&amp;c"), ("https://a/", "https://a/"),
      ("javascript:alert(1)", nil), ("HTTPS://a/", nil), ("file:///etc/passwd", nil), ("/a", nil),
      ("", nil),
      ("https://a/" + String(repeating: "x", count: HTMLSanitizer.maximumAddressByteCount), nil),
    ] as [(String, String?)])
  mutating func `a story links to its page on the web, and to no other address`(
    link: String, address: String?
  ) {
    index.add(.init(id: "1", title: "T", link: link))

    #expect(html.contains("class=\"web\"") == (address != nil))
    guard let address else { return }
    #expect(
      html.contains(
        #"<p class="web"><a href="\#(address)" rel="noopener noreferrer" target="_blank">"#
          + #"Open on the web<span aria-hidden="true">↗</span></a></p>"#))
  }

  // MARK: Texts

  @Test mutating func `a text shows the exported files of its images, which are not repeated`()
    throws
  {
    addStory(text: #"<p>x</p><p><img src="http://a/u.jpg"></p>"#)
    add(
      image("http://a/u.jpg", file: "body.jpg", role: "body", link: "http://a/s"),
      image("http://a/v.jpg", file: "story.jpg", link: "http://a/s"))

    let card = try #require(cards.first)

    #expect(
      card.contains(
        "<details><summary>Read the text</summary>\n<div class=\"text\" lang=\"en\"><p>x</p><p>"
          + #"<img src="body.jpg" alt="T" width="800" height="600""#))
    #expect(card.hasPrefix("\n<a class=\"zoom cover\" href=\"story.jpg\""))
    #expect(!card.contains("class=\"strip\""))
  }

  @Test mutating func `the own image of a story is its cover also if the text has it`() {
    addStory(text: #"<img src="http://a/u.jpg">"#)
    add(image("http://a/u.jpg", file: "u.jpg", link: "http://a/s"))

    #expect(cards.first?.hasPrefix("\n<a class=\"zoom cover repeated\" href=\"u.jpg\"") == true)
  }

  @Test mutating func `an image that was not exported is a drawing, and scripts are removed`()
    throws
  {
    addStory(
      text: #"<img src="http://a/u.jpg"><p onclick="evil()">x</p><script>evil()</script>"#)

    let card = try #require(cards.first)

    #expect(card.contains(#"<img src="data:image/svg+xml,%3Csvg%20xmlns"#))
    #expect(card.contains(#"alt="Image not available" width="480" height="96""#))
    #expect(!card.contains("http://a/u.jpg") && !card.contains("evil"))
    #expect(card.contains("<p>x</p></div></details>"))
  }
}
