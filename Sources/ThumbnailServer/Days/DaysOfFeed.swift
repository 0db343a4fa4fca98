import DiskCaching
import ImageFeeds
import ImageModel

/// The days of one feed, with its stories alone.
struct DaysOfFeed: DayProviding {
  let days: any DayProviding
  let cache: DiskCache
  /// Its address.
  let feed: String

  func keptDays() async throws -> [DayKey] {
    try await days.summaries().filter { $0.feeds.contains { $0.url == feed } }.map(\.day)
  }

  func summaries() async throws -> [DaySummary] {
    var found: [DaySummary] = []
    for summary in try await days.summaries() {
      guard let reference = summary.feeds.first(where: { $0.url == feed }),
        let day = try await day(summary.day)
      else { continue }
      let keys = day.images.map { CacheKey.image(at: $0.url) }
      let records = await cache.records(for: keys).filter { !$1.isNegative }
      var own = DaySummary(
        day, cachedImageCount: keys.count { records[$0] != nil }, refreshedAt: summary.refreshedAt)
      own.byteCount = records.values.reduce(0) { $0 + $1.byteCount }
      own.feeds = [reference]
      (own.isKept, own.isPinned) = (summary.isKept, summary.isPinned)
      found.append(own)
    }
    return found
  }

  func day(_ day: DayKey) async throws -> FeedDay? {
    guard var found = try await days.day(day) else { return nil }
    found.stories.removeAll { $0.feed?.url != feed }
    found.topStories.removeAll { $0.feed?.url != feed }
    return found.stories.isEmpty && found.topStories.isEmpty ? nil : found
  }

  func zone() async -> DayZone { await days.zone() }
  func feeds() async -> [FeedReference] { await days.feeds() }
  func names(_ url: String) async -> Bool { await days.names(url) }
  func pages(of day: FeedDay) async -> Set<String> { await days.pages(of: day) }
  func lastRefresh(of day: DayKey) async -> String? { await days.lastRefresh(of: day) }

  func page(of story: FeedStory, on day: DayKey) async throws -> StoryPage? {
    try await days.page(of: story, on: day)
  }

  func refresh(
    _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshProgress {
    try await days.refresh(query, progress: progress)
  }
}

extension DayProviding {
  /// The days of the feed with an address; all days for `nil`.
  func of(feed: String?, in cache: DiskCache) -> any DayProviding {
    feed.map { DaysOfFeed(days: self, cache: cache, feed: $0) } ?? self
  }
}
