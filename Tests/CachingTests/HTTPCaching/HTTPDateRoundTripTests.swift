import Foundation
import Testing

@testable import ImageModel

/// The dates of HTTP, with Foundation's calendar as the reference.
@Suite struct `Dates of HTTP` {
  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    return calendar
  }()
  private static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The three forms of RFC 9110 §5.6.7.
  private static func forms(of date: Date) throws -> (fixed: String, old: String, short: String) {
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
    let weekday = weekdays[try #require(parts.weekday) - 1]
    let month = months[try #require(parts.month) - 1]
    let (year, day) = (try #require(parts.year), try #require(parts.day))
    func padded(_ number: Int?, _ count: Int = 2) -> String {
      let digits = String(number ?? 0)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let time = "\(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second))"
    return (
      "\(weekday.prefix(3)), \(padded(day)) \(month) \(padded(year, 4)) \(time) GMT",
      "\(weekday), \(padded(day))-\(month)-\(padded(year % 100)) \(time) GMT",
      "\(weekday.prefix(3)) \(month) \(day < 10 ? " " : "")\(day) \(time) \(padded(year, 4))"
    )
  }

  @Test(arguments: [61, 62, 63] as [UInt64])
  func `are written and read as Foundation counts days`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<150 {
      // 1900 through 2199.
      let seconds = Int.random(in: -2_208_988_800..<7_258_118_400, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let forms = try Self.forms(of: date)

      #expect(HTTPDate.format(date) == forms.fixed, "seed \(seed), \(seconds)")
      #expect(HTTPDate.parse(forms.fixed) == date, "seed \(seed), \(seconds)")
      #expect(HTTPDate.parse(forms.short) == date, "seed \(seed), \(seconds)")
    }
  }

  @Test(arguments: [71, 72] as [UInt64])
  func `with two digits of a year are at most 50 years ahead, and less than 50 behind`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      // 1980 through 2079; the date within 49 years of it.
      let now = Int.random(in: 315_532_800..<3_471_292_800, using: &random)
      let date = Date(
        timeIntervalSince1970: Double(now + Int.random(in: -49...49, using: &random) * 31_557_600))
      let text = try Self.forms(of: date).old

      #expect(
        HTTPDate.parse(text, now: Date(timeIntervalSince1970: Double(now))) == date,
        "seed \(seed): \(text) at \(now)")
    }
  }

  private static let centuries: [(String, Int, Int)] = [
    // 2020.
    ("70", 1_592_300_000, 2070), ("71", 1_592_300_000, 1971), ("00", 1_592_300_000, 2000),
    ("99", 1_592_300_000, 1999),
    // 2060.
    ("10", 2_850_000_000, 2110), ("11", 2_850_000_000, 2011),
  ]

  @Test(arguments: centuries)
  func `with two digits of a year take the century from the time`(
    digits: String, now: Int, year: Int
  ) throws {
    let date = try #require(
      HTTPDate.parse(
        "Monday, 15-Jun-\(digits) 00:00:00 GMT", now: Date(timeIntervalSince1970: Double(now))))

    #expect(Self.calendar.component(.year, from: date) == year)
  }

  @Test(arguments: [
    ("1900", false), ("1996", true), ("2000", true), ("2023", false), ("2024", true),
    ("2100", false), ("2400", true),
  ])
  func `have a 29th of February in leap years alone`(year: String, isLeap: Bool) {
    #expect((HTTPDate.parse("Mon, 29 Feb \(year) 00:00:00 GMT") != nil) == isLeap)
    #expect((HTTPDate.parse("Mon Feb 29 00:00:00 \(year)") != nil) == isLeap)
  }

  @Test(arguments: [
    ("Jan", 31), ("Feb", 28), ("Mar", 31), ("Apr", 30), ("May", 31), ("Jun", 30), ("Jul", 31),
    ("Aug", 31), ("Sep", 30), ("Oct", 31), ("Nov", 30), ("Dec", 31),
  ])
  func `have as many days in a month as the calendar`(month: String, count: Int) {
    #expect(HTTPDate.parse("Mon, \(count) \(month) 2023 00:00:00 GMT") != nil)
    #expect(HTTPDate.parse("Mon, \(count + 1) \(month) 2023 00:00:00 GMT") == nil)
  }

  @Test func `may have a leap second, which is the first of the next minute`() {
    let leap = HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT")

    #expect(leap == HTTPDate.parse("Sun, 01 Jan 2017 00:00:00 GMT"))
    #expect(leap != nil)
  }

  @Test(arguments: [
    (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"), (0.999, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"), (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
  ])
  func `are written without fractions, rounded down`(seconds: Double, text: String) {
    #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
  }
}
