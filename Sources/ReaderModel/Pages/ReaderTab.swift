/// The pages of the reader, in their order.
public enum ReaderTab: String, Sendable, CaseIterable, Codable {
  /// The newest day.
  case today
  /// All days, newest first.
  case past
  /// The stories that were marked.
  case favourites
  /// What the cache holds and does.
  case statistics

  /// What its tab says.
  public var title: ReaderText {
    switch self {
    case .today: .today
    case .past: .past
    case .favourites: .favourites
    case .statistics: .statistics
    }
  }
}
