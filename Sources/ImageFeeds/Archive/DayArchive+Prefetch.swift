import DiskCaching
public import ImageModel
public import ImagePipeline
import LoadScheduling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// The end of the load of one image.
public struct ArchivedImage: Sendable {
  /// The image.
  public let image: DayImage
  /// The bytes, or the error. Bytes that could not be kept are a success with a
  /// `DataResponse.storeFailure`.
  public let outcome: Result<DataResponse, ImageError>
  /// For each requested size the thumbnail, or the error.
  public let thumbnails: [Result<DataResponse, ImageError>]
  /// From the start of the load to the commit of the last file.
  public let elapsed: Duration
  /// Which tier answered; `nil` for a failure. An image that was downloaded for another day of the
  /// same run comes from the disk.
  public internal(set) var source: LoadSource?
  /// Whether the filter leaves it out, for what it is.
  var isSkipped = false

  /// The URL as the feed spells it.
  public var url: String { image.image.url }
}

/// An event of a prefetch.
public enum ArchiveEvent: Sendable {
  /// A feed answered, a day began, a day or a page is not available; never
  /// ``DayListing/Element/image(_:)`` or ``DayListing/Element/skipped(_:)``.
  case listed(DayListing.Element)
  /// An image that would be loaded; instead of ``image(_:)`` in a dry run.
  case planned(DayImage, isKept: Bool)
  /// An image was loaded, or failed.
  case image(ArchivedImage)
  /// An image was left out by the filter. One that had to be loaded for it is an entry of the cache
  /// like others, and not one of the day.
  case skipped(DayImage)
  /// A record of a day that could not be written; the images are kept.
  case warning(String)
  /// The images were in the cache already, and exceed a limit that is lower than when they were
  /// stored; they are kept. The code is `cacheFull`.
  case overLimit(ImageError)
  /// The end, also of a run that was cancelled.
  case ended
}

extension DayArchive {
  /// Receives the events of a prefetch with its progress, one at a time.
  public typealias Observer = @Sendable (ArchiveEvent, PrefetchProgress) async -> Void

  /// Fetches the images of some days into the cache, and records which feeds gave the days. No days
  /// means the latest.
  ///
  /// Images in the cache are not fetched again; an image that an earlier run left unfinished
  /// continues by Range. A day or an image that is not available is counted, not thrown. `observe`
  /// receives each event.
  ///
  /// - Returns: The counts of the whole run; see ``PrefetchProgress/isComplete``.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for the address of a feed that is not
  /// http(s), or `cacheUnusable` without a disk cache; or `CancellationError`.
  @discardableResult
  public func prefetch(
    _ days: [DayRequest] = [.latest], options: Options = Options(),
    observing observe: @escaping Observer = { _, _ in }
  ) async throws -> PrefetchProgress {
    try await DayPrefetch(self, options, observe).run(list(days, options: options))
  }

  /// Checks with the origins, by conditional requests, whether the days and their images have
  /// changed, and fetches those that have; images that were left out before stay so. Otherwise like
  /// ``prefetch(_:options:observing:)``.
  @discardableResult
  public func refresh(
    _ days: [DayRequest] = [.latest], options: Options = Options(),
    observing observe: @escaping Observer = { _, _ in }
  ) async throws -> PrefetchProgress {
    var options = options
    options.policy = .revalidate
    options.leavesOutSkipped = true
    return try await prefetch(days, options: options, observing: observe)
  }
}

private struct DiskIsFull: Error {}

private actor DayPrefetch {
  private let archive: DayArchive
  private let options: DayArchive.Options
  private let observe: DayArchive.Observer
  private let costBefore: ImagePipeline.Totals
  private var progress = PrefetchProgress()
  private var answered: [FeedSource] = []
  private var failed: Set<FeedSource> = []
  private var recorded: Set<DayKey> = []
  /// URLs that pages of stories name and that are not in the index yet.
  private var named: [DayKey: Set<ExactString>] = [:]
  /// What earlier runs did not get or left out, and what this one changes of it.
  private var gaps: [DayKey: DayGaps] = [:]
  private var changes: [DayKey: [String: DayGaps.Change]] = [:]
  private var lanes: [String: Lane] = [:]
  private var answering: Set<String> = []

  init(
    _ archive: DayArchive, _ options: DayArchive.Options, _ observe: @escaping DayArchive.Observer
  ) {
    self.archive = archive
    self.options = options
    self.observe = observe
    costBefore = archive.pipeline.transferTotals
  }

  func run(_ listing: DayListing) async throws -> PrefetchProgress {
    var interruption: CancellationError?
    gaps = try await archive.withRecords { await $0.all.gaps }
    do {
      var iterator = listing.iterator
      if options.isDryRun {
        while let image = try await next(&iterator) { try await plan(image) }
      } else {
        try await BoundedWork(maximumInFlight: archive.maximumInFlight).run(isolation: self) {
          [self] image in
          try await load(image)
        } finished: { loaded in
          if let loaded { await finish(loaded) }
        } next: {
          try await next(&iterator)
        }
        try await loadPutOff()
      }
    } catch is DiskIsFull {
      // Whatever else is fetched would be thrown away.
    } catch let error as CancellationError {
      interruption = error
      progress.isInterrupted = true
    }
    await checkLimit()
    await recordNamed()
    await recordGaps()
    await recordRefresh()
    await keepExtracts()
    // The next question reads the index again.
    archive.urls.withLock { $0.readAt = .distantPast }
    updateCost()
    await observe(.ended, progress)
    if let interruption { throw interruption }
    return progress
  }

  // MARK: Kept images

  /// Images of the listing that were looked for on disk together, and have to be loaded.
  private var missing: ArraySlice<DayImage> = []
  private static let maximumBatchCount = 256

  /// The next image that has to be loaded; those before it that are on disk have ended.
  private func next(_ iterator: inout DayListing.Iterator) async throws -> DayImage? {
    while true {
      if let image = missing.popFirst() { return image }
      guard let element = try await iterator.next() else { return nil }
      guard case .image(let first) = element else {
        await record(element)
        continue
      }
      let images = [first] + iterator.nextImages(maximumCount: Self.maximumBatchCount - 1)
      missing = options.isDryRun ? images[...] : try await finishKept(images)
    }
  }

  /// Ends the images that are on disk as they are wanted, and returns the others.
  private func finishKept(_ images: [DayImage]) async throws -> ArraySlice<DayImage> {
    guard options.thumbnails.isEmpty, !options.filter.judgesContent else { return images[...] }
    let kept = try await archive.kept(images.filter { !isLeftOut($0) }, options)
    for loaded in kept { await finish(loaded) }
    let numbers = Set(kept.map(\.image.number))
    return images.filter { !numbers.contains($0.number) }[...]
  }

  private func isLeftOut(_ image: DayImage) -> Bool {
    options.leavesOutSkipped && gaps[image.day]?.skipped.contains(image.image.url) ?? false
  }

  // MARK: Busy hosts

  private struct Lane {
    var pace = HostPace()
    var loadingCount = 0
    var images: [DayImage] = []
    var unavailable: [DayImage: ArchivedImage] = [:]
  }

  /// More images are not put off, but hold up others.
  private static let maximumPutOffCount = 100_000

  private func host(of image: DayImage) -> String? { WebURL(image.image.url)?.hostAndPort }

  private func load(_ image: DayImage) async throws -> ArchivedImage? {
    if progress.isDiskFull { throw DiskIsFull() }
    if isLeftOut(image) {
      await skip(image)
      return nil
    }
    let now = archive.pipeline.configuration.queueClock.now()
    guard let host = host(of: image), options.policy != .onlyIfCached else {
      return try await archive.load(image, options)
    }
    if options.separatesHosts, lanes[host] == nil { lanes[host] = Lane() }
    if let lane = lanes[host], lane.loadingCount > 0 || now < lane.pace.due,
      lane.images.count < Self.maximumPutOffCount
    {
      lanes[host]?.images.append(image)
      return nil
    }
    lanes[host]?.loadingCount += 1
    let loaded = try await archive.load(image, options)
    lanes[host]?.loadingCount -= 1
    return record(loaded, of: host) ? nil : loaded
  }

  /// Adjusts the pace of a host. Returns whether the image is put off.
  private func record(_ loaded: ArchivedImage, of host: String) -> Bool {
    let now = archive.pipeline.configuration.queueClock.now()
    switch loaded.outcome {
    case .success where loaded.source == .network || loaded.source == .revalidated:
      answering.insert(host)
      lanes[host]?.pace.succeeded(now: now)
    case .failure(let error) where error.status == 429:
      lanes[host, default: Lane()].pace.refused(retryAfter: error.retryAfter, now: now)
      lanes[host]?.images.append(loaded.image)
      return true
    case .failure(let error) where error.status == 503 && answering.contains(host):
      // Some hosts say so what others say by a 429; one that stays unavailable is not asked on.
      guard lanes[host]?.unavailable[loaded.image] == nil else {
        answering.remove(host)
        return false
      }
      lanes[host, default: Lane()].unavailable[loaded.image] = loaded
      lanes[host]?.images.append(loaded.image)
      return true
    default: break
    }
    return false
  }

  private func loadPutOff() async throws {
    try await withThrowingTaskGroup { [lanes] group in
      for (host, lane) in lanes where !lane.images.isEmpty {
        group.addTask { try await self.loadPutOff(of: host) }
      }
      try await group.waitForAll()
    }
  }

  private func loadPutOff(of host: String) async throws {
    let clock = archive.pipeline.configuration.queueClock
    lanes[host]?.images.reverse()
    lanes[host]?.pace.begin(now: clock.now())
    while let lane = lanes[host], let image = lanes[host]?.images.popLast() {
      let end = lane.pace.end(after: options.busyTime)
      let wait = min(lane.pace.due, end) - clock.now()
      if wait > .zero { try await clock.sleep(wait) }
      if progress.isDiskFull { throw DiskIsFull() }
      let isHopeless = clock.now() >= end
      if isHopeless {
        await finish(refusal(of: image))
      } else if let failed = lane.unavailable[image], !answering.contains(host) {
        await finish(failed)
      } else {
        let loaded = try await archive.load(image, options)
        if !record(loaded, of: host) { await finish(loaded) }
      }
    }
  }

  private func refusal(of image: DayImage) -> ArchivedImage {
    let error = ImageError(
      .httpStatus,
      "\(image.image.url): the server has answered 429 for \(options.busyTime.components.seconds) s",
      url: image.image.url, status: 429)
    return ArchivedImage(image: image, outcome: .failure(error), thumbnails: [], elapsed: .zero)
  }

  private func plan(_ image: DayImage) async throws {
    let isKept = try await archive.withRecords { await $0.cache.holds(.image(at: image.image.url)) }
    progress.plan(image)
    await observe(.planned(image, isKept: isKept), progress)
  }

  private func skip(_ image: DayImage) async {
    change(image, .skipped)
    progress.skip(image)
    await observe(.skipped(image), progress)
  }

  /// Notes the end of an image, where that is not what is expected or recorded.
  private func change(_ image: DayImage, _ change: DayGaps.Change) {
    guard change != .kept || gaps[image.day]?.contains(image.image.url) ?? false else { return }
    changes[image.day, default: [:]][image.image.url] = change
  }

  private func finish(_ loaded: ArchivedImage) async {
    if loaded.isSkipped { return await skip(loaded.image) }
    switch loaded.outcome {
    case .failure(let error): change(loaded.image, .failed(.init(error, of: loaded.image)))
    case .success(let response):
      change(
        loaded.image, response.storeFailure.map { .failed(.init($0, of: loaded.image)) } ?? .kept)
    }
    var loaded = loaded
    if progress.wasDownloaded(loaded.url), loaded.source == .network { loaded.source = .disk }
    progress.add(loaded)
    updateCost()
    await observe(.image(loaded), progress)
  }

  private func record(_ element: DayListing.Element) async {
    switch element {
    case .image: return
    case .skipped(let image): return await skip(image)
    case .answer(let days, let source):
      answered.append(source)
      await record(days, from: source)
      for day in days { progress.announce(day.images) }
    case .day(let day, let remaining):
      if named[day.day] == nil { await recordNamed() }
      progress.begin(day.day)
      progress.remainingDays = remaining
    case .page(let images, let day):
      progress.announce(images)
      named[day, default: []].formUnion(images.map { ExactString($0.url) })
    case .dayFailed(_, let error, let source):
      failed.insert(source)
      progress.failedDays += 1
      progress.record(error)
    case .baseFailed(_, _, let source): failed.insert(source)
    case .pageFailed: progress.failedPages += 1
    }
    await observe(.listed(element), progress)
  }

  private func updateCost() {
    let cost = archive.pipeline.transferTotals
    progress.evicted = archive.pipeline.configuration.diskCache?.evicted ?? progress.evicted
    progress.requests = cost.requestCount - costBefore.requestCount
    progress.bytesDownloaded = cost.receivedByteCount - costBefore.receivedByteCount
  }

  /// Images that the cache had are within its limit as well, like those that were stored: it may be
  /// lower than it was then.
  private func checkLimit() async {
    guard options.policy != .onlyIfCached, !options.isDryRun, progress.cached > 0,
      !progress.environmentFailed
    else { return }
    do {
      try await archive.withRecords { records in
        try await records.cache.perform { store throws(ImageError) in
          try store.makeRoomForRequested()
        }
      }
    } catch let error as ImageError where error.code == .cacheFull {
      progress.record(error)
      await observe(.overLimit(error), progress)
    } catch {}
  }

  // MARK: Records

  private func record(_ days: [FeedDay], from source: FeedSource) async {
    // Of a day without anything there is nothing to show.
    let days = days.filter { !$0.stories.isEmpty || !$0.topStories.isEmpty }
    guard let first = days.first else { return }
    let urls = days.map { ($0.day, Set($0.images.map { ExactString($0.url) })) }
    let named = Dictionary(urls) { $0.union($1) }
    let keepsDays = archive.keepsDays
    recorded.formUnion(named.keys)
    await record(orWarn: "cannot remember where \(first.day) came from") { records, now in
      for day in keepsDays ? Array(named.keys) : [] {
        try await records.cache.setKept(true, group: day.group)
      }
      let title = source.isZhihuDaily ? nil : first.feed?.title
      try await records.add(source, titled: title, for: days.map(\.day), at: now)
      try await NamedURLs.add(named, in: records.cache)
    }
  }

  /// Records the URLs that the pages of a day's stories name: once a day, when all are read.
  private func recordNamed() async {
    guard !named.isEmpty else { return }
    let urls = named
    named = [:]
    await record(orWarn: "cannot keep the index of URLs") { records, _ in
      try await NamedURLs.add(urls, in: records.cache)
    }
  }

  private func recordGaps() async {
    guard !changes.isEmpty else { return }
    let changes = changes
    await record(orWarn: "cannot remember which images are missing") { records, _ in
      try await records.change(changes)
    }
  }

  private func recordRefresh() async {
    guard progress.failed + progress.failedPages == 0, !progress.environmentFailed,
      !progress.isInterrupted
    else { return }
    let complete = Set(answered).subtracting(failed)
    guard !complete.isEmpty else { return }
    await record(orWarn: "cannot keep the time of the refresh") { records, now in
      for source in complete { try await records.recordRefresh(of: source, at: now) }
    }
  }

  /// Keeps what lists and searches of the days need. Whatever fails here, they make themselves.
  private func keepExtracts() async {
    guard options.policy != .onlyIfCached, !options.isDryRun, !progress.isInterrupted,
      !progress.environmentFailed
    else { return }
    try? await archive.keepExtracts(of: recorded)
  }

  private func record(
    orWarn warning: String, _ body: @Sendable (DayRecords, Date) async throws -> Void
  ) async {
    guard options.policy != .onlyIfCached, !options.isDryRun else { return }
    let now = archive.clock()
    do {
      try await archive.withRecords { try await body($0, now) }
    } catch {
      let reason = (error as? ImageError)?.message ?? "\(error)"
      await observe(.warning("\(warning): \(reason)"), progress)
    }
  }
}
