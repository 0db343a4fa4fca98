import TextEncodings

/// Reads the dates of feeds as days in UTC+8.
///
/// Sources: RFC 3339 (Atom, JSON Feed, Dublin Core), RFC 822 with RFC 2822's years (RSS).
enum FeedDate {
  /// The day of a date in either form, or `nil` when it is neither, or its day in UTC+8 is outside
  /// the years 1 through 9999.
  static func day(_ text: String) -> DayKey? {
    let text = text.trimmingWhiteSpace()
    guard let moment = internetDate(text) ?? mailDate(text) else { return nil }
    let shifted = moment.minutes + 8 * 60 - moment.zoneMinutes
    let days = shifted >= 0 ? shifted / 1440 : (shifted - 1439) / 1440
    let day = moment.day.advanced(by: days)
    return (1...9999).contains(day.parts.year) ? day : nil
  }

  /// A wall-clock time: minutes since midnight of a day, in a zone so many minutes ahead of UTC.
  private struct Moment {
    var day: DayKey
    var minutes: Int
    var zoneMinutes: Int
  }

  /// `2003-12-13T18:30:02.25+01:00` or `2003-12-13 18:30:02 +0100`; a date alone counts as noon, so
  /// that no zone moves it by a day.
  private static func internetDate(_ text: String) -> Moment? {
    guard let day = DayKey(text.prefix(10)), text.utf8.count >= 10 else { return nil }
    let rest = text.dropFirst(10)
    guard let mark = rest.first else { return Moment(day: day, minutes: 720, zoneMinutes: 480) }
    guard "Tt ".contains(mark), let minutes = clock(rest.dropFirst().prefix(5)) else { return nil }
    let zone = rest.dropFirst(6).drop { ":.0123456789 ".contains($0) }
    return Moment(day: day, minutes: minutes, zoneMinutes: zoneMinutes(zone) ?? 0)
  }

  /// `Tue, 10 Jun 2003 04:00:00 GMT`; the name of the day, the seconds and the zone may be missing.
  private static func mailDate(_ text: String) -> Moment? {
    var words = text.split { $0 == " " || $0 == "," || $0 == "\t" }
    if let first = words.first, first.first?.isLetter == true { words.removeFirst() }
    guard words.count >= 3, let day = Int(words[0]), let month = month(words[1]),
      var year = Int(words[2])
    else { return nil }
    if words[2].count == 2 { year += year < 50 ? 2000 : 1900 }
    guard let key = DayKey(year: year, month: month, day: day) else { return nil }
    guard words.count > 3, let minutes = clock(words[3].prefix(5)) else {
      return Moment(day: key, minutes: 720, zoneMinutes: 480)
    }
    let zone = words.count > 4 ? zoneMinutes(words[4]) : nil
    return Moment(day: key, minutes: minutes, zoneMinutes: zone ?? 0)
  }

  private static func month(_ word: Substring) -> Int? {
    let names = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    return names.firstIndex(of: word.prefix(3).lowercased()).map { $0 + 1 }
  }

  /// `18:30` in minutes; the midnight that ends a day may be `24:00`.
  private static func clock(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":").compactMap { Int($0) }
    guard parts.count == 2, (0...24).contains(parts[0]), (0...59).contains(parts[1]) else {
      return nil
    }
    let minutes = parts[0] * 60 + parts[1]
    return minutes <= 24 * 60 ? minutes : nil
  }

  /// `Z`, `+0800`, `+08:00`, `+08` or `GMT+8`, or one of the names of RFC 822.
  private static func zoneMinutes(_ text: Substring) -> Int? {
    var text = text
    for name in ["GMT", "UTC"] where text.uppercased().hasPrefix(name) && text.count > name.count {
      text = text.dropFirst(name.count)
    }
    if let sign = text.first, sign == "+" || sign == "-" {
      let digits = text.dropFirst().filter { $0 != ":" }
      guard (1...4).contains(digits.count), digits.count != 3, let number = Int(digits) else {
        return nil
      }
      let minutes = digits.count < 4 ? number * 60 : number / 100 * 60 + number % 100
      return sign == "+" ? minutes : -minutes
    }
    let hours = [
      "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
      "MDT": -6, "PST": -8, "PDT": -7,
    ]
    return hours[text.uppercased()].map { $0 * 60 }
  }
}
