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

  /// The days that anything is kept for.
  static func days(in cache: DiskCache) -> [DayKey] {
    cache.states(withPrefix: dayPrefix).keys.compactMap {
      DayKey(String($0.dropFirst(dayPrefix.count)))
    }
  }

  /// What was kept for the newest day that anything is kept for.
  static func newest(in cache: DiskCache) -> FeedChoice? {
    days(in: cache).max().flatMap { FeedChoice(of: $0, in: cache) }
  }

  /// All that was kept for any day, each once.
  static func all(in cache: DiskCache) -> [FeedChoice] {
    Set(cache.states(withPrefix: dayPrefix).values).compactMap {
      try? JSONDecoder().decode(Self.self, from: Data($0.utf8))
    }
  }

  /// What the command line names, else what is remembered of the first day meant, else what it names by default:
  /// the public bases.
  static func remembered(
    for request: DayRequest, in cache: DiskCache, unless named: FeedChoice
  ) -> FeedChoice {
    guard named == FeedChoice() else { return named }
    let today = DayKey.today(at: cache.configuration.clock())
    let days: [DayKey] = request.queries(today: today).compactMap {
      if case .day(let day) = $0 { day } else { nil }
    }
    return (days.isEmpty ? newest(in: cache) : FeedChoice(of: days[0], in: cache)) ?? named
  }

  /// Keeps it for a day.
  func keep(for day: DayKey, in cache: DiskCache) throws(ImageError) {
    guard FeedChoice(of: day, in: cache) != self, let data = try? JSONEncoder().encode(self) else {
      return
    }
    try cache.setState(String(decoding: data, as: UTF8.self), for: Self.dayPrefix + day.description)
  }

  /// Forgets what was kept for any day: for a cache that was emptied.
  static func forgetAll(in cache: DiskCache) throws(ImageError) {
    for day in days(in: cache) { try cache.setState(nil, for: dayPrefix + day.description) }
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
