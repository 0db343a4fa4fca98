/// A date as HTTP writes it, to the second.
struct HTTPDate: Sendable, Hashable {
  /// Seconds since 1 January 1970 00:00 UTC, without leap seconds.
  let secondsSince1970: Int64

  /// Wraps a number of seconds.
  init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

  /// Reads the three forms of RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. `nil` for all else.
  init?(_ text: String) {
    var words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    guard words.count == 6 || words.count == 5, words[0].count >= 3 else { return nil }
    if words.count == 5 {  // asctime: weekday, month, day, time, year
      words = [words[0], words[2], words[1], words[4], words[3], "GMT"]
    }
    let time = words[4].split(separator: ":").map { Int64($0) }
    guard let day = Int64(words[1]), let month = Self.months.firstIndex(of: words[2]),
      var year = Int64(words[3]), words[5] == "GMT" || words[5] == "UTC", time.count == 3,
      let hour = time[0], let minute = time[1], let second = time[2],
      (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second), (0...9999).contains(year)
    else { return nil }
    if words[3].count == 2 { year += year < 70 ? 2000 : 1900 }
    let days = Self.days(year: year, month: Int64(month) + 1, day: day)
    secondsSince1970 = days * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Days since 1 January 1970 in the Gregorian calendar.
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
