public import ImageModel

/// The days that text such as `latest`, `20200616` or `20200601...20200630` means.
public enum DayRequest: Sendable, Hashable {
  /// The newest day of the feed.
  case latest
  /// The current day in UTC+8.
  case today
  /// The day before the current one in UTC+8.
  case yesterday
  /// One day.
  case day(DayKey)
  /// Days from the first to the last, both included.
  case range(ClosedRange<DayKey>)

  /// The most days one range may name: somewhat more than Zhihu Daily has.
  public static let maximumDays = 20_000

  /// Reads `latest`, `today`, `yesterday`, a day in one of the spellings of ``DayKey``, or, if
  /// ranges are allowed, `A...B`. Default: they are.
  ///
  /// - Throws: `ImageError` with code `invalidArgument`, naming what was expected.
  public init(_ text: String, allowsRange: Bool = true) throws(ImageError) {
    switch text {
    case "latest": self = .latest
    case "today": self = .today
    case "yesterday": self = .yesterday
    default:
      let ends = text.split(separator: "...", maxSplits: 1, omittingEmptySubsequences: false)
      if let day = DayKey(text) {
        self = .day(day)
      } else if ends.count == 2 {
        guard allowsRange else {
          throw ImageError(.invalidArgument, "\(text) is a range; write one day")
        }
        guard let first = DayKey(ends[0]), let last = DayKey(ends[1]) else {
          throw Self.malformed(text, ends, allowsRange: true)
        }
        guard first <= last else {
          throw ImageError(
            .invalidArgument, "range \(text) ends before it begins; write the earlier day first")
        }
        guard first.distance(to: last) < Self.maximumDays else {
          throw ImageError(
            .invalidArgument, "range \(text) names more than \(Self.maximumDays) days")
        }
        self = .range(first...last)
      } else {
        throw Self.malformed(text, ends, allowsRange: allowsRange)
      }
    }
  }

  /// The request for the one day of a query.
  public init(_ query: DayQuery) {
    switch query {
    case .latest: self = .latest
    case .day(let day): self = .day(day)
    }
  }

  /// The single days meant, in order.
  public func queries(today: DayKey) -> [DayQuery] {
    switch self {
    case .latest: [.latest]
    case .today: [.day(today)]
    case .yesterday: [.day(today.previous)]
    case .day(let day): [.day(day)]
    case .range(let days): days.map(DayQuery.day)
    }
  }

  private static func malformed(
    _ text: String, _ days: [Substring], allowsRange: Bool
  ) -> ImageError {
    if let reason = days.lazy.compactMap(DayKey.absence).first {
      return ImageError(.invalidArgument, reason)
    }
    return ImageError(
      .invalidArgument,
      "\(text.debugDescription) is not a day; write latest, today, yesterday, YYYYMMDD, "
        + (allowsRange ? "YYYY-MM-DD, YYYY/MM/DD or a range A...B" : "YYYY-MM-DD or YYYY/MM/DD"))
  }
}

/// A query for one day of a feed.
public enum DayQuery: Sendable, Hashable, CustomStringConvertible {
  /// The newest day of the feed.
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
