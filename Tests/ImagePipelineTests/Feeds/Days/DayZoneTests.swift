import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// Under which days items are filed in a time zone, and that they stay there in another one.
@Suite struct `Time zones of feeds` {
  private static let newYork = DayZone.fixed(secondsFromUTC: -5 * 3600)
  private let url = "https://blog.example/feed"

  private func item(_ id: String, _ date: String) -> String {
    "<item><guid>\(id)</guid><title>\(id)</title><pubDate>\(date)</pubDate></item>"
  }

  private func rss(_ items: String...) -> String {
    "<rss><channel><title>Blog</title>\(items.joined())</channel></rss>"
  }

  private func feed(_ documents: StubDocuments, _ zone: DayZone) throws -> SyndicationFeed {
    try SyndicationFeed(
      url: url, documents: documents, zone: zone,
      today: { zone.day(at: Date(timeIntervalSince1970: 1_793_620_800)) })
  }

  private func days(_ feed: SyndicationFeed, policy: CachePolicy = .http) async throws
    -> [String: [String]]
  {
    let days = try await feed.days(.latest, policy: policy)
    return Dictionary(uniqueKeysWithValues: days.map { ("\($0.day)", $0.stories.map(\.id)) })
  }

  @Test(
    arguments: [
      (newYork, "20201109"), (.utcPlus8, "20201111"), (.fixed(secondsFromUTC: 0), "20201110"),
    ] as [(DayZone, String)])
  func `a moment is on the day of the zone, a date alone on its own`(_ zone: DayZone, _ day: String)
    throws
  {
    let moment = day == "20201109" ? "2020-11-10T04:59:00Z" : "2020-11-10T16:30:00Z"
    let contents = try FeedContents(
      reading: Array(rss(item("a", moment), item("b", "2020-11-10")).utf8), base: url, zone: zone)

    #expect(contents.items[0].day?.description == day)
    #expect(contents.items[1].day?.description == "20201110")
    #expect(contents.title == "Blog")
  }

  @Test func `the zone of the machine is that of the C library`() {
    for seconds in [0, 1_600_000_000, 1_700_000_000, -1, 4_000_000_000] {
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(DayZone.machine.offset(at: date) == TimeZone.current.secondsFromGMT(for: date))
    }
  }

  @Test func `what is filed stays in its day, also in the month beside, when the zone changes`()
    async throws
  {
    // The last evening of October in New York.
    let dated = item("a", "2020-11-01T02:00:00Z")
    let documents = StubDocuments([url: rss(dated)])
    let first = try await days(try feed(documents, .utcPlus8))
    await documents.answer(url, with: rss(item("b", "2020-11-01T03:00:00Z"), dated))

    let second = try await days(try feed(documents, Self.newYork))
    let again = try await days(try feed(documents, .utcPlus8))
    let offline = try await days(try feed(documents, Self.newYork), policy: .onlyIfCached)

    #expect(first == ["20201101": ["a"]])
    #expect(second == ["20201101": ["a"], "20201031": ["b"]])
    #expect(again == second)
    #expect(offline == second)
  }

  @Test func `within a month too, but an item with another date moves`() async throws {
    let documents = StubDocuments([url: rss(item("a", "2020-11-10T20:00:00Z"))])
    _ = try await days(try feed(documents, .utcPlus8))

    let elsewhere = try await days(try feed(documents, Self.newYork))
    await documents.answer(url, with: rss(item("a", "2020-11-12T20:00:00Z")))
    let redated = try await days(try feed(documents, Self.newYork))

    #expect(elsewhere == ["20201111": ["a"]])
    #expect(redated == ["20201112": ["a"]])
  }
}
