extension DayKey: CustomStringConvertible, LosslessStringConvertible {
  /// Reads `YYYYMMDD`, `YYYY-MM-DD` or `YYYY/MM/DD`; anything else, or a day that the calendar does
  /// not have, is `nil`.
  public init?(_ text: String) { self.init(text[...]) }

  init?(_ text: Substring) {
    guard let (year, month, day) = Self.numbers(in: text) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private static func numbers(in text: Substring) -> (year: Int, month: Int, day: Int)? {
    let bytes = Array(text.utf8)
    let digits: [UInt8]
    switch bytes.count {
    case 8: digits = bytes
    case 10:
      let separator = bytes[4]
      guard separator == bytes[7], separator == UInt8(ascii: "-") || separator == UInt8(ascii: "/")
      else { return nil }
      digits = Array(bytes[0..<4] + bytes[5..<7] + bytes[8..<10])
    default: return nil
    }
    let values = digits.map { Int($0) - 48 }
    guard values.allSatisfy({ (0...9).contains($0) }) else { return nil }
    func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 10 + $1 } }
    return (number(0..<4), number(4..<6), number(6..<8))
  }

  static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// Why the calendar has no such day: `2021-02-29 is not a day: February 2021 has 28 days`; `nil`
  /// if the text is not spelt as a day, or is one.
  static func absence(of text: Substring) -> String? {
    guard let (year, month, day) = numbers(in: text), DayKey(text) == nil else { return nil }
    let reason: String
    if year == 0 {
      reason = "years begin with 0001"
    } else if !(1...12).contains(month) {
      reason = "months are 01 to 12"
    } else if day == 0 {
      reason = "days begin with 01"
    } else {
      let last = (28...31).last { DayKey(year: year, month: month, day: $0) != nil } ?? 31
      reason = "\(monthNames[month - 1]) \(year) has \(last) days"
    }
    return "\(text) is not a day: \(reason)"
  }

  /// `YYYYMMDD`, as the API and the JSON of the command line spell it.
  public var description: String {
    let parts = parts
    let digits = String(parts.year * 10_000 + parts.month * 100 + parts.day)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }

  /// `YYYY-MM-DD`, for people.
  public var dashed: String {
    let digits = description
    return digits.prefix(4) + "-" + digits.dropFirst(4).prefix(2) + "-" + digits.suffix(2)
  }
}
