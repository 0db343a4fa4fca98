import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// Under which days the items of a feed are filed, over many runs.
@Suite struct `Filed items` {
  private let url = "https://blog.example/feed"

  private func feed(_ documents: StubDocuments, today: Int = 20_000) throws -> SyndicationFeed {
    try SyndicationFeed(url: url, documents: documents, today: { DayKey(ordinal: today) })
  }

  private func day(_ ordinal: Int) -> DayKey { DayKey(ordinal: ordinal) }

  private func urls(_ days: [FeedDay]) -> [String: [String]] {
    Dictionary(uniqueKeysWithValues: days.map { ("\($0.day)", $0.images.map(\.url)) })
  }

  @Test func `an undated item stays under the day it was first seen`() async throws {
    let documents = StubDocuments([url: "http://a/1.jpg\nhttp://a/2.jpg"])

    let first = try await feed(documents).days(.latest, policy: .http)
    await documents.answer(url, with: "http://a/3.jpg\nhttp://a/1.jpg\nhttp://a/2.jpg")
    let second = try await feed(documents, today: 20_001).days(.latest, policy: .http)
    let third = try await feed(documents, today: 20_002).days(.latest, policy: .onlyIfCached)

    let (one, two) = ("\(day(20_000))", "\(day(20_001))")
    #expect(urls(first) == [one: ["http://a/1.jpg", "http://a/2.jpg"]])
    #expect(
      urls(second) == [one: ["http://a/1.jpg", "http://a/2.jpg"], two: ["http://a/3.jpg"]])
    #expect(urls(third) == urls(second))
    #expect(second.map(\.day) == [day(20_001), day(20_000)])
    #expect(second.allSatisfy { $0.stories.map(\.id) == ["list"] })
  }

  @Test func `two lists from stdin on one day are both in it, and need not be read again`()
    async throws
  {
    let documents = StubDocuments([:])
    func stdin(_ text: String) -> SyndicationFeed {
      SyndicationFeed(
        bytes: Array(text.utf8), name: "-", keptIn: documents,
        readAt: Date(timeIntervalSince1970: 0), today: { DayKey(ordinal: 20_000) })
    }

    _ = try await stdin("http://a/1.jpg").days(.latest, policy: .http)
    _ = try await stdin("http://a/2.jpg").days(.latest, policy: .http)
    let kept = SyndicationFeed(
      file: "-", isKept: true, documents: documents, today: { DayKey(ordinal: 20_005) },
      reading: nil)
    let day = try await kept.day(.day(day(20_000)), policy: .http)
    let other = await #expect(throws: ImageError.self) {
      try await kept.day(.day(DayKey(ordinal: 20_001)), policy: .http)
    }

    #expect(Set(day.images.map(\.url)) == ["http://a/1.jpg", "http://a/2.jpg"])
    #expect(other?.code == .notCached)
  }

  @Test func `a range of days files the items once`() async throws {
    let items = (0..<60).map { number in
      "<item><guid>\(number)</guid><title>T</title><pubDate>\(1 + number % 30) Apr 2016</pubDate>"
        + "<description>text</description></item>"
    }
    let documents = StubDocuments([url: "<rss><channel>\(items.joined())</channel></rss>"])
    let feed = try feed(documents)

    for number in 1...30 {
      let day = try #require(DayKey(year: 2016, month: 4, day: number))
      #expect(try await feed.day(.day(day), policy: .http).stories.count == 2)
    }

    #expect(await documents.keepCount == 1)
  }

  @Test func `offline, no item is filed again`() async throws {
    let documents = StubDocuments([:])
    let feed = SyndicationFeed(
      bytes: Array("http://a/1.jpg".utf8), name: "-", keptIn: documents,
      today: { DayKey(ordinal: 20_000) })

    let days = try await feed.days(.latest, policy: .onlyIfCached)

    #expect(days.map(\.day) == [day(20_000)])
    #expect(await documents.keptDocument(named: "-#first-seen") == nil)
  }

  @Test func `a damaged archive costs nothing but what is damaged`() async throws {
    let documents = StubDocuments([url: "http://a/1.jpg"])
    _ = try await feed(documents).days(.latest, policy: .http)
    let month = "\(url)#items-\("\(day(20_000))".prefix(6))"
    let kept = try #require(await documents.keptDocument(named: month))
    for name in [month, url + "#first-seen"] {
      await documents.keep(
        Document(
          url: name, bytes: Array("{\n".utf8) + kept.bytes, source: .disk,
          fetchedAt: kept.fetchedAt), as: name)
    }

    let offlineDay = try await feed(documents).day(.day(day(20_000)), policy: .onlyIfCached)
    let again = try await feed(documents).days(.latest, policy: .http)

    #expect(offlineDay.images.map(\.url) == ["http://a/1.jpg"])
    #expect(again.flatMap(\.images).map(\.url) == ["http://a/1.jpg"])
  }
}
