import ImageFeeds
import ImagePipeline
import ThumbnailServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The days in a cache, each the union of its feeds, read from the answers that they gave, and
/// loaded again from their origins on demand.
final class CachedDays: DayProviding {
  /// The URLs that days name, as of a version of the index.
  private struct Catalogue {
    var digests: Set<NamedURLs.Digest> = []
    var rows: [DayKey: String] = [:]
    var version: String?
    var readAt = Date.distantPast
    /// Days of older versions that were read for the index.
    var indexed: Set<DayKey> = []
    /// What of them could not be written.
    var unkept: Set<NamedURLs.Digest> = []
    /// The reading in progress.
    var reading: Task<Void, Never>?

    func contains(_ digest: NamedURLs.Digest) -> Bool {
      digests.contains(digest) || unkept.contains(digest)
    }
  }

  private let cache: DiskCache
  private let pipeline: ImagePipeline
  /// What the command line names; days that nothing is remembered of are asked of it.
  private let choice: FeedChoice
  private let sample: SampleOrigin?
  private let clock: @Sendable () -> Date
  private let concurrency: Int
  private let catalogue = Locked(Catalogue())
  private let feeds = Locked<[FeedChoice: any ImageFeed]>([:])
  /// Replaces the rows of versions that filed a feed under one day.
  private let filing = Locked<Task<Void, Never>?>(nil)

  /// Days of versions without an index that are read for it at once, the newest first: each is 20
  /// ms.
  private static let maximumIndexedDays = 31
  /// Days of more stories are lists of images.
  private static let maximumPagedStories = 200
  /// Another process may have fetched more days meanwhile.
  private static let catalogueLifetime = 10.0
  /// What only says that a feed has nothing kept of a day.
  private static let absences: Set<ImageError.Code> = [.notCached, .dayNotFound, .fileUnreadable]

  init(
    cache: DiskCache, pipeline: ImagePipeline, choice: FeedChoice, sample: SampleOrigin?,
    clock: @escaping @Sendable () -> Date, concurrency: Int
  ) {
    self.cache = cache
    self.pipeline = pipeline
    self.choice = choice
    self.sample = sample
    self.clock = clock
    self.concurrency = concurrency
  }

  func keptDays() async throws -> [DayKey] {
    await fileOlderRows()
    return try await pipeline.onOwnThreads { [cache] in FeedChoice.days(in: cache).sorted(by: >) }
  }

  func day(_ day: DayKey) async throws -> FeedDay? { try await kept(day)?.union.day }

  func names(_ url: String) async -> Bool {
    let groups = try? await pipeline.onOwnThreads { [cache] in
      cache.groups(of: .original(url: url))
    }
    if groups?.contains(where: { Group.day(of: $0) != nil }) == true { return true }
    return await isInCatalogue(NamedURLs.Digest(of: url))
  }

  func pages(of day: FeedDay) async -> Set<String> {
    guard let kept = try? await kept(day.day) else { return [] }
    return Set(await pages(of: kept).keys)
  }

  func page(of story: FeedStory, on day: DayKey) async throws -> StoryPage? {
    guard let kept = try await kept(day) else { return nil }
    return try await page(of: story.id, on: kept)
  }

  func lastRefresh(of day: DayKey) async -> String? {
    try? await pipeline.onOwnThreads { [cache] in
      FeedChoice.lastRefresh(of: FeedChoice.sources(of: day, in: cache), in: cache)
    }
  }

  // MARK: Kept days

  /// A day with the feeds that it is the union of.
  private struct Kept {
    let union: DayUnion
    let feeds: [any ImageFeed]
  }

  /// A day as its feeds gave it; `nil` where none of them is kept.
  private func kept(_ day: DayKey) async throws -> Kept? {
    await fileOlderRows()
    let feeds = try await pipeline.onOwnThreads { [self] in
      try FeedChoice.sources(of: day, in: cache).map { try feed($0) }
    }
    var options = FeedOptions()
    options.isOffline = true
    var days: [(feed: Int, day: FeedDay)] = []
    var failure: ImageError?
    for (number, feed) in feeds.enumerated() {
      do {
        days.append((number, try await feed.day(.day(day), options: options)))
      } catch let error as ImageError {
        if !Self.absences.contains(error.code) { failure = error }
      }
    }
    guard let union = DayUnion(days) else {
      if let failure { throw failure }
      return nil
    }
    return Kept(union: union, feeds: feeds)
  }

  /// A feed; that of a document is made once, as it remembers what it read last.
  private func feed(_ source: FeedChoice) throws -> any ImageFeed {
    if let known = feeds.withLock({ $0[source] }) { return known }
    let feed = try Session.feed(
      source, isRemembered: true, sample: sample, documents: pipeline, clock: clock)
    if !source.feed.isEmpty { feeds.withLock { $0[source] = feed } }
    return feed
  }

  private func page(of id: String, on day: Kept) async throws -> StoryPage? {
    guard let origin = day.union.origin(of: id) else { return nil }
    var options = FeedOptions()
    options.isOffline = true
    do {
      return try await day.feeds[origin.feed].page(of: origin.story, options: options)
    } catch let error as ImageError where error.code == .notCached {
      return nil
    }
  }

  /// The pages of a day's stories that are kept, by the stories' identifiers.
  private func pages(of kept: Kept) async -> [String: StoryPage] {
    let day = kept.union.day
    // Lists of thousands of images have no pages, and asking for each takes its time.
    guard day.stories.count <= Self.maximumPagedStories else { return [:] }
    var pages: [String: StoryPage] = [:]
    for story in day.stories + day.topStories where pages[story.id] == nil {
      pages[story.id] = try? await page(of: story.id, on: kept)
    }
    return pages
  }

  /// Files the items of feeds that versions before filed under a single day, once.
  private func fileOlderRows() async {
    // A task of its own: all callers wait for it, and none of them cancels it.
    let task = filing.withLock { filing in
      let task = filing ?? Task { await replaceOlderRows() }
      filing = task
      return task
    }
    await task.value
  }

  private func replaceOlderRows() async {
    let rows = (try? await pipeline.onOwnThreads { [cache] in FeedChoice.unfiled(in: cache) }) ?? []
    for (day, source) in rows {
      // Undated items were first seen no later than on the day they were filed under.
      let feed = try? Session.feed(
        source, isRemembered: true, sample: sample, documents: pipeline, clock: { day.start })
      guard let feed = feed as? SyndicationFeed, let days = try? await feed.fileKeptItems() else {
        continue
      }
      try? await pipeline.onOwnThreads { [cache, clock] in
        try source.keep(for: days, at: clock(), in: cache)
        try FeedChoice.replaceRow(of: day, in: cache)
      }
    }
  }

  // MARK: The index of URLs

  private func isInCatalogue(_ digest: NamedURLs.Digest) async -> Bool {
    let now = clock()
    let (isKnown, reading) = catalogue.withLock { catalogue -> (Bool, Task<Void, Never>?) in
      if catalogue.contains(digest) { return (true, nil) }
      guard now.timeIntervalSince(catalogue.readAt) > Self.catalogueLifetime else {
        return (false, nil)
      }
      // One reading for all that ask meanwhile.
      let reading = catalogue.reading ?? Task { await readCatalogue(at: now) }
      catalogue.reading = reading
      return (false, reading)
    }
    guard let reading else { return isKnown }
    await reading.value
    return catalogue.withLock { $0.contains(digest) }
  }

  /// Reads what has changed of the index, and makes the rows that versions without an index did
  /// not.
  private func readCatalogue(at now: Date) async {
    await readRows()
    let known = catalogue.withLock { $0 }
    let days = (try? await keptDays()) ?? []
    let missing = days.filter { known.rows[$0] == nil && !known.indexed.contains($0) }
      .prefix(Self.maximumIndexedDays - known.indexed.count)
    for key in missing { await index(key) }
    if !missing.isEmpty { await readRows() }
    catalogue.withLock {
      $0.readAt = now
      $0.reading = nil
    }
  }

  private func readRows() async {
    let known = catalogue.withLock { $0 }
    let fresh = try? await pipeline.onOwnThreads { [cache] () -> Catalogue? in
      let version = NamedURLs.version(in: cache)
      guard version != known.version else { return nil }
      var fresh = known
      fresh.version = version
      fresh.rows = NamedURLs.rows(in: cache)
      if known.rows.allSatisfy({ fresh.rows[$0.key] == $0.value }) {
        for (day, row) in fresh.rows where known.rows[day] == nil {
          fresh.digests.formUnion(NamedURLs.digests(row))
        }
      } else {
        fresh.digests = fresh.rows.values.reduce(into: []) { $0.formUnion(NamedURLs.digests($1)) }
      }
      return fresh
    }
    guard let fresh else { return }
    catalogue.withLock {
      $0.digests = fresh.digests
      $0.rows = fresh.rows
      $0.version = fresh.version
    }
  }

  /// Adds a day of a version without an index to it; in memory alone where the cache cannot be
  /// written.
  private func index(_ key: DayKey) async {
    catalogue.withLock { _ = $0.indexed.insert(key) }
    guard let kept = try? await kept(key) else { return }
    let urls = Set(await urls(of: kept))
    do {
      try await pipeline.onOwnThreads { [cache] in try NamedURLs.add([key: urls], in: cache) }
    } catch {
      catalogue.withLock { $0.unkept.formUnion(urls.map(NamedURLs.Digest.init)) }
    }
  }

  /// The URLs that a day and its stories' pages name.
  private func urls(of kept: Kept) async -> [String] {
    let pages = await pages(of: kept)
    let inPages = try? await pipeline.onOwnThreads {
      pages.flatMap { id, page in (try? page.images(of: id)) ?? [] }
    }
    return (kept.union.day.images + (inPages ?? [])).map(\.url)
  }

  // MARK: Refreshing

  func refresh(
    _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    let loaded = try await load(query)
    let result = try await refresh(loaded.flatMap(\.days), progress: progress)
    try await pipeline.onOwnThreads { [cache, clock] in
      let now = clock()
      for (source, days) in loaded {
        try source.keep(for: days.map(\.day), at: now, in: cache)
        var urls: [DayKey: Set<String>] = [:]
        for day in days { urls[day.day, default: []].formUnion(day.images.map(\.url)) }
        try NamedURLs.add(urls, in: cache)
        if result.failed == 0 { try source.noteRefresh(at: now, in: cache) }
      }
    }
    catalogue.withLock { $0.readAt = .distantPast }
    return result
  }

  /// The feeds to ask for a day.
  private func sources(of query: DayQuery) async throws -> [FeedChoice] {
    try await pipeline.onOwnThreads { [cache, choice] in
      let found =
        switch query {
        case .day(let day): FeedChoice.sources(of: day, in: cache)
        case .latest: choice == FeedChoice() ? FeedChoice.newest(in: cache) : []
        }
      return found.isEmpty ? choice.sources : found
    }
  }

  /// What to ask a feed for: stdin has no newest day but the one that is kept.
  private func query(_ query: DayQuery, of source: FeedChoice) async throws -> DayQuery {
    guard query == .latest, source.isStdin else { return query }
    let newest = try await keptDays().first
    return newest.map(DayQuery.day) ?? query
  }

  /// The days that the feeds have now.
  ///
  /// - Throws: ``ImageError`` of the last feed where none has any.
  private func load(_ query: DayQuery) async throws -> [(source: FeedChoice, days: [FeedDay])] {
    var options = FeedOptions()
    options.revalidates = true
    var loaded: [(source: FeedChoice, days: [FeedDay])] = []
    var failure: ImageError?
    for source in try await sources(of: query) {
      do {
        let asked: any ImageFeed = try await pipeline.onOwnThreads { [self] in try feed(source) }
        loaded.append(
          (source, try await asked.days(try await self.query(query, of: source), options: options)))
      } catch let error as ImageError {
        failure = error
      }
    }
    guard !loaded.isEmpty else {
      throw failure ?? ImageError(.dayNotFound, "no feed has this day")
    }
    return loaded
  }

  /// The images of days, each by a conditional request.
  private func refresh(
    _ days: [FeedDay], progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    var groups: [String: Set<String>] = [:]
    var images: [String] = []
    for day in days {
      for image in day.images {
        if groups[image.url] == nil { images.append(image.url) }
        groups[image.url, default: []].insert(Group.day(day.day))
      }
    }
    let (urls, groupsOf) = (images, groups)
    let tally = Locked(RefreshProgress())
    tally.withLock {
      $0.total = urls.count
      $0.day = days.map(\.day).max()
    }
    progress(tally.withLock { $0 })
    let prefetcher = ImagePrefetcher(maximumInFlight: concurrency)
    let items = AsyncStream { continuation in
      for url in urls { continuation.yield(url) }
      continuation.finish()
    }
    try await prefetcher.run(items) { [pipeline] url -> (String, LoadSource?) in
      var request = ImageRequest(url: url)
      request.priority = .prefetch
      request.isToBeKept = true
      request.cachePolicy = .revalidate
      request.groups = groupsOf[url] ?? []
      do {
        return (url, try await pipeline.data(for: request).source)
      } catch is ImageError {
        return (url, nil)
      }
    } finished: { url, source in
      let now = tally.withLock { tally in
        switch source {
        case .network: tally.downloaded += 1
        case .revalidated: tally.revalidated += 1
        case .disk, .memory: tally.cached += 1
        case nil: tally.failed += 1
        }
        tally.url = url
        return tally
      }
      progress(now)
    }
    return tally.withLock { $0 }
  }
}
