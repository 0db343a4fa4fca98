/// The line that says when a list was last loaded: a short date and a short time, in the reader's own zone.
public enum LastUpdated {
  /// A moment as a calendar and a clock show it.
  public struct Moment: Sendable, Hashable {
    /// For example 2026.
    public let year: Int
    /// 1 through 12.
    public let month: Int
    /// 1 through 31.
    public let day: Int
    /// 0 through 23.
    public let hour: Int
    /// 0 through 59.
    public let minute: Int

    /// Creates a moment.
    public init(year: Int, month: Int, day: Int, hour: Int, minute: Int) {
      self.year = year
      self.month = month
      self.day = day
      self.hour = hour
      self.minute = minute
    }
  }

  /// The line, or `nil` where nothing was ever loaded.
  ///
  /// `最后更新: 2026/9/1 15:05`, `Last Updated: 9/1/26, 3:05 PM`.
  public static func text(_ moment: Moment?, in language: ReaderLanguage) -> String? {
    guard let moment else { return nil }
    let minute = moment.minute < 10 ? "0\(moment.minute)" : "\(moment.minute)"
    let label = ReaderText.lastUpdated.text(in: language)
    switch language {
    case .chinese:
      return "\(label): \(moment.year)/\(moment.month)/\(moment.day) \(moment.hour):\(minute)"
    case .english:
      let year = moment.year % 100
      let hour = moment.hour % 12 == 0 ? 12 : moment.hour % 12
      let half = moment.hour < 12 ? "AM" : "PM"
      return "\(label): \(moment.month)/\(moment.day)/\(year < 10 ? "0" : "")\(year), "
        + "\(hour):\(minute) \(half)"
    }
  }
}
