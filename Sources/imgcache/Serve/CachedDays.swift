import FoundationEssentials
import ImageFeeds
import ImagePipeline
import ThumbnailServer

/// The days in a cache, read from the answers that their feeds gave, and asked for anew.
final class CachedDays: DayProviding {
  /// Pictures that the newest days and the pages of their stories name, as of a moment.
  private struct Catalogue {
    var urls: Set<String> = []
    var days: [DayKey] = []
    var readAt = Date.distantPast
  }

  private let cache: DiskCache
  private let pipeline: ImagePipeline
  /// What the command line names; days that nothing is remembered of are asked of it.
  private let choice: FeedChoice
  private let sample: SampleOrigin?
  private let clock: @Sendable () -> Date
  private let concurrency: Int
  private let catalogue = Locked(Catalogue())

  /// Days whose pictures are known by name although they are not kept: reading all would take too long.
  private static let cataloguedDays = 31
  /// Days of more stories are lists of pictures.
  private static let maximumPagedStories = 200
  /// Another process may have fetched more days meanwhile.
  private static let catalogueLifetime = 10.0

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
    try await pipeline.onOwnThreads { [cache] in FeedChoice.days(in: cache).sorted(by: >) }
  }

  func day(_ day: DayKey) async throws -> FeedDay? {
    guard let known = try await choice(of: day) else { return nil }
    var options = FeedOptions()
    options.isOffline = true
    do {
      return try await load(.day(day), known, options)
    } catch let error as ImageError where [.notCached, .dayNotFound].contains(error.code) {
      return nil
    }
  }

  func names(_ url: String) async -> Bool {
    let groups = try? await pipeline.onOwnThreads { [cache] in
      cache.groups(of: .original(url: url))
    }
    if groups?.contains(where: { Group.day(of: $0) != nil }) == true { return true }
    return await newestNames().contains(url)
  }

  func pages(of day: FeedDay) async -> Set<String> { Set(await keptPages(of: day).keys) }

  func page(of story: FeedStory, on day: DayKey) async throws -> StoryPage? {
    try await page(of: story, in: try await feeds(of: day))
  }

  func lastRefresh(of day: DayKey) async -> String? {
    try? await pipeline.onOwnThreads { [cache] in
      FeedChoice(of: day, in: cache)?.lastRefresh(in: cache)
    }
  }

  /// What is remembered of a day, read on threads that may wait for the disk.
  private func choice(of day: DayKey) async throws -> FeedChoice? {
    try await pipeline.onOwnThreads { [cache] in FeedChoice(of: day, in: cache) }
  }

  func refresh(
    _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    let source = try await choice(for: query)
    var options = FeedOptions()
    options.revalidates = true
    let day = try await load(query, source, options)
    let result = try await refresh(day, progress: progress)
    try await pipeline.onOwnThreads { [cache, clock] in
      try source.keep(for: day.day, in: cache)
      if result.failed == 0 { try source.noteRefresh(at: clock(), in: cache) }
    }
    catalogue.withLock { $0.readAt = .distantPast }
    return result
  }

  // MARK: Steps

  /// Whom to ask for a day.
  private func choice(for query: DayQuery) async throws -> FeedChoice {
    try await pipeline.onOwnThreads { [cache, choice] in
      switch query {
      case .day(let day): FeedChoice(of: day, in: cache) ?? choice
      case .latest: choice == FeedChoice() ? FeedChoice.newest(in: cache) ?? choice : choice
      }
    }
  }

  private func feeds(of day: DayKey) async throws -> [any ImageFeed] {
    guard let known = try await choice(of: day) else { return [] }
    return try Session.feeds(known, sample: sample, documents: pipeline, clock: clock)
  }

  private func page(
    of story: FeedStory, in feeds: [any ImageFeed]
  ) async throws -> StoryPage? {
    var options = FeedOptions()
    options.isOffline = true
    for feed in feeds {
      do {
        if let page = try await feed.page(of: story, options: options) { return page }
      } catch let error as ImageError where error.code == .notCached {
        continue
      }
    }
    return nil
  }

  /// The pages of a day's stories that are kept, by the stories' identifiers.
  private func keptPages(of day: FeedDay) async -> [String: StoryPage] {
    // Lists of thousands of pictures have no pages, and asking for each takes its time.
    guard day.stories.count <= Self.maximumPagedStories, let feeds = try? await feeds(of: day.day)
    else { return [:] }
    var kept: [String: StoryPage] = [:]
    for story in day.stories + day.topStories where kept[story.id] == nil {
      kept[story.id] = try? await page(of: story, in: feeds)
    }
    return kept
  }

  /// What a day and its stories' pages name.
  private func pictures(of day: FeedDay) async -> [String] {
    let pages = await keptPages(of: day)
    let inPages = try? await pipeline.onOwnThreads {
      pages.flatMap { id, page in (try? page.images(of: id)) ?? [] }
    }
    return (day.images + (inPages ?? [])).map(\.url)
  }

  /// The pictures of a day, each by a conditional request.
  private func refresh(
    _ day: FeedDay, progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    let images = day.images
    let tally = Locked(RefreshProgress())
    tally.withLock {
      $0.total = images.count
      $0.day = day.day
    }
    progress(tally.withLock { $0 })
    let prefetcher = ImagePrefetcher(maximumInFlight: concurrency)
    let group = Group.day(day.day)
    let items = AsyncStream { continuation in
      for image in images { continuation.yield(image) }
      continuation.finish()
    }
    try await prefetcher.run(items) { [pipeline] image -> (String, LoadSource?) in
      var request = ImageRequest(url: image.url)
      request.priority = .prefetch
      request.isToBeKept = true
      request.cachePolicy = .revalidate
      request.groups = [group]
      do {
        return (image.url, try await pipeline.data(for: request).source)
      } catch is ImageError {
        return (image.url, nil)
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

  private func load(
    _ query: DayQuery, _ source: FeedChoice, _ options: FeedOptions
  ) async throws -> FeedDay {
    let feeds = try Session.feeds(source, sample: sample, documents: pipeline, clock: clock)
    var days: [FeedDay] = []
    var failure: ImageError?
    for feed in feeds {
      do {
        days.append(try await feed.day(query, options: options))
      } catch let error as ImageError {
        failure = error
      }
    }
    guard var whole = days.first else {
      throw failure ?? ImageError(.dayNotFound, "no feed has this day")
    }
    for other in days.dropFirst() {
      whole.stories += other.stories
      whole.topStories += other.topStories
      whole.warnings += other.warnings
    }
    return whole
  }

  private func newestNames() async -> Set<String> {
    let now = clock()
    let known = catalogue.withLock { $0 }
    guard now.timeIntervalSince(known.readAt) > Self.catalogueLifetime else { return known.urls }
    let days = Array(((try? await keptDays()) ?? []).prefix(Self.cataloguedDays))
    var fresh = Catalogue(urls: known.urls, days: days, readAt: now)
    if days != known.days || known.readAt == .distantPast {
      fresh.urls = []
      for key in days {
        if let day = try? await day(key) { fresh.urls.formUnion(await pictures(of: day)) }
      }
    }
    let result = fresh
    catalogue.withLock { $0 = result }
    return result.urls
  }
}
