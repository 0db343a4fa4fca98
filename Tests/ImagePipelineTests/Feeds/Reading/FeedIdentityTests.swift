import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// Which items of a feed are one, in a document and from one reading to the next.
@Suite struct `The identity of an item` {
  private static let url = "https://blog.example/feed"

  /// An item in short: guid, link, title, time in seconds, pictures; `-` for none.
  private static func item(_ text: String) -> FeedItem {
    let parts = text.split(separator: " ").map { $0 == "-" ? nil : String($0) }
    let id = parts[0] ?? parts[1]
    var story = FeedStory(id: id ?? "", title: parts[2] ?? "")
    story.url = parts[1]
    story.images = (parts[4] ?? "").split(separator: ",").enumerated().map {
      FeedImage(url: "https://i/\($1)", role: .story, storyID: story.id, index: $0)
    }
    var item = FeedItem(story: story)
    item.guid = parts[0]
    item.published = parts[3].flatMap { Int($0) }
    if id == nil { item.rename(to: "item-" + item.digest) }
    return item
  }

  @Test(arguments: [
    // The same link or date of publication, whatever else has changed.
    ("g http://a/1 T 5 1", "g http://a/1 U 9 2", true),
    ("g http://a/1 T 5 1", "g http://a/2 U 5 2", true), ("g - T 5 1", "g - U 5 2", true),
    ("g - T - 1", "g - U - 2", true), ("g - T 5 1", "g - U - 1", true),
    // Another date and another picture.
    ("g - T 5 1", "g - T 9 2", false), ("g http://a/1 T 5 1", "g http://a/2 T 9 2", false),
    ("g - T 5 1", "g - T 9 1", true), ("g - T 5 1", "g - T 9 1,2", true),
    ("g - T 5 -", "g - U 9 -", false), ("g - T 5 -", "g - T 9 -", true),
    // Without an identifier the link, without a link the title and date.
    ("- http://a/1 T 5 1", "- http://a/1 U 5 2", true),
    ("- http://a/1 T 5 1", "- http://a/1 T 9 1,2", true),
    ("- http://a/1 T 5 1", "- http://a/1 T 9 2", false),
    ("- http://a/1 T 5 1", "- http://a/2 T 5 1", false),
    ("- - T 5 1", "- - T 5 2", true), ("- - T 5 1", "- - T 9 1", false),
    ("- - T 5 1", "- - U 5 1", false), ("- - T - 1", "- - T - 1", true),
  ])
  func `is its identifier, with the link, date or picture`(
    kept: String, new: String, isSame: Bool
  ) {
    let matches = FeedItem.matches(of: [Self.item(new)], in: [Self.item(kept)])

    #expect(matches == [isSame ? 0 : nil])
  }

  @Test func `of several with one identifier each continues its own`() {
    let kept = ["g - A 1 1", "g - B 2 2", "g - C 3 3"].map(Self.item)
    let new = ["g - D 4 4", "g - C 3 3", "g - A 1 1,5", "g - X 2 2"].map(Self.item)

    #expect(FeedItem.matches(of: new, in: kept) == [nil, 2, 0, 1])
  }

  @Test func `is its own for each item of a document, except where only images differ`() {
    let items = FeedItem.distinct(
      [
        "g - A 1 1", "g - A 2 2", "g - A 1 3", "- http://a/1 B - 4", "- http://a/1 C - 4",
        "- - - - 5", "- - - - 6",
      ].map(Self.item))

    #expect(items.map { $0.story.images.count } == [2, 1, 1, 1, 1, 1])
    #expect(Set(items.map(\.story.id)).count == 6)
    #expect(items[0].story.id == "g" && items[1].story.id.hasPrefix("g-"))
    #expect(
      items.allSatisfy { $0.story.images.allSatisfy { [id = $0.story.id] in $0.storyID == id } })
  }

  // MARK: Over several readings

  private func rss(_ items: [String]) -> String {
    "<rss><channel>\(items.joined())</channel></rss>"
  }

  private func picture(_ name: String, _ date: String, guid: String = "<guid>potd</guid>") -> String
  {
    "<item>\(guid)<title>Picture of the day</title><pubDate>\(date)</pubDate>"
      + "<description>text of \(name) &lt;img src='https://i/\(name).png'></description></item>"
  }

  private func feed(_ documents: StubDocuments, today: Int = 20_783) throws -> SyndicationFeed {
    try SyndicationFeed(url: Self.url, documents: documents, today: { DayKey(ordinal: today) })
  }

  private func texts(_ feed: SyndicationFeed, _ day: FeedDay) async throws -> [String] {
    var texts: [String] = []
    for story in day.stories {
      let page = try await feed.page(of: story, policy: .onlyIfCached)
      texts.append(page.map { String($0.html.prefix { $0 != "<" }) } ?? "")
    }
    return texts
  }

  @Test(arguments: ["<guid>potd</guid>", "<link>https://blog.example/</link>", ""])
  func `a picture of the day keeps every day and its own text`(guid: String) async throws {
    let documents = StubDocuments([:])
    let names = ["a", "b", "c", "d"]
    for (number, name) in names.enumerated() {
      let item = picture(name, "2\(number) Nov 2026 08:00 GMT", guid: guid)
      await documents.answer(Self.url, with: rss([item]))
      _ = try await feed(documents).days(.latest, policy: .http)
    }

    let kept = try feed(documents)
    var found: [String] = []
    for number in names.indices {
      let key = try #require(DayKey("2026112\(number)"))
      let day = try await kept.day(.day(key), policy: .onlyIfCached)
      found += try await texts(kept, day)
    }

    #expect(found == names.map { "text of \($0) " })
  }

  @Test func `items of one day that share an identifier have separate stories and pages`()
    async throws
  {
    let documents = StubDocuments([
      Self.url: rss([
        "<item><link>https://blog.example/</link><title>A</title><pubDate>20 Nov 2026</pubDate>"
          + "<description>one</description></item>",
        "<item><link>https://blog.example/</link><title>B</title><pubDate>20 Nov 2026</pubDate>"
          + "<description>two</description></item>",
      ])
    ])
    let feed = try feed(documents)
    let key = try #require(DayKey("20261120"))

    let online = try await feed.day(.day(key), policy: .http)
    let first = try await texts(feed, online)
    let offline = try self.feed(documents)
    let kept = try await offline.day(.day(key), policy: .onlyIfCached)

    #expect(first == ["one", "two"])
    #expect(try await texts(offline, kept) == ["one", "two"])
    #expect(Set(online.stories.map(\.id)).count == 2)
    #expect(kept.stories.map(\.id) == online.stories.map(\.id))
  }

  @Test func `an item without any identification keeps its identifier behind new ones`()
    async throws
  {
    func item(_ name: String) -> String {
      "<item><title>\(name)</title><pubDate>20 Nov 2026</pubDate>"
        + "<enclosure type='image/png' url='https://i/\(name).png'/></item>"
    }
    let documents = StubDocuments([Self.url: rss([item("a")])])
    let before = try await feed(documents).days(.latest, policy: .http)
    await documents.answer(Self.url, with: rss([item("c"), item("b"), item("a")]))
    let after = try await feed(documents).days(.latest, policy: .http)

    #expect(after[0].stories.map(\.title) == ["c", "b", "a"])
    #expect(after[0].stories.last?.id == before[0].stories.first?.id)
    #expect(Set(after[0].stories.map(\.id)).count == 3)
  }
}
