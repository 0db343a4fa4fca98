import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport

@Suite struct `The archive of a feed's items` {
  private let time = Date(timeIntervalSince1970: 1_592_300_000)

  private func item(_ id: String, _ urls: [String] = [], title: String = "") -> FeedItem {
    var story = FeedStory(id: id, title: title)
    story.images = urls.enumerated().map {
      FeedImage(url: $1, role: .body, storyID: id, index: $0)
    }
    return FeedItem(story: story)
  }

  private func day(_ text: String) throws -> DayKey { try #require(DayKey(text)) }

  @Test func `has an item as it was kept, with its page`() async throws {
    let documents = StubDocuments([:])
    let archive = ItemArchive(of: "f", in: documents)
    let day = try day("20200616")
    var item = item("7", ["http://a/1", "http://a/2"], title: "T \u{22}\r\n知")
    item.story.url = "http://a/7"
    item.story.hint = "A, B"
    item.story.hue = "ff0000"
    item.page = StoryPage(title: item.story.title, url: "http://a/", html: "<p>\n</p>")

    try await archive.keep([(item, day)], at: time)

    var kept = item
    kept.day = day
    for archive in [archive, ItemArchive(of: "f", in: documents)] {
      #expect(try await archive.items(of: day) == [kept])
      #expect(try await archive.items(of: day.next).isEmpty)
    }
  }

  @Test func `agrees with a dictionary over many months and writes`() async throws {
    let archive = ItemArchive(of: "f", in: StubDocuments([:]))
    var model: [String: [DayKey: [String: String]]] = [:]
    var random = SplitMix64(seed: 11)
    let start = try day("20200525").ordinal

    for round in 0..<60 {
      let day = DayKey(ordinal: start + Int.random(in: 0..<100, using: &random))
      let id = "\(Int.random(in: 0..<20, using: &random))"
      try await archive.keep([(item(id, title: "t\(round)"), day)], at: time)
      let month = String(day.description.prefix(6))
      for other in model[month, default: [:]].keys { model[month]?[other]?[id] = nil }
      model[month, default: [:]][day, default: [:]][id] = "t\(round)"

      let asked = DayKey(ordinal: start + Int.random(in: 0..<100, using: &random))
      let found = try await archive.items(of: asked)
      let expected = model[String(asked.description.prefix(6))]?[asked] ?? [:]
      #expect(
        Dictionary(uniqueKeysWithValues: found.map { ($0.story.id, $0.story.title) })
          == expected, "seed 11, round \(round), \(asked)")
    }
  }

  @Test func `knows the day on which an item was first seen, of two the earlier`() async throws {
    let documents = StubDocuments([:])
    let archive = ItemArchive(of: "f", in: documents)
    let (one, two) = (try day("20200616"), try day("20200617"))
    #expect(try await archive.firstDays().time == nil)

    var first = ItemArchive.FirstDays()
    first.days = [ExactString("a"): one, ExactString("b"): two]
    try await archive.keep(first, current: [], at: time)
    let kept = try await archive.firstDays()

    #expect(kept.days == first.days && kept.time == time)
    let both = #"{"20200617":["a"],"20200616":["a"],"no day":["c"]}"#
    await documents.keep(
      Document(
        url: "f", bytes: Array(both.utf8), mediaType: nil, source: .disk, fetchedAt: time),
      as: "f#first-seen")
    #expect(try await archive.firstDays().days == [ExactString("a"): one])
  }
}
