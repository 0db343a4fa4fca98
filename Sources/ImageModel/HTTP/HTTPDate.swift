/// The dates of HTTP, read in all three forms and written in the preferred one.
/// Source: RFC 9110 §5.6.7.
public enum HTTPDate {
  private static let months: [StaticString] = [
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
    var text = text
    return text.withUTF8 { bytes in
      var reader = Reader(bytes)
      return reader.date(now: now)
    }
  }

  /// Reads a date from its bytes: caches read one at each request.
  private struct Reader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func date(now: Date?) -> Date? {
      let space = UInt8(ascii: " ")
      guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")) else {
        at = 3
        guard skip(space), let month = month(), skip(space) else { return nil }
        // asctime pads the day with a space.
        let isShort = skip(space) || at + 1 < bytes.count && bytes[at + 1] == space
        guard let day = number(isShort ? 1 : 2), skip(space), let time = time(), skip(space),
          let year = number(4), at == bytes.count
        else { return nil }
        return HTTPDate.date(day, month, year, time)
      }
      // The obsolete form has the whole name of the day, dashes and two digits.
      let isPreferred = comma == 3
      let mark = isPreferred ? space : UInt8(ascii: "-")
      at = comma + 1
      guard comma >= 3, skip(space), let day = number(2), skip(mark), let month = month(),
        skip(mark), let year = number(isPreferred ? 4 : 2), skip(space), let time = time(),
        skip(space), skipZone()
      else { return nil }
      return HTTPDate.date(
        day, month, isPreferred ? year : HTTPDate.fullYear(of: year, now: now), time)
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }

    /// Passes over `GMT` at the end.
    private mutating func skipZone() -> Bool {
      guard bytes.count - at == 3 else { return false }
      return HTTPDate.isEqual(bytes[at...], "GMT")
    }

    private mutating func number(_ count: Int) -> Int? {
      guard bytes.count - at >= count else { return nil }
      var value = 0
      for byte in bytes[at..<at + count] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = 10 * value + Int(byte - 0x30)
      }
      at += count
      return value
    }

    private mutating func month() -> Int? {
      guard bytes.count - at >= 3 else { return nil }
      let name = bytes[at..<at + 3]
      at += 3
      return HTTPDate.months.firstIndex { HTTPDate.isEqual(name, $0) }.map { $0 + 1 }
    }

    private mutating func time() -> Int? {
      let colon = UInt8(ascii: ":")
      guard let hour = number(2), hour < 24, skip(colon), let minute = number(2), minute < 60,
        skip(colon), let second = number(2), second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }
  }

  private static func isEqual(
    _ letters: Slice<UnsafeBufferPointer<UInt8>>, _ name: StaticString
  ) -> Bool {
    for (offset, letter) in letters.enumerated()
    where letter | 0x20 != name.utf8Start[offset] | 0x20 {
      return false
    }
    return true
  }

  /// Writes, for example, `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are dropped.
  public static func format(_ date: Date) -> String {
    let seconds = date.wholeSeconds
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

  private static func date(_ day: Int, _ month: Int, _ year: Int, _ second: Int) -> Date? {
    guard day >= 1, day <= length(of: month, in: year) else { return nil }
    let ordinal = CivilDate(year: year, month: month, day: day).ordinal
    return Date(timeIntervalSince1970: Double(ordinal * 86400 + second))
  }

  private static func fullYear(of year: Int, now: Date?) -> Int {
    let limit =
      now.map { CivilDate(ordinal: $0.wholeSeconds / 86400).year + 50 } ?? 2050
    let full = year + limit / 100 * 100
    return full > limit ? full - 100 : full
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension Date {
  /// Whole seconds since 1970, rounded down; some 30 million years at most, either way.
  package var wholeSeconds: Int {
    Int(min(max(-1e15, timeIntervalSince1970), 1e15).rounded(.down))
  }
}
