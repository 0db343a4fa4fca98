/// Times as logs and services write them.
package enum Timestamp {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The seconds since 1970 of `27/Nov/2026:08:46:50 +0100`, `2026-11-27T08:46:50.1+01:00` or
  /// `Fri, 27 Nov 2026 08:46:50 GMT`, without the fraction; `nil` for anything else.
  package static func seconds(of text: [UInt8]) -> Int? {
    // T and Z separate, too: no name of a month has them in upper case.
    var words = text.split { !HTTPText.isAlphanumeric($0) || $0 == 84 || $0 == 90 }
    if text.dropFirst(3).first == UInt8(ascii: ",") { words.removeFirst() }
    guard words.count > 5 else { return nil }
    if words[0].count == 4 { words.swapAt(0, 2) }
    let month =
      months.firstIndex { words[1].elementsEqual($0.utf8) }.map { $0 + 1 } ?? number(words[1])
    guard let month, let day = number(words[0]), let year = number(words[2]),
      let hour = number(words[3]), let minute = number(words[4]), let second = number(words[5]),
      (1...12).contains(month), (1...31).contains(day), year > 0, hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).ordinal
    return ((days * 24 + hour) * 60 + minute) * 60 + second - offset(text)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...4).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return digits.reduce(0) { 10 * $0 + Int($1 - 48) }
  }

  /// The seconds that `+0100` or `+01:00` at the end are ahead of UTC.
  private static func offset(_ text: [UInt8]) -> Int {
    let end = text.suffix(6).filter { $0 != UInt8(ascii: ":") }.suffix(5)
    guard let sign = end.first, [43, 45].contains(sign), let number = number(end.dropFirst()) else {
      return 0
    }
    return (number / 100 * 60 + number % 100) * 60 * (sign == 45 ? -1 : 1)
  }
}
