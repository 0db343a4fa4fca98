import ImageModel
import Testing

@testable import ImageFeeds
@testable import ThumbnailServer

@Suite struct `Kept texts of stories` {
  private let texts = StoryTexts()

  private func page(_ html: String) -> StoryPage {
    StoryPage(title: "t", url: "https://a.example/", html: html)
  }

  private func targets(_ source: String) -> [ExactString: PageImage] {
    [ExactString("https://a.example/1.jpg"): PageImage(source: source)]
  }

  @Test func `are those of the page that is asked for`() throws {
    let pages = (0..<50).map { page("<p>text \($0)</p><img src='/\($0).jpg'>") }

    for _ in 0..<2 {
      for (number, page) in pages.enumerated() {
        #expect(try texts.imageURLs(of: page) == ["https://a.example/\(number).jpg"])
        #expect(try texts.text(of: page, showing: [:]) == "<p>text \(number)</p>")
      }
    }
  }

  @Test func `show the targets of this request, not those of an earlier one`() throws {
    let page = page("<img src='1.jpg'>")
    _ = try texts.imageURLs(of: page)

    for source in ["/image?signature=1", "/image?signature=2", "/image?signature=1"] {
      let text = try texts.text(of: page, showing: targets(source))
      #expect(text.contains("src=\"\(source)\""))
      #expect(try texts.text(of: page, showing: targets(source)) == text)
    }
    #expect(try texts.text(of: page, showing: [:]) == "")
  }

  @Test func `a page with the same text and another address has other images`() throws {
    var other = page("<img src='1.jpg'>")
    other.url = "https://b.example/"

    #expect(try texts.imageURLs(of: page("<img src='1.jpg'>")) == ["https://a.example/1.jpg"])
    #expect(try texts.imageURLs(of: other) == ["https://b.example/1.jpg"])
  }

  @Test func `are made again after more than they may take came between`() throws {
    let texts = StoryTexts(maximumByteCount: 1000)
    let pages = (0..<50).map { page("<p>text \($0)" + String(repeating: "x", count: 100)) }

    for page in pages + pages.reversed() {
      #expect(try texts.imageURLs(of: page) == [])
      #expect(try texts.text(of: page, showing: [:]) == page.html + "</p>")
    }
  }

  @Test func `a text that is too long is refused each time`() {
    let large = page(String(repeating: "x", count: HTMLSanitizer.maximumByteCount + 1))

    for _ in 0..<2 { #expect(throws: ImageError.self) { try texts.text(of: large, showing: [:]) } }
  }
}
