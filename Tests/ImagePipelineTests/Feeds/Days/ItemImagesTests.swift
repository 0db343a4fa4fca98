import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `The images of an item` {
  private let base = "http://h.example/dir/page"

  private static let kinds: [(type: String?, medium: String?, url: String?, isImage: Bool)] = [
    ("image/jpeg", nil, nil, true), ("IMAGE/PNG", nil, "x.mp3", true),
    ("audio/mpeg", nil, "x.jpg", false), (nil, "image", "x.mp4", true),
    (nil, "Image", nil, true), ("image/png", "video", "x.png", false),
    (nil, nil, "http://a/x.JPG?w=1#f", true), ("", nil, "x.webp", true),
    (nil, nil, "http://a/x.jpg/", false), (nil, nil, "http://a/?x.jpg", false),
    (nil, nil, nil, false), (nil, nil, "x.svg", false), (nil, nil, "x.avif", true),
    ("application/octet-stream", nil, "http://a/x.jpg", true), ("jpg", nil, "http://a/1", true),
    ("text/html", nil, "http://a/x.jpeg?w=1", true), ("", "", "http://a/x.png", true),
    ("binary/octet-stream", nil, "http://a/x.GIF", true), ("unknown", " ", "x.webp", true),
    ("text/html", nil, "http://a/x.html", false), ("application/pdf", nil, "x.pdf", false),
    ("video/mp4", "", "x.jpg", false), (" Image/JPEG ", nil, "x", true), ("image", nil, "x", true),
    (nil, nil, "http://a/x.jpg!w600", true), (nil, nil, "http://a/x.jpg:large", true),
    (nil, nil, "http://a.png/x", false), (nil, "document", "x.jpg", false),
    (nil, nil, "http://a/x.jpg@800w_1e.webp", true), (nil, nil, "http://a/x.jfif", true),
  ]

  @Test(arguments: kinds)
  func `are known by the medium, else by the type, else by the name`(
    type: String?, medium: String?, url: String?, isImage: Bool
  ) {
    var images = ItemImages(base: base)
    images.add(url ?? "x", ofType: type, medium: medium)
    #expect(images.images(of: "7").isEmpty == !isImage)
  }

  @Test func `are those it names before those in its text, each URL once, counted apart`() {
    var images = ItemImages(base: base)
    images.add(html: "<img src='/b.jpg'><img src='a.jpg'><img src='c.jpg'>")
    images.add("a.jpg")
    images.add("http://h.example/d.jpg")
    images.add("../d.jpg")
    images.add(html: "<img src='c.jpg'>")

    let found = images.images(of: "7")

    #expect(
      found.map(\.url) == [
        "http://h.example/d.jpg", "http://h.example/b.jpg", "http://h.example/dir/a.jpg",
        "http://h.example/dir/c.jpg",
      ])
    #expect(found.map(\.role) == [.story, .body, .body, .body])
    #expect(found.map(\.index) == [0, 0, 1, 2])
    #expect(found.allSatisfy { $0.storyID == "7" })
  }

  @Test(arguments: [
    "data:image/png;base64,AAAA", "image/svg+xml;utf8,<svg/>", "mailto:a@b", "javascript:x()",
    "https://sugar.zhihu.com/t.gif", "http://www.google-analytics.com/p.gif",
  ])
  func `are neither what cannot be fetched nor what counts readers`(reference: String) {
    var images = ItemImages(base: base)
    images.add(reference)
    images.add(nil)
    images.add(html: "no markup: \(reference)")

    #expect(images.images(of: "7").isEmpty)
  }
}

@Suite struct `A plain list of URLs` {
  private func list(_ text: String) throws -> FeedContents {
    try FeedContents(reading: Array(text.utf8), base: "")
  }

  @Test func `has each URL once, of any ending of lines`() throws {
    let contents = try list("\u{FEFF}http://a/1\r\n# no\r\n\r\n  s3://b/2 \nhttp://a/1\nHTTP://a/1")

    #expect(
      contents.items.map { $0.story.images[0].url } == ["http://a/1", "s3://b/2", "HTTP://a/1"])
    #expect(contents.items.map { $0.story.images[0].index } == [0, 1, 2])
    #expect(contents.items.allSatisfy { $0.isListed && $0.day == nil })
    #expect(contents.warnings.isEmpty)
  }

  @Test func `names the lines that are none, ten at most, and counts the others`() throws {
    let wrong = (1...13).map { "no URL \($0)" }.joined(separator: "\n")

    let contents = try list("http://a/1\n\(wrong)")

    #expect(contents.warnings.count == 11)
    #expect(contents.warnings[0] == #"line 2 is not an http(s) or s3 URL: "no URL 1""#)
    #expect(contents.warnings[10] == "3 more lines are not http(s) or s3 URLs")
  }

  @Test func `without a URL is not a feed`() {
    let error = #expect(throws: ImageError.self) { try list("# http://a/1\nToo many requests") }

    #expect(error?.code == .notAFeed)
    #expect(error?.message.contains("not RSS, Atom, JSON Feed or a list of URLs") == true)
  }

  @Test func `of a day is one story in the place of its first URL`() throws {
    let items = try list("http://a/1\nhttp://a/2").items
    let other = FeedItem(story: FeedStory(id: "7", title: "t"))

    let day = FeedDay(day: DayKey(ordinal: 20_000), items: [items[0], other, items[1]])

    #expect(day.stories.map(\.id) == ["list", "7"])
    #expect(day.images.map(\.url) == ["http://a/1", "http://a/2"])
    #expect(day.storiesWithoutImages.map(\.id) == ["7"])
  }
}

@Suite struct `Trackers in feeds` {
  @Test(arguments: [
    "https://sugar.zhihu.com/pixel.gif", "https://www.google-analytics.com/collect?v=1",
    "http://AD.DoubleClick.net/x", "https://rss.feedsportal.com/c/35/mf.gif",
    "https://www.facebook.com/tr?id=1", "https://medium.com/_/stat?event=post",
  ])
  func `a known tracker and its subdomains are recognized`(url: String) {
    #expect(Trackers.contains(url))
  }

  @Test(arguments: [
    "https://notdoubleclick.net/a.png", "https://doubleclick.net.example.org/a.png",
    "https://example.org/doubleclick.net/a.png", "https://www.facebook.com/travel/photo.jpg",
    "https://medium.com/_/statue.png", "https://www.facebook.com/photo/tr.png",
    "https://feedsportal.com/images/c/a.png", "https://zhihu.com/a.png", "not a URL", "",
  ])
  func `a URL that only resembles a tracker is not one`(url: String) {
    #expect(!Trackers.contains(url))
  }
}
