import Foundation
import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `The parts of exported pages` {
  private static func image(
    _ file: String? = "a.jpg", _ width: Int? = 800, _ height: Int? = 600,
    thumbnails: [(Int, Int)] = [], isPlaceholder: Bool? = nil
  ) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1")
    (image.file, image.width, image.height) = (file, width, height)
    image.placeholder = isPlaceholder
    image.thumbnails = thumbnails.map {
      ExportIndex.Thumbnail(file: "thumbs/a-\($0)x\($1).jpg", width: $0, height: $1, sha256: "")
    }
    return image
  }

  // MARK: Images

  private static let images: [(image: ExportIndex.Image, html: String)] = [
    (image(), #"<img src="d/a.jpg" width="800" height="600" alt="" decoding="async">"#),
    (image(nil), ""),
    // Of unknown size, or a placeholder.
    (image("a.jpg", nil, 600), #"<img src="d/a.jpg" alt="" decoding="async">"#),
    (image("a.jpg", 800, nil), #"<img src="d/a.jpg" alt="" decoding="async">"#),
    (image(isPlaceholder: true), #"<img src="d/a.jpg" alt="" decoding="async">"#),
    // Smaller versions by width, and the image itself last where it is wider.
    (
      image(thumbnails: [(400, 300), (200, 150)]),
      #"<img src="d/thumbs/a-200x150.jpg" srcset="d/thumbs/a-200x150.jpg 200w, "#
        + #"d/thumbs/a-400x300.jpg 400w, d/a.jpg 800w" sizes="88px" "#
        + #"width="800" height="600" alt="" decoding="async">"#
    ),
    (
      image("a.jpg", 400, 300, thumbnails: [(400, 300)]),
      #"<img src="d/thumbs/a-400x300.jpg" srcset="d/thumbs/a-400x300.jpg 400w" sizes="88px" "#
        + #"width="400" height="300" alt="" decoding="async">"#
    ),
    // Versions without a size, and those of a small image.
    (
      image(thumbnails: [(0, 10), (10, 0), (-1, 4)]),
      #"<img src="d/a.jpg" width="800" height="600" alt="" decoding="async">"#
    ),
    (
      image("a.jpg", 239, 600, thumbnails: [(100, 200)]),
      #"<img src="d/a.jpg" width="239" height="600" alt="" decoding="async">"#
    ),
  ]

  @Test(arguments: images)
  func `an image has its size and smaller versions`(image: ExportIndex.Image, html: String) {
    #expect(
      ExportDocument.image(image, in: "d/", alt: "", sizes: "88px", isLazy: false) == html)
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

  @Test func `the policy of a document allows its own script and style, and nothing else`() throws {
    func digest(_ text: Substring) -> String {
      let digest = Array(text.utf8).withUnsafeBytes { SHA256.hash(of: $0) }
      return "sha256-" + Data(digest.bytes).base64EncodedString()
    }
    let html = document(hasViewer: true)
    let policy = try #require(
      html.firstMatch(of: #/style-src '([^']+)'; script-src '([^']+)';/#))

    #expect(html.contains("content=\"default-src 'none'; img-src 'self' file: data:; style-src"))
    #expect(html.firstMatch(of: #/(?s)<style>(.*?)</style>/#).map { digest($0.1) } == "\(policy.1)")
    #expect(
      html.firstMatch(of: #/(?s)<script>(.*?)</script>/#).map { digest($0.1) } == "\(policy.2)")
    let plain = document(hasViewer: false)
    #expect(plain.contains("script-src 'none'; base-uri 'none'; form-action 'none'\">"))
    #expect(!plain.contains("<script") && !plain.contains("<dialog"))
  }

  // MARK: Words

  @Test(
    arguments: [
      ([], false), ([""], false), (["Title"], false), (["为什么"], true), (["为什么", "Title"], true),
      (["为什么", "A", "B"], false), (["为什么", "", "", ""], true), (["なぜ"], false),
    ] as [([String], Bool)])
  func `the words are Chinese if at least half of the titles are`(
    titles: [String], isChinese: Bool
  ) throws {
    let words = ExportWords(titles: titles)
    let day = try #require(DayKey("20200606"))

    #expect(words.language == (isChinese ? "zh-CN" : "en"))
    #expect(words.date(day) == (isChinese ? "2020年6月6日" : "June 6, 2020"))
    #expect(words.count(days: 2) == (isChinese ? "2 天" : "2 days"))
    #expect(
      words.count(stories: 1, images: 11)
        == (isChinese ? "1 篇文章 · 11 张图片" : "1 story · 11 images"))
    #expect(isChinese || words.count(stories: 6, images: 1) == "6 stories · 1 image")
  }
}
