/// One day that a feed is asked for.
public enum DayQuery: Sendable, Hashable, CustomStringConvertible {
  /// Whatever the feed says is newest.
  case latest
  /// A calendar day in UTC+8.
  case day(DayKey)

  /// `latest` or `YYYYMMDD`.
  public var description: String {
    switch self {
    case .latest: "latest"
    case .day(let day): day.description
    }
  }
}
