import ImageFeeds
import Testing

@testable import ThumbnailServer

@Suite struct `The label of a story` {
  private func label(_ url: String?, title: String = "", shared: String? = nil) -> String {
    var story = FeedStory(id: "17", title: title)
    story.url = url
    story.shareURL = shared
    return StoryLabel.text(of: story)
  }

  @Test func `is the title, or made from the shared page and at most 100 characters of a name`() {
    // Is its title as the feed spells it.
    #expect(label("https://example.org/a", title: " A\nB ") == " A\nB ")
    // Is of the page to share if there is no other.
    #expect(label(nil, shared: "https://share.example/s") == "share.example · s")
    #expect(label("https://a.example/b", shared: "https://share.example/s") == "a.example · b")
    // Has at most 100 characters of the name.
    let name = String(repeating: "n", count: 101)
    #expect(label("https://a.example/\(name)") == "a.example · \(name.dropLast())")
  }

  @Test(arguments: ["", " ", "\n\t", "\u{3000}\u{A0}"])
  func `is not a blank title`(title: String) {
    #expect(label("https://example.org/a", title: title) == "example.org · a")
  }

  @Test(arguments: [
    ("https://example.org/a/photo%201.jpg?x=/y#z", "example.org · photo 1.jpg"),
    ("https://example.org/a/b/", "example.org · b"), ("https://example.org", "example.org"),
    ("https://example.org/", "example.org"), ("https://example.org?a/b", "example.org"),
    ("https://user:secret@example.org/a", "example.org · a"),
    ("http://example.org:8080/%E4%BB%8A", "example.org:8080 · 今"),
    ("http://example.org/%zz", "example.org · %zz"),
    ("http://example.org/a%0Ab", "example.org · a%0Ab"),
  ])
  func `is the host and the last name of its URL without a title`(url: String, text: String) {
    #expect(label(url) == text)
  }

  @Test(arguments: [nil, "", "not a URL", "https://", "https:///"])
  func `is its identifier without a URL`(url: String?) { #expect(label(url) == "17") }
}
