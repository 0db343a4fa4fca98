extension DayKey: CustomStringConvertible, LosslessStringConvertible {
  /// Reads `YYYYMMDD`, `YYYY-MM-DD` or `YYYY/MM/DD`; anything else, or a day that the calendar does not
  /// have, is `nil`.
  public init?(_ text: String) {
    self.init(text[...])
  }

  init?(_ text: Substring) {
    let bytes = Array(text.utf8)
    let digits: [UInt8]
    switch bytes.count {
    case 8:
      digits = bytes
    case 10:
      let separator = bytes[4]
      guard separator == bytes[7], separator == UInt8(ascii: "-") || separator == UInt8(ascii: "/")
      else { return nil }
      digits = Array(bytes[0..<4] + bytes[5..<7] + bytes[8..<10])
    default:
      return nil
    }
    let values = digits.map { Int($0) - 48 }
    guard values.allSatisfy({ (0...9).contains($0) }) else { return nil }
    func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 10 + $1 } }
    self.init(year: number(0..<4), month: number(4..<6), day: number(6..<8))
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
