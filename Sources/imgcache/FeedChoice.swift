import FoundationEssentials
import ImageFeeds
import ImagePipeline

/// Which feeds, or which bases of Zhihu Daily, are meant.
///
/// It is kept with the cache for each day, so that `refresh`, `sheet` and `serve` can ask the same origin again.
struct FeedChoice: Codable, Equatable, Sendable {
  /// Bases of Zhihu Daily in the order they are tried; empty for the public ones.
  var api: [String] = []
  /// URLs or files of other feeds; they replace Zhihu Daily.
  var feed: [String] = []
  /// The embedded sample days.
  var sample = false

  static let refreshPrefix = "refresh:"
  private static let dayPrefix = "feed-of:"

  init() {}

  /// For people and for the record of refreshes.
  var description: String {
    sample
      ? "sample"
      : feed.isEmpty ? "zhihu " + api.joined(separator: " ") : feed.joined(separator: " ")
  }

  /// What was kept for a day, if anything.
  init?(of day: DayKey, in cache: DiskCache) {
    guard let text = cache.state(Self.dayPrefix + day.description),
      let kept = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = kept
  }

  /// What was kept for the newest day that anything is kept for.
  static func newest(in cache: DiskCache) -> FeedChoice? {
    cache.states(withPrefix: dayPrefix).keys.max()
      .flatMap { DayKey(String($0.dropFirst(dayPrefix.count))) }
      .flatMap { FeedChoice(of: $0, in: cache) }
  }

  /// Keeps it for a day.
  func keep(for day: DayKey, in cache: DiskCache) throws(ImageError) {
    guard FeedChoice(of: day, in: cache) != self, let data = try? JSONEncoder().encode(self) else {
      return
    }
    try cache.setState(String(decoding: data, as: UTF8.self), for: Self.dayPrefix + day.description)
  }

  /// Keeps when the feed was last had whole.
  func noteRefresh(at time: Date, in cache: DiskCache) throws(ImageError) {
    try cache.setState(time.iso8601, for: Self.refreshPrefix + description)
  }

  /// When the feed was last had whole, as ISO 8601; `nil` for never.
  func lastRefresh(in cache: DiskCache) -> String? {
    cache.state(Self.refreshPrefix + description)
  }
}
