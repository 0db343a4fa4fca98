#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The dates of HTTP, read in all three forms and written in the preferred one.
/// Source: RFC 9110 §5.6.7.
public enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`, in any case of the letters.
  ///
  /// - Parameters:
  ///   - text: The value of the field.
  ///   - now: Decides the century of a year of two digits, which is at most 50 years ahead.
  ///     Default: 2050 is the last year.
  /// - Returns: `nil` for anything else, such as `0`: a malformed date means stale (RFC 9111 §5.3).
  public static func parse(_ text: String, now: Date? = nil) -> Date? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let weekday = words.first else { return nil }
    let isPreferred = words.count == 6 && weekday.utf8.count == 4 && weekday.hasSuffix(",")
    if isPreferred, words[5].lowercased() == "gmt", words[1].utf8.count == 2,
      words[3].utf8.count == 4
    {
      return date(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
    }
    if words.count == 4, weekday.utf8.count > 4, weekday.hasSuffix(","),
      words[3].lowercased() == "gmt"
    {
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].utf8.count == 2, parts[2].utf8.count == 2 else { return nil }
      return date(day: parts[0], month: parts[1], year: parts[2], time: words[2], now: now)
    }
    // asctime pads the day with a space.
    let parts = words.count == 6 && words[2].isEmpty ? words[0...1] + words[3...] : words[...]
    guard parts.count == 5, weekday.utf8.count == 3, parts[parts.startIndex + 4].utf8.count == 4
    else { return nil }
    let fields = Array(parts)
    return date(day: fields[2], month: fields[1], year: fields[4], time: fields[3], now: now)
  }

  /// Writes, for example, `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are dropped.
  public static func format(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let day = CivilDate.floorDivide(seconds, 86400)
    let second = seconds - day * 86400
    let date = CivilDate(ordinal: day)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = days[((day % 7) + 7) % 7]
    let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    let digits = String(date.year)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return "\(weekday), \(two(date.day)) \(months[date.month - 1]) \(padded) \(time) GMT"
  }

  private static func date(
    day: Substring, month: Substring, year: Substring, time: Substring, now: Date?
  ) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    let name = month.lowercased()
    guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
      let month = months.firstIndex(where: { $0.lowercased() == name }).map({ $0 + 1 }),
      let day = number(day, 1...31), var fullYear = number(year, 0...9999),
      let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
      let second = number(clock[2], 0...60), day <= length(of: month, in: fullYear)
    else { return nil }
    if year.utf8.count == 2 {
      let limit =
        now.map { CivilDate(ordinal: Int($0.timeIntervalSince1970) / 86400).year + 50 } ?? 2050
      fullYear += limit / 100 * 100
      if fullYear > limit { fullYear -= 100 }
    } else if year.utf8.count != 4 {
      return nil
    }
    let ordinal = CivilDate(year: fullYear, month: month, day: day).ordinal
    let seconds = ordinal * 86400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
      range.contains(value)
    else { return nil }
    return value
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) || year < 100 ? 29 : 28
    default: 31
    }
  }
}
