import DiskCaching
import HTTPCaching
public import ImageCodecs
public import ImageModel
public import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// The images of days in the cache of a pipeline: lists the days of feeds, fetches and refreshes
/// their images, exports them, and reads what is kept without a network.
///
///     let archive = DayArchive(pipeline, feed: .zhihuDaily)
///     let result = try await archive.prefetch([.latest]) { event, progress in
///       if case .image(let image) = event { print(image.url, progress.images, progress.total) }
///     }
///     try await archive.export([.latest], to: DayExport("days"))
///
/// A day is the union of what its feeds have for it. The pipeline needs a disk cache; for Zhihu
/// Daily its configuration should have `HostRules.zhihu`.
public final class DayArchive: Sendable {
  /// Which feeds an archive fetches.
  public enum Feeds: Sendable, Hashable {
    /// These, for every day.
    case named([FeedSource])
    /// For each day those that it came from before, and others for days without a record.
    case remembered(otherwise: [FeedSource] = [.zhihuDaily])
  }

  /// Options for listing and fetching the images of days.
  public struct Options: Sendable {
    /// How far the cache may be trusted: `CachePolicy.revalidate` revalidates even fresh feeds and
    /// images, `CachePolicy.onlyIfCached` sends no request. Default: the rules of HTTP.
    public var policy = CachePolicy.http
    /// Whether the images inside the pages of stories count as well. Default: no.
    public var includesPages = false
    /// The number of days for each request, ending with it. Default: 1.
    public var daysEach = 1
    /// Which images are wanted; what else is named is reported as ``ArchiveEvent/skipped(_:)``.
    /// Default: all.
    public var filter = ImageFilter()
    /// Whether images stay left out that the ``filter`` of an earlier run left out; then that of this
    /// run has no effect on them. Default: no.
    public var leavesOutSkipped = false
    /// Thumbnails to make of every image. Default: none.
    public var thumbnails: [ThumbnailRecipe] = []
    /// How much of an image must hold before it is stored. Default: every pixel decodes.
    public var check = ImageCheck.decode
    /// How long a host that answers 429 to everything is asked for its images, more and more slowly
    /// and after those of other hosts. Default: 10 minutes.
    public var busyTime = Duration.seconds(600)
    /// Whether each host is asked for one image at a time: then one with many does not hold up
    /// others where the rate of requests is limited. Default: no.
    public var separatesHosts = false
    /// Whether images are only listed, as ``ArchiveEvent/planned(_:isKept:)``: nothing is loaded or
    /// recorded. Default: no.
    public var isDryRun = false

    /// The defaults.
    public init() {}
  }

  let pipeline: ImagePipeline
  let maximumInFlight: Int
  let keepsDays: Bool
  /// The time zone of the days of feeds other than Zhihu Daily.
  public let timeZone: DayZone
  private let feeds: Feeds
  private let read: FeedSource.Reading
  private let months = ItemMonths()
  private let made = Locked<[FeedSource: any ImageFeed]>([:])
  let urls = Locked(NamedURLCatalogue())
  let summaryList = DaySummaries()
  let counts = DayExtracts(.counts)
  let texts = DayExtracts(.texts)
  let isReadingTexts = Locked(false)

  /// Creates an archive of one feed.
  public convenience init(_ pipeline: ImagePipeline, feed: FeedSource) {
    self.init(pipeline, feeds: .named([feed]))
  }

  /// Creates an archive.
  ///
  /// - Parameters:
  ///   - pipeline: Loads the images; it needs a disk cache.
  ///   - feeds: Which feeds are fetched.
  ///   - maximumInFlight: Images that are fetched, checked or stored at once. Default: 6.
  ///   - keepsDays: Whether the days that are fetched are kept: no limit evicts their images, see
  ///     `DiskCache.setKept(_:group:)`. Without it they are entries like others, and days that are
  ///     kept stay so. Default: yes.
  ///   - timeZone: The time zone of the days under which items of feeds are filed; those that are
  ///     filed already stay there. Days of Zhihu Daily are those of UTC+8. Default: UTC+8.
  ///   - read: Reads the file of a ``FeedSource``; `-` is the standard input. Default: at most 64
  ///     MiB of any file.
  public init(
    _ pipeline: ImagePipeline, feeds: Feeds, maximumInFlight: Int = 6, keepsDays: Bool = true,
    timeZone: DayZone = .utcPlus8,
    reading read: (@Sendable (_ path: String) throws -> [UInt8])? = nil
  ) {
    self.pipeline = pipeline
    self.feeds = feeds
    self.maximumInFlight = maximumInFlight
    self.keepsDays = keepsDays
    self.timeZone = timeZone
    self.read = read ?? { try FeedSource.read($0) }
  }

  /// Lists some days, none for the latest, and their images, feed by feed; loads no image and
  /// records nothing. The options say how far the cache is trusted, and whether pages count.
  public func list(_ days: [DayRequest] = [.latest], options: Options = Options()) -> DayListing {
    DayListing(archive: self, requests: days, options: options)
  }

  /// The days with records in the cache, newest first. The documents of one may have been removed
  /// since: then ``day(_:)`` returns `nil`.
  public func keptDays() async throws -> [DayKey] {
    try await withRecords { await $0.days.sorted(by: >) }
  }

  /// The time zone of the feeds of the newest day in the cache: ``timeZone`` if none of them is Zhihu
  /// Daily, else UTC+8.
  public func zone() async -> DayZone {
    let zone = try? await withRecords { [timeZone] in await $0.zone(ofItems: timeZone) }
    return zone ?? .utcPlus8
  }

  /// The feeds of all days in the cache, by title; of bases of Zhihu Daily one, since they are
  /// alternatives.
  public func feeds() async -> [FeedReference] {
    let feeds = try? await withRecords { records in
      let sources = await records.sources.sorted { $0.description < $1.description }
      return DayRecords.references(of: sources, await records.titles(of: sources))
    }
    return (feeds ?? []).sorted { ($0.label, $0.url) < ($1.label, $1.url) }
  }

  /// The days in the cache, newest first. A day is read again only when its records, documents or
  /// images have changed, by any process; concurrent calls share one pass.
  public func summaries() async throws -> [DaySummary] { try await summaryList.all(of: self) }

  /// When the last feed of a day was fetched completely, as ISO 8601; `nil` for never.
  public func lastRefresh(of day: DayKey) async -> String? {
    try? await withRecords { await $0.lastRefresh(of: await $0.sources(of: day)) }
  }

  /// Removes the images of a day that are in no other day, with all their variants, and what is
  /// recorded about it; see `DiskCache.removeGroup(_:)`.
  ///
  /// - Returns: The number of entries removed.
  /// - Throws: `ImageError` with code `cacheUnusable` or `storeFailed`; `sharedTierFailed` where the
  ///   images are removed here, and the purge has not reached the shared tier.
  public func remove(_ day: DayKey) async throws -> Int {
    try await withRecords { [pipeline] records in
      guard pipeline.configuration.sharedTier != nil, let tag = CacheTag.group(day.group) else {
        return try await records.remove(day)
      }
      // Other servers know by the tag which of the images they keep for other days.
      let purge = TierPurge(tags: [tag.name], time: pipeline.configuration.clock())
      let shared = await Task { try await pipeline.purgeShared(purge) }.result
      let count = try await records.remove(day)
      try shared.get()
      return count
    }
  }

  var clock: @Sendable () -> Date { pipeline.configuration.clock }

  var isRemembering: Bool { if case .remembered = feeds { true } else { false } }

  func withRecords<Value: Sendable>(
    _ body: @Sendable (DayRecords) async throws -> Value
  ) async throws -> Value {
    guard let cache = pipeline.configuration.diskCache else {
      throw ImageError(.cacheUnusable, "an archive of days needs a pipeline with a disk cache")
    }
    return try await body(DayRecords(in: cache))
  }

  func parts(
    _ days: [DayRequest], daysEach: Int
  ) async throws -> [DayListing.Part] {
    try await withRecords { [self] records in
      try await records.requests(days, of: feeds, timeZone).map { source, days in
        let feed = try feed(source, isRemembered: isRemembering)
        let plan = DayPlan(days, daysEach: daysEach, today: feed.today)
        return DayListing.Part(feed: feed, source: source, plan: plan)
      }
    }
  }

  /// Makes a feed. Those that the cache names are made once, and so is the standard input.
  func feed(_ source: FeedSource, isRemembered: Bool) throws -> any ImageFeed {
    let isShared =
      if case .document = source.kind { isRemembered || source.isStandardInput } else { false }
    if isShared, let known = made.withLock({ $0[source] }) { return known }
    let feed = try source.feed(
      isRemembered: isRemembered, documents: NotedDocuments(pipeline: pipeline, months: months),
      zone: timeZone, clock: clock, read: read)
    if isShared { made.withLock { $0[source] = feed } }
    return feed
  }
}
