import Foundation
import Testing

@testable import ImageModel

/// The dates of HTTP, with Foundation's calendar as the reference.
@Suite struct `Dates of HTTP` {
  private static func text(_ date: Date, _ format: String) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = format
    return formatter.string(from: date)
  }

  @Test(arguments: [61, 62, 63] as [UInt64])
  func `are written and read as Foundation counts days`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<150 {
      // 1900 through 2199.
      let seconds = Int.random(in: -2_208_988_800..<7_258_118_400, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let fixed = Self.text(date, "EEE, dd MMM yyyy HH:mm:ss 'GMT'")
      let short = Self.text(date, "EEE MMM dd HH:mm:ss yyyy")

      #expect(HTTPDate.format(date) == fixed, "seed \(seed), \(seconds)")
      #expect(HTTPDate.parse(fixed) == date, "seed \(seed), \(seconds)")
      #expect(HTTPDate.parse(short) == date, "seed \(seed), \(seconds)")
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

    #expect(HTTPDate.format(date).hasSuffix("Jun \(year) 00:00:00 GMT"))
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

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "sun, 06 NOV 1994 08:49:37 gmt", "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
  ])
  func `all three formats are parsed`(text: String) {
    #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 19945 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sunday, 29-Feb-95 08:49:37 GMT", "Sun Nov  06 08:49:37 1994",
    "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "So\u{308}n, 06 Nov 1994",
    "Thu, 29 Feb 1900 00:00:00 GMT", "Mon Feb 29 00:00:00 2100", "Wed, 29 Feb 2023 00:00:00 GMT",
    "Mon, 31 Apr 2023 00:00:00 GMT", "Fri, 31 Jun 2023 00:00:00 GMT",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
  ])
  func `any other text is not a date`(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `a truncated date is refused`(text: String) {
    for count in 0..<text.count { #expect(HTTPDate.parse(String(text.prefix(count))) == nil) }
  }
}
