import ImageModel
import TextEncodings

/// Reads the dates of feeds, in whatever spelling.
///
/// Specified are RFC 3339 (Atom, JSON Feed, Dublin Core) and RFC 822 with RFC 2822's years (RSS);
/// found are dates of many programs and languages. So the text is read as numbers and words in any
/// order, each of which has a place at most; where two places are possible, or one is taken twice,
/// it is not a date.
struct FeedDate {
  /// What a text says.
  struct Value: Sendable, Hashable {
    /// Seconds since 1970; of a date alone its noon in UTC+8.
    var moment: Int
    /// The day of a date alone, in whatever zone.
    var day: DayKey?
  }

  /// Reads a date; a time without a known zone is in UTC. `nil` outside the years 1 through 9999.
  static func value(of text: String) -> Value? {
    let text = text.trimmingWhiteSpace().lowercased()
    guard (6...120).contains(text.unicodeScalars.count) else { return nil }
    var date = FeedDate(FeedDateToken.tokens(of: text))
    guard let value = date.read(),
      (1...9999).contains(DayZone.utcPlus8.day(at: value.moment).parts.year)
    else { return nil }
    return value
  }

  private let tokens: [FeedDateToken]
  private var next = 0
  private var day: DayKey?
  private var month: Int?
  private var units: [FeedDateWords.Unit: Int] = [:]
  /// Numbers whose places their neighbours do not tell.
  private var numbers: [FeedDateToken.Number] = []
  private var seconds: Int?
  private var zoneMinutes: Int?
  /// The hours before the half of the day that the hours are of.
  private var half: Int?
  private var isFaulty = false
  private var isInParentheses = false

  private init(_ tokens: [FeedDateToken]) { self.tokens = tokens }

  private mutating func read() -> Value? {
    while next < tokens.count, !isFaulty { consume() }
    if let hour = units[.hour] {
      consume(clock: hour, units[.minute] ?? 0, units[.second] ?? 0)
    }
    guard !isFaulty else { return nil }
    if day == nil, units.isEmpty, month == nil, numbers.count == 1, seconds == nil,
      let moment = Self.count(numbers[0])
    {
      return Value(moment: moment)
    }
    guard let day = day ?? dayOfParts() else { return nil }
    guard var seconds else {
      return Value(moment: day.ordinal * 86_400 + 4 * 3600, day: day)
    }
    if let half, seconds < 13 * 3600 { seconds = seconds % (12 * 3600) + half * 3600 }
    return Value(moment: day.ordinal * 86_400 + seconds - (zoneMinutes ?? 0) * 60)
  }

  // MARK: Tokens

  private func token(_ distance: Int) -> FeedDateToken? {
    tokens.indices.contains(next + distance) ? tokens[next + distance] : nil
  }

  private mutating func consume() {
    let token = tokens[next]
    if let number = token.number {
      consume(number)
    } else if let word = token.word {
      next += 1
      if let zone = FeedDateWords.zones[word] {
        zoneMinutes = zoneMinutes ?? zone
      } else if let half = FeedDateWords.half(word) {
        self.half = max(self.half ?? 0, half)
      } else if !isInParentheses, let month = FeedDateWords.month(word) {
        // The name of a day, which may be spelt the same, precedes that of the month.
        self.month = month
      }
    } else if let mark = token.mark {
      if !consumeZone(mark) { next += 1 }
      if mark == "(" { isInParentheses = true }
    }
  }

  private mutating func consume(_ number: FeedDateToken.Number) {
    if token(1)?.mark == ":", number.digits <= 2, let minute = token(2)?.number {
      next += 3
      consumeClock(number.value, minute.value)
    } else if let unit = token(1)?.word.flatMap({ FeedDateWords.units[$0] }) {
      if units.updateValue(unit == .year ? number.year ?? 0 : number.value, forKey: unit) != nil {
        isFaulty = true
      }
      next += 2
      if unit == .hour, let minute = token(0)?.number, minute.digits == 2 {
        units[.minute] = minute.value
        next += 1
      }
    } else if let half = token(1)?.word.flatMap({ FeedDateWords.halves[$0] }), number.digits <= 2 {
      consume(clock: number.value, 0, 0)
      self.half = half
      next += 2
    } else if token(-1)?.word == "t", let scale = [2: 10_000, 4: 100, 6: 1][number.digits] {
      let value = number.value * scale
      consume(clock: value / 10_000, value / 100 % 100, value % 100)
      next += 1
      skipFraction()
    } else if number.digits == 4, token(1)?.mark == "-", token(2)?.word == "w",
      let week = token(3)?.number
    {
      let weekday = token(4)?.mark == "-" ? token(5)?.number : nil
      consume(Self.day(of: number.value, week: week.value, weekday?.value ?? 1))
      next += weekday == nil ? 4 : 6
    } else {
      consumeDate(number)
    }
  }

  /// `:30.25` and the like behind hours and minutes.
  private mutating func consumeClock(_ hour: Int, _ minute: Int) {
    var second = 0
    if token(0)?.mark == ":", let number = token(1)?.number {
      second = number.value
      next += 2
    }
    skipFraction()
    consume(clock: hour, minute, second)
    if let half = token(0)?.word.flatMap({ FeedDateWords.halves[$0] }) {
      self.half = half
      next += 1
    }
  }

  private mutating func skipFraction() {
    if token(0)?.mark == "." || token(0)?.mark == ",", token(1)?.number != nil,
      !tokens[next + 1].isSpaced
    {
      next += 2
    }
  }

  private mutating func consume(clock hour: Int, _ minute: Int, _ second: Int) {
    // The midnight that ends a day is 24:00, and a leap second the 60th.
    let isTime = (0...24).contains(hour) && (0...59).contains(minute) && (0...60).contains(second)
    if !isTime || seconds != nil || hour == 24 && minute + second > 0 { isFaulty = true }
    seconds = isTime ? hour * 3600 + minute * 60 + second : 0
  }

  /// `2024-09-14` and the like, else a number alone.
  private mutating func consumeDate(_ first: FeedDateToken.Number) {
    guard let separator = token(1)?.mark, "-/.:\u{2010}\u{2011}".unicodeScalars.contains(separator),
      month == nil, !tokens[next + 1].isSpaced, let second = token(2)?.number,
      separator == "." || !tokens[next + 2].isSpaced
    else {
      numbers.append(first)
      next += 1
      return
    }
    if first.digits > 8, separator == "." {
      // The fraction of a number of seconds.
      numbers.append(first)
      next += 3
    } else if first.digits == 4, second.digits == 3 {
      let start = DayKey(year: first.value, month: 1, day: 1)
      let end = DayKey(year: first.value, month: 12, day: 31)
      let day = start?.advanced(by: second.value - 1)
      consume(day.flatMap { day in end.flatMap { second.value > 0 && day <= $0 ? day : nil } })
      next += 3
    } else if token(3)?.mark == separator, let third = token(4)?.number {
      consume(Self.day(first, second, third, isDotted: separator == "."))
      next += 5
    } else {
      numbers += [first, second]
      next += 3
    }
  }

  private mutating func consume(_ day: DayKey?) {
    if day == nil || self.day != nil { isFaulty = true }
    self.day = day
  }

  /// `+0800`, `+08:00`, `+08` or `-4:30`; what is none has no effect.
  private mutating func consumeZone(_ mark: Unicode.Scalar) -> Bool {
    guard mark == "+" || mark == "-" || mark == "\u{2212}", let hours = token(1)?.number,
      !tokens[next + 1].isSpaced, zoneMinutes ?? 0 == 0,
      seconds != nil || day != nil || tokens[next].isSpaced && numbers.count > 1
    else { return false }
    var minutes: Int?
    if hours.digits <= 2 { minutes = hours.value * 60 }
    if hours.digits == 4 { minutes = hours.value / 100 * 60 + hours.value % 100 }
    next += 2
    if hours.digits <= 2, token(0)?.mark == ":", let rest = token(1)?.number {
      minutes? += rest.value
      next += 2
    }
    zoneMinutes = minutes.flatMap { $0 <= 18 * 60 ? mark == "+" ? $0 : -$0 : nil }
    return true
  }

  // MARK: Days

  /// The day of numbers beside the name of a month, of units, or of the one number `20240914`.
  private func dayOfParts() -> DayKey? {
    if let month {
      guard numbers.count == 2, units[.day] == nil else { return nil }
      let isYearFirst = numbers[0].digits > 2 || numbers[0].value > 31
      let (day, year) = isYearFirst ? (numbers[1], numbers[0]) : (numbers[0], numbers[1])
      return year.year.flatMap { DayKey(year: $0, month: month, day: day.value) }
    }
    if let year = units[.year], let month = units[.month], let day = units[.day], numbers.isEmpty {
      return DayKey(year: year, month: month, day: day)
    }
    guard numbers.count == 1, numbers[0].digits == 8, units.isEmpty || units[.year] == nil else {
      return nil
    }
    return Self.day(ofDigits: numbers[0].value)
  }

  private static func day(ofDigits value: Int) -> DayKey? {
    DayKey(year: value / 10_000, month: value / 100 % 100, day: value % 100)
  }

  /// The day of three numbers, unless day and month may be exchanged: between dots the day is first.
  private static func day(
    _ first: FeedDateToken.Number, _ second: FeedDateToken.Number, _ third: FeedDateToken.Number,
    isDotted: Bool
  ) -> DayKey? {
    if first.digits == 4 { return DayKey(year: first.value, month: second.value, day: third.value) }
    guard third.digits == 4 || isDotted, let year = third.year else { return nil }
    let dayFirst = DayKey(year: year, month: second.value, day: first.value)
    let monthFirst = DayKey(year: year, month: first.value, day: second.value)
    guard !isDotted, let dayFirst, let monthFirst, dayFirst != monthFirst else {
      return dayFirst ?? monthFirst
    }
    return nil
  }

  /// A day of ISO 8601's weeks: the first is that of 4 January.
  private static func day(of year: Int, week: Int, _ weekday: Int) -> DayKey? {
    guard let fourth = DayKey(year: year, month: 1, day: 4), (1...53).contains(week),
      (1...7).contains(weekday)
    else { return nil }
    // 1970-01-01 was a Thursday.
    let monday = fourth.ordinal - ((fourth.ordinal + 3) % 7 + 7) % 7
    return DayKey(ordinal: monday + (week - 1) * 7 + weekday - 1)
  }

  /// The moment of one number: seconds since 1970 or their thousandths or millionths, or the digits of
  /// a date with its time.
  private static func count(_ number: FeedDateToken.Number) -> Int? {
    let value = number.value
    if number.digits == 12 || number.digits == 14 {
      let time = number.digits == 14 ? value : value * 100
      let (hour, minute, second) = (time / 10_000 % 100, time / 100 % 100, time % 100)
      if let day = day(ofDigits: time / 1_000_000), hour < 24, minute < 60, second < 60 {
        return day.ordinal * 86_400 + hour * 3600 + minute * 60 + second
      }
    }
    return switch number.digits {
    case 9...10: value
    case 12...13: value / 1000
    case 15...16: value / 1_000_000
    default: nil
    }
  }
}
