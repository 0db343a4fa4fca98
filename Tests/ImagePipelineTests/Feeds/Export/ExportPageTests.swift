import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `The page of an exported day` {
  private let index: ExportIndex

  init() throws { index = ExportIndex(day: try #require(DayKey("20200616"))) }

  private func image(
    _ url: String, file: String? = "a.jpg", role: String = "story", story: String = "1",
    width: Int = 800, height: Int = 600
  ) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: url, role: role, storyID: story)
    image.file = file
    image.width = width
    image.height = height
    return image
  }

  private func html(_ index: ExportIndex) -> String {
    ExportPage(index, overview: "index-2.html").html
  }

  private func cards(_ index: ExportIndex) -> [Substring] {
    html(index).split(separator: "<article>").dropFirst().map { $0 }
  }

  // MARK: Head

  @Test func `the head has the date, the counts and a link to all days`() {
    var index = index
    index.add(.init(id: "1", title: "T"))
    index.add(.init(id: "2", title: "U"))
    index["u"] = image("u", story: "3")

    #expect(
      html(index).contains(
        #"<header><nav><a href="../index-2.html">‹ All days</a></nav>"#
          + "<h1>June 16, 2020</h1><p>3 stories · 1 image</p></header>"))
  }

  @Test func `the words are those of the titles of the images if there are no stories`() {
    var index = index
    var chinese = image("u")
    chinese.title = "为什么"
    index["u"] = chinese

    #expect(html(index).contains("<h1>2020年6月16日</h1><p>1 篇文章 · 1 张图片</p>"))
  }

  // MARK: Cards

  @Test func `images belong to the story with their identifier and link`() {
    var index = index
    index.add(.init(id: "1", title: "First", link: "http://a/1"))
    index.add(.init(id: "1", title: "Second", link: "http://b/1"))
    var second = image("u", file: "second.jpg")
    second.link = "http://b/1"
    index["u"] = second
    index["v"] = image("v", file: "other.jpg")

    let cards = cards(index)

    #expect(cards.count == 3)
    #expect(cards.map { $0.contains("second.jpg") } == [false, true, false])
    #expect(cards.map { $0.contains("other.jpg") } == [false, false, true])
    #expect(cards.last?.contains(#"<h2 dir="auto" lang=""#) == false)
    #expect(cards.last?.contains(">Images</h2>") == true)
  }

  @Test func `the largest image is the cover and the others are a strip`() throws {
    var index = index
    index.add(.init(id: "1", title: "T", link: nil))
    for (url, width) in [("u", 300), ("v", 900), ("w", 400)] {
      var image = image(url, file: "\(url).jpg", width: width)
      image.title = "T"
      index[url] = image
    }

    let card = try #require(cards(index).first)

    #expect(
      card.hasPrefix(
        #"\#n<a class="zoom cover" href="v.jpg" data-width="900" data-height="600"><img "#))
    let strip = try #require(card.firstMatch(of: #/<ul class="strip">(.*)</ul>/#)).1
    #expect(
      strip.matches(of: #/href="([^"]*)"/#).map { String($0.1) } == ["u.jpg", "w.jpg"])
  }

  @Test func `a missing image and a placeholder are no covers beside a real one`() throws {
    var index = index
    index.add(.init(id: "1"))
    index["u"] = image("u", file: nil, width: 9000)
    var placeholder = image("v", file: "p.png", width: 8000)
    placeholder.placeholder = true
    index["v"] = placeholder
    index["w"] = image("w", file: "w.jpg", width: 300)

    let card = try #require(cards(index).first)

    #expect(card.hasPrefix("\n<a class=\"zoom cover\" href=\"w.jpg\""))
    #expect(
      card.contains(#"<li><div class="missing "><span>Image not available</span></div></li>"#))
    #expect(
      card.contains(
        #"<li><div class="missing "><img src="p.png" alt="" loading="lazy" decoding="async">"#
          + "<span>Placeholder</span></div></li>"))
  }

  @Test func `a small cover is shown at its own size`() throws {
    var index = index
    index["u"] = image("u", width: 239, height: 239)

    #expect(try #require(cards(index).first).hasPrefix("\n<a class=\"zoom cover small\" "))
  }

  @Test func `the images of the first six cards are loaded at once`() {
    var index = index
    for number in 1...8 {
      index["\(number)"] = image("\(number)", file: "\(number).jpg", story: "\(number)")
    }

    #expect(
      cards(index).map { $0.contains("loading=\"lazy\"") }
        == [false, false, false, false, false, false, true, true])
  }

  @Test func `a title is escaped and an empty one replaced`() {
    var index = index
    index.add(.init(id: "1", title: "<b>\n\"T\""))
    index.add(.init(id: "2", title: " "))

    let cards = cards(index)

    #expect(cards.first?.contains("<h2 dir=\"auto\">&lt;b&gt; &quot;T&quot;</h2>") == true)
    #expect(cards.last?.contains("<h2 dir=\"auto\">Images</h2>") == true)
  }

  // MARK: Lines

  @Test(
    arguments: [
      (nil, nil, ""), ("", "2020-06-16", ""),
      ("A & B", nil, #"<p class="by"><span dir="auto">A &amp; B</span></p>"#),
      (nil, "not a date", ""),
      (
        "A", "2020-06-15",
        #"<p class="by"><span dir="auto">A</span> · "#
          + #"<time datetime="2020-06-15">June 15, 2020</time></p>"#
      ),
    ] as [(String?, String?, String)])
  func `the byline has the author, and a date that is not that of the page`(
    author: String?, date: String?, line: String
  ) throws {
    var index = index
    index.add(.init(id: "1", title: "T", author: author, date: date))

    let card = try #require(cards(index).first)

    #expect(card.contains("</h2>\n\(line)\n"))
  }

  @Test(arguments: ["http://a/?b&c", "https://a/"])
  func `a story links to its page on the web`(link: String) throws {
    var index = index
    index.add(.init(id: "1", title: "T", link: link))

    let escaped = link.split(separator: "&").joined(separator: "&amp;")
    #expect(
      html(index).contains(
        #"<p class="web"><a href="\#(escaped)" rel="noopener noreferrer" target="_blank">"#
          + #"Open on the web<span aria-hidden="true">↗</span></a></p>"#))
  }

  @Test(arguments: [
    "javascript:alert(1)", "HTTPS://a/", "file:///etc/passwd", "/a", "",
    "https://a/" + String(repeating: "x", count: HTMLSanitizer.maximumAddressByteCount),
  ])
  func `no other address is linked`(link: String) {
    var index = index
    index.add(.init(id: "1", title: "T", link: link))

    #expect(!html(index).contains("class=\"web\""))
  }

  // MARK: Texts

  @Test func `a text shows the exported files of its images, and they are not repeated`() throws {
    var index = index
    index.add(
      .init(
        id: "1", title: "T", link: "http://a/s",
        text: #"<p>x</p><p><img src="http://a/u.jpg"></p>"#))
    for (url, role) in [("http://a/u.jpg", "body"), ("http://a/v.jpg", "story")] {
      var image = image(url, file: "\(role).jpg", role: role)
      image.link = "http://a/s"
      index[url] = image
    }

    let card = try #require(cards(index).first)

    #expect(
      card.contains(
        "<details><summary>Read the text</summary>\n<div class=\"text\" lang=\"en\"><p>x</p><p>"
          + #"<img src="body.jpg" alt="T" width="800" height="600""#))
    #expect(card.hasPrefix("\n<a class=\"zoom cover\" href=\"story.jpg\""))
    #expect(!card.contains("class=\"strip\""))
  }

  @Test func `the own image of a story is its cover also if the text has it`() throws {
    var index = index
    index.add(
      .init(id: "1", title: "T", link: "http://a/s", text: #"<img src="http://a/u.jpg">"#))
    var image = image("http://a/u.jpg", file: "u.jpg")
    image.link = "http://a/s"
    index["http://a/u.jpg"] = image

    let card = try #require(cards(index).first)

    #expect(card.hasPrefix("\n<a class=\"zoom cover repeated\" href=\"u.jpg\""))
  }

  @Test func `an image of a text that was not exported is a drawing`() throws {
    var index = index
    index.add(
      .init(id: "1", title: "T", link: "http://a/s", text: #"<img src="http://a/u.jpg">"#))

    let card = try #require(cards(index).first)

    #expect(card.contains(#"<img src="data:image/svg+xml,%3Csvg%20xmlns"#))
    #expect(card.contains(#"alt="Image not available" width="480" height="96""#))
    #expect(!card.contains("http://a/u.jpg"))
  }

  @Test func `scripts in the text of an index do not reach the page`() throws {
    var index = index
    index.add(
      .init(
        id: "1", title: "T", link: "http://a/s",
        text: "<p onclick=\"evil()\">x</p><script>evil()</script>"))

    #expect(!html(index).contains("evil"))
    #expect(html(index).contains("<p>x</p></div></details>"))
  }
}
