import ImageFeeds
import ImagePipeline

/// Days that a remembered base of Zhihu Daily did not give. Bases are alternatives: one that is
/// gone is not a failure of a day that another remembered base gave in the same run.
struct BaseFailures: Sendable {
  private var failures: [(query: DayQuery, error: ImageError)] = []
  private var given: Set<DayKey> = []

  /// Notes the days that a feed gave.
  mutating func note(_ days: [FeedDay], from source: FeedChoice) {
    if source.isZhihu { given.formUnion(days.map(\.day)) }
  }

  /// Keeps a failure for the end where it is that of a base; else returns false.
  mutating func keep(_ query: DayQuery, _ error: ImageError, from source: FeedChoice) -> Bool {
    guard source.isZhihu else { return false }
    failures.append((query, error))
    return true
  }

  /// The failures of days that no base gave.
  var unanswered: [(query: DayQuery, error: ImageError)] {
    failures.filter { !isAnswered($0.query) }
  }

  /// The failures of days that another base gave.
  var answered: [(query: DayQuery, error: ImageError)] { failures.filter { isAnswered($0.query) } }

  private func isAnswered(_ query: DayQuery) -> Bool {
    switch query {
    case .latest: !given.isEmpty
    case .day(let day): given.contains(day)
    }
  }
}
