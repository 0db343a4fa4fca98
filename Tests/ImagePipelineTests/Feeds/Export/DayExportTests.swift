import Foundation
import ImageFeeds
import ImageModel
import ImagePipeline
import Testing
@testable import TestSupport

/// Exports of an archive: texts, images that stories share, and links between days.
@Suite(.timeLimit(.minutes(5))) final class `Exports of days` {
  private let scratch: Scratch
  private let origin: FeedOrigin
  private let fixture: ArchiveFixture

  init() throws {
    scratch = try Scratch()
    origin = try FeedOrigin(images: ["a", "b", "c"])
    fixture = try ArchiveFixture(scratch)
  }

  deinit { origin.stop() }

  private func page(_ day: String) throws -> String {
    try scratch.text(of: "days/\(day)/index.html")
  }

  private func export(_ days: String, of feeds: FeedSource...) async throws {
    let archive = DayArchive(fixture.pipeline, feeds: .named(feeds))
    let export = Locked(try DayExport(scratch / "days"))
    _ = try await archive.prefetch([DayRequest(days)]) { event, _ in
      export.withLock { $0.add(event) }
    }
    try await archive.place(export.withLock { $0 })
  }

  @Test(arguments: [false, true])
  func `an export has the texts that a feed sent, also of items that it has dropped`(
    isOffline: Bool
  ) async throws {
    let feed = FeedSource.url(
      origin.rss("/feed.xml", [("a", "2020-06-16"), ("b", "2020-06-17")]))
    try await fixture.archive(feed).prefetch()
    _ = origin.rss("/feed.xml", [("c", "2020-06-17")])

    if isOffline {
      origin.stop()
      try await fixture.archive(feed).export(
        [DayRequest("20200616...20200617")], to: DayExport(scratch / "days"))
    } else {
      try await export("20200616...20200617", of: feed)
    }

    #expect(try page("20200616").contains("<p>text of a <img src=\"body-a-0.png\""))
    #expect(try page("20200617").contains("<p>text of b <img src=\"body-b-0.png\""))
    #expect(try page("20200617").contains("text of c") != isOffline)
  }

  @Test func `a day of texts alone is exported`() async throws {
    origin.origin["/feed.json"] = [
      .whole(
        Array(
          #"{"items":[{"id":"1","date_published":"2020-06-16","content_html":"<p>words"}]}"#.utf8))
    ]

    try await export("20200616", of: .url(origin.url("/feed.json")))

    #expect(try page("20200616").contains("<p>words</p>"))
  }

  @Test(arguments: [true, false])
  func `stories that name one image both have it, with their own titles`(isOneFeed: Bool)
    async throws
  {
    func item(_ title: String) -> String {
      #"{"id":"\#(title)","title":"\#(title)","date_published":"2020-06-16","#
        + #""image":"\#(origin.image("a"))"}"#
    }
    let documents =
      isOneFeed
      ? ["\(item("First")),\(item("Second"))"] : [item("First"), item("Second")]
    let feeds = documents.enumerated().map { number, items in
      origin.origin["/\(number).json"] = [.whole(Array("{\"items\":[\(items)]}".utf8))]
      return FeedSource.url(origin.url("/\(number).json"))
    }

    if isOneFeed {
      try await export("20200616", of: feeds[0])
    } else {
      try await export("20200616", of: feeds[0], feeds[1])
    }
    let cards = try page("20200616").split(separator: "<article>").dropFirst()
    // A later run that has only one of them.
    try await export("20200616", of: feeds[0])

    #expect(cards.count == 2)
    for (card, title) in zip(cards, ["First", "Second"]) {
      #expect(card.contains("src=\"story-First-0.png\""))
      #expect(card.contains("alt=\"\(title)\"") && card.contains("\(title)</h2>"))
    }
    #expect(
      try page("20200616").matches(of: /<img src="story-First-0.png"/).count == 2)
    let index = try scratch.text(of: "days/20200616/index.json")
    #expect(index.matches(of: /"file":/).count == 1)
  }

  @Test func `pages link to the days before and after, of other runs too`() async throws {
    let feed = FeedSource.url(
      origin.rss(
        "/feed.xml",
        [("a", "2020-06-10"), ("b", "2020-06-12"), ("c", "2020-06-14"), ("d", "2020-06-16")]))
    func links(_ day: String) throws -> [String] {
      let page = try page(day)
      let head = page.matches(of: #/<link rel="(\w+)" href="([^"]*)">/#).map { "\($0.1) \($0.2)" }
      let body = page.matches(of: #/<a rel="(\w+)" href="([^"]*)">/#).map { "\($0.1) \($0.2)" }
      #expect(head == body)
      return head
    }

    try await export("20200610", of: feed)
    #expect(try links("20200610") == [])
    try await export("20200614", of: feed)
    try await export("20200612", of: feed)
    #expect(try links("20200610") == ["next ../20200612/index.html"])
    #expect(
      try links("20200612") == ["prev ../20200610/index.html", "next ../20200614/index.html"])
    #expect(try links("20200614") == ["prev ../20200612/index.html"])

    // A page of the user's, and a day that was removed.
    try scratch.write("mine", to: "days/20200616/index.html")
    try FileManager.default.removeItem(atPath: scratch / "days/20200612")
    try await export("20200616", of: feed)
    #expect(try links("20200610") == ["next ../20200614/index.html"])
    #expect(
      try links("20200614") == ["prev ../20200610/index.html", "next ../20200616/index-2.html"])

    // Pages that have the right links are not written again.
    func number() throws -> Int? {
      let path = scratch / "days/20200610/index.html"
      return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
    let before = try number()
    try await export("20200616", of: feed)
    #expect(try number() == before)
  }

  @Test func `what a filter left out is in no export, and the feed is in the index`() async throws {
    let feed = FeedSource.url(origin.rss("/feed.xml", [("a", "2020-06-17"), ("b", "2020-06-17")]))
    let archive = fixture.archive(feed)
    var options = DayArchive.Options()
    options.filter.minimumByteCount = try FeedOrigin.image("a").count + 1
    try await archive.prefetch(options: options)
    options.filter.minimumByteCount = 0
    options.filter.excluded = ["*/a.png"]
    try await archive.prefetch(options: options)

    let result = try await archive.export([DayRequest("20200617")], to: DayExport(scratch / "days"))
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch / "days/20200617")

    #expect(result.isComplete && result.skipped == 1 && result.cached == 1)
    #expect(names.sorted() == ["body-b-0.png", "index.html", "index.json"])
    #expect(
      try scratch.text(of: "days/20200617/index.json").contains(
        "\"feed\":{\"url\":\"\(origin.url("/feed.xml"))\"}"))
  }

  @Test(arguments: ["book.epub", "book.cbz"])
  func `a book has whole days, also of a feed that drops items or is not available`(name: String)
    async throws
  {
    let first = FeedSource.url(origin.rss("/1.xml", [("a", "2020-06-17"), ("b", "2020-06-17")]))
    let second = FeedSource.url(origin.rss("/2.xml", [("c", "2020-06-17")]))
    func export() async throws -> Int {
      let archive = DayArchive(fixture.pipeline, feeds: .named([first, second]))
      let export = Locked(try DayExport(scratch / name))
      try await archive.prefetch { event, _ in export.withLock { $0.add(event) } }
      try await archive.place(export.withLock { $0 })
      return try String(
        decoding: Data(contentsOf: URL(filePath: scratch / name)), as: UTF8.self
      ).ranges(of: "20200617-00000").count
    }

    let whole = try await export()
    _ = origin.rss("/1.xml", [("b", "2020-06-17")])
    let dropped = try await export()
    origin.origin["/1.xml"] = [.whole([], status: 503)]
    let failed = try await export()

    #expect(whole >= 3 && dropped == whole && failed == whole)
  }

  @Test func `an export of another kind is not replaced`() async throws {
    let archive = fixture.archive(.url(origin.rss("/feed.xml", [("a", "2020-06-17")])))
    try await archive.prefetch()
    try await archive.export([DayRequest("20200617")], to: DayExport(scratch / "a.zip"))
    try FileManager.default.copyItem(atPath: scratch / "a.zip", toPath: scratch / "a.epub")

    let error = #expect(throws: ImageError.self) { try DayExport(scratch / "a.epub") }

    #expect(error?.code == .storeFailed)
  }
}
