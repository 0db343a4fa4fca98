import ImageModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The time zone of calendar days.
public enum DayZone: Sendable, Hashable {
  /// So many seconds ahead of UTC, behind it where negative.
  case fixed(secondsFromUTC: Int)
  /// That of the process, through the C library: the variable `TZ`, else that of the machine.
  case machine

  /// That of Zhihu Daily, which has no daylight saving time.
  public static let utcPlus8 = DayZone.fixed(secondsFromUTC: 8 * 3600)

  /// The day that a moment falls on.
  public func day(at moment: Date) -> DayKey {
    day(at: moment.wholeSeconds)
  }

  /// The seconds that the zone is ahead of UTC at a moment.
  public func offset(at moment: Date) -> Int { offset(at: moment.wholeSeconds) }

  func day(at moment: Int) -> DayKey {
    DayKey(ordinal: CivilDate.floorDivide(moment + offset(at: moment), 86_400))
  }

  private func offset(at moment: Int) -> Int {
    if case .fixed(let seconds) = self { return seconds }
    var (moment, local) = (time_t(moment), tm())
    _ = Self.isRead
    return localtime_r(&moment, &local).map { Int($0.pointee.tm_gmtoff) } ?? 0
  }

  /// `localtime_r` need not read `TZ` itself.
  private static let isRead: Void = tzset()
}
