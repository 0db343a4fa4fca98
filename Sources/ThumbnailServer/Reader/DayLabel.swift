import HTTPListening
import ImageFeeds

/// The heading above the stories of a day, for the part of the page that the server writes. The
/// script labels the other days in the same way, with the same names.
enum DayLabel {
  /// Returns the day in words: today and yesterday by name, others by date and day of the week,
  /// with the year when it differs from today's.
  ///
  /// `今天`, `昨天`, `9月1日 星期二`, `2025年9月1日 星期一`; `Today`, `Yesterday`, `Tuesday, September 1`,
  /// `Monday, September 1, 2025`.
  ///
  /// - Parameter today: The current day.
  static func text(for day: DayKey, today: DayKey, in language: PageLanguage) -> String {
    if day == today { return ReaderText.today.text(in: language) }
    if day == today.previous { return ReaderText.yesterday.text(in: language) }
    let parts = day.parts
    let isOtherYear = parts.year != today.parts.year
    // 1970-01-01 was a Thursday.
    let weekday = ((day.ordinal % 7) + 11) % 7
    switch language {
    case .chinese:
      let year = isOtherYear ? "\(parts.year)年" : ""
      return "\(year)\(parts.month)月\(parts.day)日 星期\(chineseWeekdays[weekday])"
    case .english:
      let year = isOtherYear ? ", \(parts.year)" : ""
      return "\(englishWeekdays[weekday]), \(englishMonths[parts.month - 1]) \(parts.day)\(year)"
    }
  }

  static let chineseWeekdays = ["日", "一", "二", "三", "四", "五", "六"]
  static let englishWeekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  static let englishMonths = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
