import ImageFeeds

/// The names of the groups that entries of the cache are put into.
enum Group {
  /// The images of a day: `day:20200616`.
  static func day(_ day: DayKey) -> String { "day:\(day)" }

  /// The day that a group is for; `nil` for other groups.
  static func day(of group: String) -> DayKey? {
    group.hasPrefix("day:") ? DayKey(String(group.dropFirst(4))) : nil
  }
}
