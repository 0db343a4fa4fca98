import DiskCaching
import Foundation
import ImageCodecs
import ImageModel
import ImagePipeline
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// What an archive leaves out, what it knows to be missing, and the feeds that a document names.
@Suite(.timeLimit(.minutes(5))) final class `Filters of an archive` {
  private let scratch: Scratch
  private let origin: FeedOrigin
  private let fixture: ArchiveFixture
  private let day = DayKey(ordinal: 18_430)

  init() throws {
    scratch = try Scratch()
    origin = try FeedOrigin(images: ["a", "b"])
    fixture = try ArchiveFixture(scratch)
    origin.origin["/large.png"] = [
      .whole(
        try ImageCodecs.encodePNG(SampleImages.flat(64, 8, [1, 2, 3, 255])),
        fields: ["Cache-Control: max-age=3600"])
    ]
  }

  deinit { origin.stop() }

  private func options(_ change: (inout ImageFilter) -> Void) -> DayArchive.Options {
    var options = DayArchive.Options()
    change(&options.filter)
    return options
  }

  private func feed(_ names: String...) -> FeedSource {
    .url(origin.rss("/feed.xml", names.map { ($0, "2020-06-17") }))
  }

  private func summary(_ archive: DayArchive) async throws -> DaySummary {
    try #require(try await archive.summaries().first)
  }

  @Test func `patterns leave images out by URL or title, without a request`() async throws {
    let archive = fixture.archive(feed("a", "b", "large"))

    let excluded = try await archive.prefetch(options: options { $0.excluded = ["*/A.png"] })
    let day = try await summary(archive)
    let only = try await archive.prefetch(options: options { $0.included = ["title of b"] })

    #expect(excluded.isComplete && excluded.skipped == 1)
    #expect(excluded.images == 2 && excluded.total == 2)
    #expect(day.imageCount == 2 && day.cachedImageCount == 2)
    #expect(day.skippedImageCount == 1 && day.missingImageCount == 0)
    #expect(day.feeds == [FeedReference(title: nil, url: origin.url("/feed.xml"))])
    #expect(day.isKept && !day.isPinned && day.byteCount > 0)
    #expect(only.skipped == 2 && only.cached == 1)
    #expect(!origin.imageRequests.contains("/a.png"))
    #expect(try await archive.missingImages().isEmpty)
  }

  @Test func `a day from the cache has no image that was left out`() async throws {
    let archive = fixture.archive(feed("a", "b"))
    try await archive.prefetch(options: options { $0.excluded = ["*/a.png"] })

    let kept = try #require(try await archive.day(day))

    #expect(kept.images.map(\.url) == [origin.image("b")])
    #expect(kept.leftOut == [origin.image("a")] && kept.stories.count == 2)
  }

  @Test func `small images are left out, and requested no more`() async throws {
    let archive = fixture.archive(feed("a", "large"))
    let small = options { $0.minimumSize = PixelSize(width: 16, height: 16) }

    let first = try await archive.prefetch(options: small)
    let again = try await archive.prefetch(options: small)
    let record = await fixture.cache.record(for: .image(at: origin.image("a")))
    let groups = await fixture.cache.groups(of: .image(at: origin.image("a")))
    let all = try await archive.prefetch()

    #expect(first.skipped == 1 && first.downloaded == 1 && first.isComplete)
    #expect(again.skipped == 1 && again.cached == 1 && again.requests == 0)
    // An entry like others: it may be evicted.
    #expect(record?.isKept == false && groups.isEmpty)
    #expect(all.skipped == 0 && all.cached == 2 && all.requests == 0)
    #expect(try await summary(archive).skippedImageCount == 0)
  }

  @Test func `few bytes are left out, too`() async throws {
    let archive = fixture.archive(feed("a", "b"))

    let result = try await archive.prefetch(options: options { $0.minimumByteCount = 1 << 20 })

    #expect(result.skipped == 2 && result.images == 0 && result.isComplete)
    #expect(try await summary(archive).missingImageCount == 0)
  }

  @Test func `a refresh leaves out what was left out`() async throws {
    let archive = fixture.archive(feed("a", "b"))
    try await archive.prefetch(options: options { $0.excluded = ["*/a.png"] })

    let refreshed = try await archive.refresh([.day(day)])

    #expect(refreshed.skipped == 1 && refreshed.images == 1)
    #expect(!origin.imageRequests.contains("/a.png"))
  }

  @Test func `what failed is missing, with the reason, until it is there`() async throws {
    let archive = fixture.archive(feed("a", "gone", "b"))
    origin.origin["/gone.png"] = [.whole([], status: 503)]

    let first = try await archive.prefetch()
    let missing = try await archive.missingImages()
    origin.origin["/gone.png"] = [.whole(try FeedOrigin.image("gone"))]
    let again = try await archive.prefetch()

    #expect(first.failed == 1)
    #expect(
      missing == [
        MissingImage(day: day, url: origin.image("gone"), failure: .httpStatus, status: 503)
      ])
    #expect(again.isComplete)
    #expect(try await archive.missingImages().isEmpty)
    #expect(try await summary(archive).missingImageCount == 0)
  }

  @Test func `an image that the feed has replaced is missing no more`() async throws {
    let archive = fixture.archive(feed("gone"))
    try await archive.prefetch()
    let before = try await archive.missingImages().count
    let item = "<item><guid>gone</guid><title>title of gone</title><pubDate>2020-06-17</pubDate>"
    let image = "<enclosure type=\"image/png\" url=\"\(origin.image("a"))\"/></item>"
    origin.origin["/feed.xml"] = [
      .whole(Array("<rss><channel>\(item)\(image)</channel></rss>".utf8))
    ]
    try await archive.prefetch()

    #expect(before == 1)
    #expect(try await archive.missingImages().isEmpty)
    #expect(try await summary(archive).missingImageCount == 0)
  }

  @Test func `images that no run fetched are missing without a reason`() async throws {
    let archive = fixture.archive(feed("a", "b"))
    try await archive.prefetch()
    _ = try await fixture.cache.purge(CachePurge(urls: [origin.image("b")]))

    let missing = try await archive.missingImages()

    #expect(missing == [MissingImage(day: day, url: origin.image("b"))])
  }

  @Test func `the feeds that OPML and pages name are fetched and recorded themselves`()
    async throws
  {
    _ = feed("a")
    _ = origin.rss("/other.xml", [("b", "2020-06-16")])
    origin.origin["/page"] = [
      .whole(
        Array("<!doctype html><link rel=alternate type=application/rss+xml href=/other.xml>".utf8))
    ]
    let named = ["/feed.xml", "/page", "/none.xml", "/feed.xml", "/list.opml"]
      .map { "<outline xmlUrl='\(origin.url($0))'/>" }.joined()
    origin.origin["/list.opml"] = [.whole(Array("<opml><body>\(named)</body></opml>".utf8))]

    let archive = fixture.archive(.url(origin.url("/list.opml")))
    let result = try await archive.prefetch()
    let days = try await archive.summaries()

    #expect(result.downloaded == 2 && result.failedDays == 1)
    #expect(days.map { "\($0.day)" } == ["20200617", "20200616"])
    #expect(
      days.map { $0.feeds.map(\.url) } == [[origin.url("/feed.xml")], [origin.url("/other.xml")]])
  }

  @Test func `entries of a list that are no feeds of the web fail, and the others are fetched`()
    async throws
  {
    _ = feed("a")
    let good = origin.url("/feed.xml").replacing("http:", with: "HTTP:")
    let outlines = [
      good, "file:///etc/passwd", "feed.xml", "/etc/passwd", "feed:\(origin.url("/b"))",
    ]
    .map { "<outline xmlUrl='\($0)'/>" }.joined()
    let file = scratch / "list.opml"
    try Data("<opml><body>\(outlines)</body></opml>".utf8).write(to: URL(filePath: file))

    let result = try await fixture.archive(.file(file)).prefetch()

    #expect(result.downloaded == 1 && result.failedDays == 4)
    #expect(origin.origin.requests.map(\.path).contains("/b"))
  }

  @Test(arguments: ["/list", "/page"])
  func `one that names only itself fails`(path: String) async throws {
    origin.origin["/list"] = [
      .whole(Array("<opml><body><outline xmlUrl='\(origin.url("/list"))'/></body></opml>".utf8))
    ]
    origin.origin["/page"] = [
      .whole(
        Array("<!doctype html><link rel=alternate type=application/rss+xml href=/page>".utf8))
    ]

    let result = try await fixture.archive(.url(origin.url(path))).prefetch()

    #expect(result.failedDays == 1)
    #expect(origin.requestCount == 1)
  }

  @Test func `feeds of a list are requested at the same time`() async throws {
    let (gate, paths) = (Gate(), (0..<4).map { "/\($0).xml" })
    let list = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhttp://a.example/1.png".utf8)
    for path in paths { origin.origin[path] = [.held([], gate, list)] }
    let outlines = paths.map { "<outline xmlUrl='\(origin.url($0))'/>" }.joined()
    origin.origin["/list"] = [.whole(Array("<opml><body>\(outlines)</body></opml>".utf8))]
    let archive = fixture.archive(.url(origin.url("/list")))
    var options = DayArchive.Options()
    options.isDryRun = true

    async let result = archive.prefetch(options: options)
    await gate.arrivals(4)
    gate.open()

    #expect(try await result.days.count == 1)
    #expect(origin.requestCount == 5)
  }

  @Test func `an endless chain of documents that name others fails`() async throws {
    for number in 0..<5 {
      origin.origin["/\(number)"] = [
        .whole(
          Array(
            "<opml><body><outline xmlUrl='\(origin.url("/\(number + 1)"))'/></body></opml>".utf8))
      ]
    }

    let result = try await fixture.archive(.url(origin.url("/0"))).prefetch()

    #expect(result.failedDays == 1 && result.images == 0)
    #expect(origin.requestCount == 3)
  }

  @Test func `the title of a feed is with its days and stories, also from the cache`()
    async throws
  {
    let item = "<item><guid>1</guid><title>t</title><pubDate>2020-06-17</pubDate></item>"
    let channel = "<channel><title> A\n feed </title>\(item)</channel>"
    origin.origin["/titled"] = [.whole(Array("<rss>\(channel)</rss>".utf8))]
    let reference = FeedReference(title: "A feed", url: origin.url("/titled"))
    let archive = fixture.archive(.url(reference.url))

    try await archive.prefetch()
    let later = DayArchive(fixture.pipeline, feeds: .remembered())
    let stored = try #require(try await later.day(day))
    let table = try await later.feedTable()

    #expect(try await summary(later).feeds == [reference])
    #expect(stored.feed == reference && stored.stories.map(\.feed) == [reference])
    #expect(table.feeds(of: "http://elsewhere", on: [day]) == [reference])
    #expect(reference.matches("a FEED") && reference.matches("/titled"))
    #expect(!reference.matches("zhihu"))
  }
}
