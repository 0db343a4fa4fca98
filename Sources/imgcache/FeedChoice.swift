import FoundationEssentials
import ImageFeeds
import ImagePipeline

/// Which feed and base a day came from, and when each feed was last refreshed; kept with the cache, so that
/// `refresh`, `sheet` and `serve` can ask the same origin again.
struct RememberedFeed: Codable, Equatable {
  var api: [String] = []
  var feed: [String] = []
  var sample = false

  static let refreshPrefix = "refresh:"
  private static let dayPrefix = "feed-of:"

  init(_ options: FeedOptions) {
    api = options.api
    feed = options.feed
    sample = options.sample
  }

  /// What was kept for a day, if anything.
  init?(of day: DayKey, in cache: DiskCache) {
    guard let text = cache.state(Self.dayPrefix + day.description),
      let kept = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = kept
  }

  /// Keeps it for a day, and notes the time of the refresh.
  func keep(for day: DayKey, identity: String, at time: Date, in cache: DiskCache) throws(ImageError) {
    if RememberedFeed(of: day, in: cache) != self, let data = try? JSONEncoder().encode(self) {
      try cache.setState(String(decoding: data, as: UTF8.self), for: Self.dayPrefix + day.description)
    }
    try cache.setState(time.iso8601, for: Self.refreshPrefix + identity)
  }

  /// The options that name the same feed again.
  var options: FeedOptions {
    var options = FeedOptions.none
    options.api = api
    options.feed = feed
    options.sample = sample
    return options
  }
}
