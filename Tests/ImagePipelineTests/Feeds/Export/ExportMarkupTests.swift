import Foundation
import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `The parts of exported pages` {
  private func image(
    _ file: String? = "a.jpg", _ width: Int? = 800, _ height: Int? = 600,
    thumbnails: [(Int, Int)] = []
  ) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1")
    image.file = file
    image.width = width
    image.height = height
    image.thumbnails = thumbnails.map {
      ExportIndex.Thumbnail(file: "thumbs/a-\($0)x\($1).jpg", width: $0, height: $1, sha256: "")
    }
    return image
  }

  private func html(
    _ image: ExportIndex.Image, in folder: String = "", alt: String = "", isLazy: Bool = false
  ) -> String {
    ExportDocument.image(image, in: folder, alt: alt, sizes: "88px", isLazy: isLazy)
  }

  // MARK: Images

  @Test func `an image has its size, and is lazy if requested`() {
    #expect(
      html(image())
        == #"<img src="a.jpg" width="800" height="600" alt="" decoding="async">"#)
    #expect(
      html(image(), in: "20200616/", alt: "a \"b\" <c>", isLazy: true)
        == #"<img src="20200616/a.jpg" width="800" height="600" "#
        + #"alt="a &quot;b&quot; &lt;c&gt;" loading="lazy" decoding="async">"#)
  }

  @Test func `an image without a file is nothing`() {
    #expect(html(image(nil)) == "")
  }

  @Test func `an image of unknown size or a placeholder has no size`() {
    var placeholder = image()
    placeholder.placeholder = true

    for each in [image("a.jpg", nil, 600), image("a.jpg", 800, nil), placeholder] {
      #expect(html(each) == #"<img src="a.jpg" alt="" decoding="async">"#)
    }
  }

  @Test func `smaller versions are sorted by width, and the image itself is the last`() {
    #expect(
      html(image(thumbnails: [(400, 300), (200, 150)]), in: "d/")
        == #"<img src="d/thumbs/a-200x150.jpg" srcset="d/thumbs/a-200x150.jpg 200w, "#
        + #"d/thumbs/a-400x300.jpg 400w, d/a.jpg 800w" sizes="88px" "#
        + #"width="800" height="600" alt="" decoding="async">"#)
  }

  @Test func `an image that is not wider than its versions is not listed beside them`() {
    #expect(
      html(image("a.jpg", 400, 300, thumbnails: [(400, 300)]))
        == #"<img src="thumbs/a-400x300.jpg" srcset="thumbs/a-400x300.jpg 400w" sizes="88px" "#
        + #"width="400" height="300" alt="" decoding="async">"#)
  }

  @Test func `versions without a size, and those of a small image, are not used`() {
    #expect(
      html(image(thumbnails: [(0, 10), (10, 0), (-1, 4)]))
        == #"<img src="a.jpg" width="800" height="600" alt="" decoding="async">"#)
    #expect(
      html(image("a.jpg", 239, 600, thumbnails: [(100, 200)]))
        == #"<img src="a.jpg" width="239" height="600" alt="" decoding="async">"#)
  }

  @Test(
    arguments: [
      (240, 240, false), (239, 1000, true), (1000, 239, true), (nil, 10, false), (10, nil, false),
    ] as [(Int?, Int?, Bool)])
  func `an image is small if a side is below 240 pixels`(
    width: Int?, height: Int?, isSmall: Bool
  ) {
    #expect(ExportDocument.isSmall(image("a.jpg", width, height)) == isSmall)
  }

  // MARK: Text

  @Test(arguments: [
    ("a.jpg", "a.jpg"), ("thumbs/a b.jpg", "thumbs/a%20b.jpg"), ("图.jpg", "%E5%9B%BE.jpg"),
    ("100%?#.jpg", "100%25%3F%23.jpg"), ("\"><b>.jpg", "%22%3E%3Cb%3E.jpg"),
  ])
  func `a file name becomes a relative URL`(file: String, url: String) {
    #expect(ExportDocument.address(file) == url)
  }

  @Test(arguments: [
    ("", ""), (" a \r\n\t b ", "a b"), ("为什么？", "为什么？"),
    (String(repeating: "a", count: 300), String(repeating: "a", count: 300)),
    (String(repeating: "a", count: 301), String(repeating: "a", count: 300) + "…"),
    (String(repeating: " ", count: 2000) + "a", ""),
  ])
  func `a title is one line of at most 300 characters`(title: String, line: String) {
    #expect(ExportDocument.line(title) == line)
  }

  @Test(arguments: [
    ("Title", "en", #" dir="auto""#), ("为什么", "en", #" dir="auto" lang="zh-CN""#),
    ("なぜ", "en", #" dir="auto" lang="ja""#), ("왜", "zh-CN", #" dir="auto" lang="ko""#),
    ("为什么", "zh-CN", #" dir="auto""#), ("Title", "zh-CN", #" dir="auto" lang="en""#),
    ("Où", "en", #" dir="auto""#),
  ])
  func `a title in another language than the page is marked`(
    title: String, language: String, attributes: String
  ) {
    let words = ExportWords(titles: [language == "en" ? "Page" : "为"])

    #expect(ExportDocument.manners(of: title, words: words) == attributes)
  }

  // MARK: Documents

  private func document(hasViewer: Bool) -> String {
    ExportDocument.html(
      title: "T", navigation: "<nav></nav>", count: "1 story", main: "<p>m</p>",
      words: ExportWords(titles: []), hasViewer: hasViewer)
  }

  @Test func `a document without a viewer runs no script`() {
    let html = document(hasViewer: false)

    #expect(
      html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"))
    #expect(html.contains("script-src 'none'; base-uri 'none'; form-action 'none'\">"))
    #expect(html.contains("<title>T</title>"))
    #expect(
      html.contains(
        "<header><nav></nav><h1>T</h1><p>1 story</p></header>\n<main>\n<p>m</p>\n</main>\n"))
    #expect(!html.contains("<script"))
    #expect(!html.contains("<dialog"))
  }

  @Test func `the policy of a document allows its own script and style, and nothing else`() throws {
    let html = document(hasViewer: true)
    let policy = try #require(
      html.firstMatch(of: #/style-src '([^']+)'; script-src '([^']+)';/#))
    let style = try #require(html.firstMatch(of: #/(?s)<style>(.*?)</style>/#)).1
    let script = try #require(html.firstMatch(of: #/(?s)<script>(.*?)</script>/#)).1

    #expect(html.contains("content=\"default-src 'none'; img-src 'self' file: data:; style-src"))
    #expect(policy.1 == "sha256-" + base64Digest(style))
    #expect(policy.2 == "sha256-" + base64Digest(script))
  }

  private func base64Digest(_ text: Substring) -> String {
    let digest = Array(text.utf8).withUnsafeBytes { SHA256.hash(of: $0) }
    return Data(digest.bytes).base64EncodedString()
  }

  // MARK: Words

  @Test(
    arguments: [
      ([], false), ([""], false), (["Title"], false), (["为什么"], true), (["为什么", "Title"], true),
      (["为什么", "A", "B"], false), (["为什么", "", "", ""], true), (["なぜ"], false),
    ] as [([String], Bool)])
  func `the words are Chinese if at least half of the titles are`(
    titles: [String], isChinese: Bool
  ) {
    let words = ExportWords(titles: titles)

    #expect(words.isChinese == isChinese)
    #expect(words.language == (isChinese ? "zh-CN" : "en"))
  }

  @Test func `counts and dates are in the language of the titles`() throws {
    let day = try #require(DayKey("20200606"))
    let (english, chinese) = (ExportWords(titles: []), ExportWords(titles: ["为什么"]))

    #expect(english.count(stories: 1, images: 0) == "1 story · 0 images")
    #expect(english.count(stories: 6, images: 1) == "6 stories · 1 image")
    #expect(english.count(days: 1) == "1 day")
    #expect(english.count(days: 2) == "2 days")
    #expect(english.date(day) == "June 6, 2020")
    #expect(chinese.count(stories: 1, images: 11) == "1 篇文章 · 11 张图片")
    #expect(chinese.count(days: 2) == "2 天")
    #expect(chinese.date(day) == "2020年6月6日")
  }
}
