import ImageFeeds
import ImagePipeline

/// Days that are asked of one feed.
struct FeedDays: Sendable {
  /// A single feed; see ``FeedChoice/sources``.
  var source: FeedChoice
  /// The days; none means the latest.
  var requests: [DayRequest] = []
  /// Days loaded for each request, ending with it.
  var daysEach = 1

  /// The same days of each feed that the command line names.
  static func named(
    _ choice: FeedChoice, _ requests: [DayRequest], daysEach: Int = 1
  ) -> [FeedDays] {
    choice.sources.map { FeedDays(source: $0, requests: requests, daysEach: daysEach) }
  }

  /// What the command line names; where it names nothing, each day of the feeds that it came from,
  /// and of the public bases where nothing is remembered of it.
  static func remembered(
    for request: DayRequest, in cache: DiskCache, unless named: FeedChoice
  ) -> [FeedDays] {
    guard named == FeedChoice() else { return Self.named(named, [request]) }
    let today = DayKey.today(at: cache.configuration.clock())
    var found: [FeedDays] = []
    for query in request.queries(today: today) {
      var sources: [FeedChoice]
      var request = DayRequest.latest
      switch query {
      case .latest:
        sources = FeedChoice.newest(in: cache)
        // Stdin has no newest day but the one that is kept.
        if let newest = FeedChoice.days(in: cache).max() {
          for source in sources where source.isStdin {
            found.append(FeedDays(source: source, requests: [.day(newest)]))
          }
          sources.removeAll(where: \.isStdin)
          if sources.isEmpty, !found.isEmpty { continue }
        }
      case .day(let day):
        sources = FeedChoice.sources(of: day, in: cache)
        request = .day(day)
      }
      for source in sources.isEmpty ? [named] : sources {
        if let index = found.firstIndex(where: { $0.source == source }) {
          found[index].requests.append(request)
        } else {
          found.append(FeedDays(source: source, requests: [request]))
        }
      }
    }
    return found
  }
}
