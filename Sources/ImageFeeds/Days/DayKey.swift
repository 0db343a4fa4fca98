import ImageModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A calendar day in UTC+8, the time zone of Zhihu Daily, which has no daylight saving time.
///
/// Days are counted, not computed from moments: `day.advanced(by: 1)` is the next day, and
/// `first...last` is a collection of days.
public struct DayKey: Sendable, Hashable, Comparable {
  /// Days since 1970-01-01.
  public let ordinal: Int

  /// The day on which Zhihu Daily began; nothing is older.
  package static let firstOfZhihuDaily = DayKey(ordinal: 15844)  // 2013-05-19

  /// Creates a day from the number of days after 1970-01-01.
  public init(ordinal: Int) { self.ordinal = ordinal }

  /// Creates a day of the years 1 through 9999, or `nil` when the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let date = CivilDate(year: year, month: month, day: day)
    ordinal = date.ordinal
    guard CivilDate(ordinal: ordinal) == date else { return nil }
  }

  /// The day that a moment falls on in UTC+8.
  public static func today(at moment: Date) -> DayKey {
    DayKey(ordinal: CivilDate.floorDivide(moment.wholeSeconds + 8 * 3600, 86_400))
  }

  /// Midnight in UTC+8 at which the day begins.
  public var start: Date { Date(timeIntervalSince1970: Double(ordinal) * 86_400 - 8 * 3600) }

  /// Year, month from 1 and day of the month from 1.
  public var parts: (year: Int, month: Int, day: Int) {
    let date = CivilDate(ordinal: ordinal)
    return (date.year, date.month, date.day)
  }

  /// The next day.
  public var next: DayKey { advanced(by: 1) }
  /// The day before.
  public var previous: DayKey { advanced(by: -1) }

  /// Orders by time: earlier is less.
  public static func < (one: DayKey, other: DayKey) -> Bool { one.ordinal < other.ordinal }
}

extension DayKey: Strideable {
  /// The number of days from this one to another; negative when the other is earlier.
  public func distance(to other: DayKey) -> Int { other.ordinal - ordinal }

  /// The day a number of days later.
  public func advanced(by days: Int) -> DayKey { DayKey(ordinal: ordinal + days) }
}
