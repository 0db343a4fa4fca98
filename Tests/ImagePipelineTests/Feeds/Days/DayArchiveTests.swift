import DiskCaching
import Foundation
import ImageCodecs
import ImageFeeds
import ImageFetching
import ImageModel
import ImagePipeline
import Testing
@testable import TestSupport

/// The day archive as a library user sees it: through its public API alone, with images and
/// feeds from an origin on loopback.
@Suite(.timeLimit(.minutes(5))) final class `The archive of days` {
  private let scratch: Scratch
  private let origin: FeedOrigin
  private let fixture: ArchiveFixture

  init() throws {
    scratch = try Scratch()
    origin = try FeedOrigin(images: ["a", "b", "c", "d"])
    fixture = try ArchiveFixture(scratch)
  }

  deinit { origin.stop() }

  /// The events that an observer received.
  private actor Log {
    private(set) var lines: [String] = []

    func record(_ event: ArchiveEvent) {
      switch event {
      case .listed(.answer(let days, let source)): lines.append("\(days.count) days of \(source)")
      case .listed(.day(let day, let remaining)): lines.append("\(day.day), then \(remaining)")
      case .listed(.page(let images, let day)): lines.append("\(images.count) in pages of \(day)")
      case .listed(.dayFailed(let query, let error, _)): lines.append("\(query) \(error.code)")
      case .listed: lines.append("listed")
      case .planned(let image, let isKept): lines.append("\(image.number) \(isKept)")
      case .skipped(let image): lines.append("\(image.number) left out")
      case .image(let image):
        lines.append("\(image.image.day) \(image.source?.rawValue ?? "failed")")
      case .warning(let text): lines.append(text)
      case .overLimit(let error): lines.append(error.message)
      case .ended: lines.append("end")
      }
    }
  }

  private let june16 = DayKey(ordinal: 18_429)
  private let june17 = DayKey(ordinal: 18_430)

  private func day(_ text: String) throws -> DayRequest { try DayRequest(text) }

  /// Two days, with an image of both.
  private var days: FeedSource {
    .url(origin.rss("/feed.xml", [("a", "2020-06-17"), ("b", "2020-06-16"), ("a", "2020-06-16")]))
  }

  // MARK: Prefetch

  @Test func `a prefetch stores each image once and reports every step`() async throws {
    let (log, feed) = (Log(), days)
    let archive = fixture.archive(feed)

    let first = try await archive.prefetch { event, _ in await log.record(event) }
    let again = try await archive.prefetch()

    let lines = await log.lines
    #expect(lines.prefix(2) == ["2 days of \(feed)", "20200617, then 1"])
    #expect(lines.contains("20200616, then 0") && lines.last == "end" && lines.count == 7)
    // Of the loads of one URL for two days, either may end first.
    #expect(lines.count { $0.hasSuffix(" network") } == 2)
    #expect(lines.count { $0.hasSuffix(" disk") } == 1)
    #expect(first.isComplete && first.days == [june17, june16])
    #expect(first.images == 2 && first.total == 2 && first.downloaded == 2)
    #expect(first.requests == 2 && first.bytesStored > 0)
    #expect(again.cached == 2 && again.requests == 0)
    #expect(origin.imageRequests.sorted() == ["/a.png", "/b.png"])
    #expect(await fixture.cache.path(for: .original(url: origin.image("a"))) != nil)
  }

  @Test func `a listing and a dry run load and record nothing`() async throws {
    let log = Log()
    let archive = fixture.archive(days)
    var options = DayArchive.Options()
    options.isDryRun = true

    var urls: [String] = []
    for try await element in archive.list() {
      if case .image(let image) = element { urls.append(image.image.url) }
    }
    let planned = try await archive.prefetch(options: options) { event, _ in await log.record(event)
    }

    #expect(urls == ["a", "b", "a"].map { origin.image($0) })
    #expect(planned.images == 2 && planned.downloaded == 0)
    #expect(await log.lines.filter { $0.hasSuffix("false") } == ["1 false", "2 false", "3 false"])
    #expect(origin.imageRequests.isEmpty)
    #expect(try await archive.keptDays() == [])
  }

  @Test func `a pipeline without a disk cache is refused`() async throws {
    let pipeline = try ImagePipeline(ImagePipeline.Configuration(fetcher: try HTTPFetcher()))

    let error = await #expect(throws: ImageError.self) {
      try await DayArchive(pipeline, feed: .zhihuDaily).prefetch()
    }

    #expect(error?.code == .cacheUnusable)
  }

  // MARK: Stored days

  @Test func `offline, days and images come from the cache`() async throws {
    let archive = fixture.archive(days)
    try await archive.prefetch()
    _ = try await fixture.cache.purge(CachePurge(urls: [origin.image("b")]))
    origin.stop()
    var options = DayArchive.Options()
    options.policy = .onlyIfCached

    let result = try await archive.prefetch(
      [day("20200616...20200617")], options: options)
    let kept = try await archive.keptDays()
    let day = try await archive.day(june17)

    #expect(result.cached == 1 && result.failed == 1 && result.failedDays == 0)
    #expect(kept == [june17, june16])
    #expect(day?.images.map(\.url) == [origin.image("a")])
    #expect(await archive.lastRefresh(of: june17) != nil)
  }

  @Test func `a refresh asks the feeds that a day came from, by conditional requests`()
    async throws
  {
    for name in ["a", "b"] {
      origin.origin["/\(name).png"] = [.file(try FeedOrigin.image(name), tag: "\"\(name)\"")]
    }
    let feed = days
    try await fixture.archive(feed).prefetch()
    let archive = DayArchive(
      fixture.pipeline, feeds: .remembered(otherwise: [.url("http://127.0.0.1:9/")]))

    let result = try await archive.refresh([day("20200617")])
    let unknown = try await archive.refresh([day("20200101")])

    #expect(result.isComplete && result.revalidated == 1)
    #expect(origin.field("if-none-match", ofLast: "/a.png") == "\"a\"")
    #expect(unknown.failedDays == 1 && unknown.images == 0)
    #expect(await DayRecords(in: fixture.cache).sources(of: june17) == [feed])
  }

  // MARK: Export

  @Test func `texts of many days are those of the items that are kept`() async throws {
    let feed = origin.rss("/feed.xml", (10...29).map { ("a", "2020-06-\($0)") })
    var options = DayArchive.Options()
    options.includesPages = true
    let days = try day("20200610...20200629")
    try await fixture.archive(.url(feed)).prefetch([days], options: options)
    _ = fixture.documents.take()

    let result = try await fixture.archive(.url(feed)).export(
      [days], to: DayExport(scratch / "days"), includingPages: true)

    #expect(result.days.count == 20 && result.isComplete)
    #expect(fixture.documents.take() == [])
  }

  // MARK: Feeds

  @Test
  func `all spellings of a path name one feed, and a symbolic link to its folder is followed`()
    throws
  {
    try scratch.makeFolder("a/b")
    try scratch.link("link", to: "a/b")
    let plain = FeedSource.file(scratch / "a/list.txt")

    for spelling in ["a/./list.txt", "a//list.txt", "a/b/../list.txt", "link/../list.txt"] {
      #expect(FeedSource.file(scratch / spelling) == plain, "\(spelling)")
    }
    #expect(FeedSource.file(scratch / "list.txt") != plain)
    #expect(FeedSource.file("list.txt") == .file("./list.txt"))
    #expect(FeedSource.file("/list.txt").description == "/list.txt")
  }

  @Test func `a list file is read, and remembered after the file is deleted`() async throws {
    try scratch.write(origin.image("a"), to: "list.txt")
    let source = FeedSource.file(scratch / "list.txt")

    let first = try await fixture.archive(source).prefetch()
    try FileManager.default.removeItem(atPath: scratch / "list.txt")
    let key = try #require(first.days.first)
    let kept = try await DayArchive(fixture.pipeline, feeds: .remembered()).day(key)
    let failed = Locked<[ImageError.Code]>([])
    let second = try await fixture.archive(source).prefetch { event, _ in
      if case .listed(.dayFailed(_, let error, _)) = event {
        failed.withLock { $0.append(error.code) }
      }
    }

    #expect(first.isComplete && first.downloaded == 1)
    #expect(kept?.images.map(\.url) == [origin.image("a")])
    #expect(second.failedDays == 1 && failed.withLock { $0 } == [.fileUnreadable])
  }
}
