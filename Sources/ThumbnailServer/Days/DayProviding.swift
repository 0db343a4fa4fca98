public import ImageFeeds
import ImageModel

/// The days in the cache, as the server offers them.
public protocol DayProviding: Sendable {
  /// The known days, newest first. ``day(_:)`` returns `nil` for one whose document was removed
  /// since.
  func keptDays() async throws -> [DayKey]

  /// The time zone of the newest day's feeds.
  func zone() async -> DayZone

  /// The feeds of all days in the cache, by title.
  func feeds() async -> [FeedReference]

  /// The counts of the days in the cache, newest first.
  func summaries() async throws -> [DaySummary]

  /// A day in the cache; `nil` if it is not there. Sends no request.
  func day(_ day: DayKey) async throws -> FeedDay?

  /// The stories of the days in the cache that have all words of a text; see
  /// `DayArchive.stories(matching:ofFeed:limit:)`.
  func stories(
    matching words: String, ofFeed feed: String?, limit: Int
  ) async throws -> FoundStories

  /// Whether a day in the cache, or the page of one of its stories there, names an image.
  func names(_ url: String) async -> Bool

  /// The identifiers of the stories whose pages are in the cache.
  func pages(of day: FeedDay) async -> Set<String>

  /// The page of a story; `nil` if it is not in the cache or the story has none. Sends no
  /// request.
  func page(of story: FeedStory, on day: DayKey) async throws -> StoryPage?

  /// When a day's feed was last fetched completely, as ISO 8601; `nil` for never.
  func lastRefresh(of day: DayKey) async -> String?

  /// Removes the images of a day that are in no other day, with all their variants, and what is
  /// recorded about it.
  ///
  /// - Returns: The number of entries removed; 0 for a day that is not in the cache.
  func remove(_ day: DayKey) async throws -> Int

  /// Loads a day again, with conditional requests for its images, and reports each.
  ///
  /// - Throws: `ImageError`, or `CancellationError`.
  func refresh(
    _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress
}

extension DayProviding {
  /// No feeds: for days that have none.
  public func feeds() async -> [FeedReference] { [] }

  /// UTC+8.
  public func zone() async -> DayZone { .utcPlus8 }

  /// Reads each day: for days that are not in a cache. No image counts as cached.
  public func summaries() async throws -> [DaySummary] {
    var summaries: [DaySummary] = []
    for key in try await keptDays() {
      guard let day = try await day(key) else { continue }
      summaries.append(DaySummary(day, refreshedAt: await lastRefresh(of: key)))
    }
    return summaries
  }

  /// Reads each day, and compares titles alone: for days that are not in a cache.
  public func stories(
    matching words: String, ofFeed feed: String?, limit: Int
  ) async throws -> FoundStories {
    var found: [FeedDay] = []
    // A day that cannot be read hides no other one.
    for key in try await keptDays() { if let day = try? await day(key) { found.append(day) } }
    return FoundStories(matching: words, ofFeed: feed, limit: limit, in: found)
  }

  /// No pages: for days without stories.
  public func pages(of day: FeedDay) async -> Set<String> { [] }

  /// The first of some days that is in the cache; `nil` if none is.
  func first(of days: some Sequence<DayKey>) async throws -> FeedDay? {
    for key in days {
      if let day = try await day(key) { return day }
    }
    return nil
  }

  /// Removes nothing: for days that are not in a cache.
  public func remove(_ day: DayKey) async throws -> Int { 0 }

  /// No page.
  public func page(of story: FeedStory, on day: DayKey) async throws -> StoryPage? { nil }
}

/// How far the refresh of a day has come.
public struct RefreshProgress: Sendable, Hashable {
  /// Images of the day.
  public var total = 0
  /// Images that their origin confirmed.
  public var revalidated = 0
  /// Images that were downloaded.
  public var downloaded = 0
  /// Images that were fresh.
  public var cached = 0
  /// Images that are not available.
  public var failed = 0
  /// The last one.
  public var url: String?
  /// The day, as soon as its feed has named it.
  public var day: DayKey?

  /// Nothing yet.
  public init() {}

  mutating func record(_ archived: PrefetchProgress) {
    total = archived.total
    revalidated = archived.revalidated
    downloaded = archived.downloaded
    cached = archived.cached
    failed = archived.failed
  }

  /// Images that are done.
  public var done: Int { revalidated + downloaded + cached + failed }
}

extension DayArchive: DayProviding {
  /// Refreshes a day by `refresh(_:options:observing:)`.
  public func refresh(
    _ query: DayQuery, progress report: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    let latest = Locked((progress: RefreshProgress(), failure: ImageError?.none))
    let result = try await refresh([DayRequest(query)]) { event, archived in
      let now = latest.withLock { latest -> RefreshProgress? in
        switch event {
        case .listed(.answer(let days, _)):
          latest.progress.day = (days.map(\.day) + [latest.progress.day].compactMap(\.self)).max()
        case .listed(.dayFailed(_, let error, _)):
          latest.failure = error
          return nil
        case .image(let image): latest.progress.url = image.url
        default: return nil
        }
        latest.progress.record(archived)
        return latest.progress
      }
      if let now { report(now) }
    }
    let (progress, failure) = latest.withLock { $0 }
    if result.days.isEmpty { throw failure ?? ImageError(.dayNotFound, "no feed has this day") }
    return progress
  }
}

/// No days: for a server of images alone.
struct NoDays: DayProviding {
  func keptDays() async throws -> [DayKey] { [] }
  func day(_ day: DayKey) async throws -> FeedDay? { nil }
  func names(_ url: String) async -> Bool { false }
  func lastRefresh(of day: DayKey) async -> String? { nil }
  func refresh(
    _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    throw ImageError(.dayNotFound, "there are no days here")
  }
}
