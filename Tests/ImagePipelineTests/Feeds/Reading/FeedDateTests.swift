import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `Dates of feeds` {
  @Test(arguments: [
    // RFC 3339.
    ("2003-12-13T15:59:59Z", "20031213"), ("2003-12-13T16:00:00Z", "20031214"),
    ("2003-12-13T23:59:59+08:00", "20031213"), ("2003-12-14T00:00:00+08:00", "20031214"),
    ("2003-12-13T00:30:00+09:00", "20031212"), ("2003-12-31T18:30:02.25+01:00", "20040101"),
    ("2004-02-28t20:00:00z", "20040229"), ("2003-12-13 16:00", "20031214"),
    ("2003-12-13T11:59:00-04:30", "20031214"), ("2003-12-13 18:30:00 +0800", "20031213"),
    ("2003-12-13T24:00:00+08:00", "20031214"), ("9999-12-31T15:59:59Z", "99991231"),
    ("0001-01-01T00:00:00+08:00", "00010101"), ("2003-12-13T23:30:00+08", "20031213"),
    ("2003-12-13T15:59:59-00:00", "20031213"),
    // RFC 822.
    ("Tue, 10 Jun 2003 15:59:00 GMT", "20030610"), ("Tue, 10 Jun 2003 16:00:00 GMT", "20030611"),
    ("10 Jun 2003 16:00 UT", "20030611"), ("Tue, 10 June 2003 23:00:00 +0800", "20030610"),
    ("Tue, 10 Jun 2003 08:00:00 PST", "20030611"), ("Tue, 10 Jun 2003 08:00:00 PDT", "20030610"),
    ("10 jun 03 9:00:00 edt", "20030610"), ("Wed,\t31 Dec 2003 16:00:00 Z", "20040101"),
    ("Tue, 10 Jun 2003 16:00:00 XYZ", "20030611"), ("Tue, 10 Jun 2003 20:00:00 +08", "20030610"),
    ("Tue, 10 Jun 2003 20:00:00 GMT+0800", "20030610"), ("10 Jun 2003 20:00 UTC+8", "20030610"),
    ("10 Jun 2003 20:00 +123", "20030611"), ("Thu,01 Jan 1970 00:00:00 +1400", "19691231"),
    // Without a time, and with two digits of a year.
    ("2003-06-10", "20030610"), ("10 Jun 2003", "20030610"), ("\n 2003-06-10 \t", "20030610"),
    ("Tue, 10 Jun 2003 soon", "20030610"), ("10 Jun 49", "20490610"), ("10 Jun 50", "19500610"),
    ("10 Jun 99", "19990610"),
  ])
  func `a date of RFC 3339 or RFC 822 is a day in UTC+8`(text: String, day: String) {
    #expect(Self.day(text)?.description == day)
  }

  @Test(arguments: [
    "Sat, Sep 14 2024 04:28:28 AM", "Sat Sep 14 04:00:00 UTC 2024", "September 14, 2024",
    "20240914T040000Z", "20240914", "2024-09-14T0400Z", "2024年9月14日", "2024年09月14日 星期六 10:30",
    "2024年9月14日 下午3:30", "2024年9月14日10时30分", "２０２４年９月１４日", "2024년 9월 14일 오후 3:30", "1726286400",
    "1726286400000", "1726286400.25", "1726286400000000", "14/09/2024", "09/14/2024", "14.9.2024",
    "14. 9. 2024", "14.09.24", "2024/9/14", "2024.09.14", "14-09-2024 10:30", "2024-9-14",
    "2024:09:14 04:00:00", "14/Sep/2024:04:00:00 +0000", "2024-W37-6", "2024-258", "20240914040000",
    "202409140400", "SAT, 14 SEP 2024 04:00:00 GMT", "sat,14 sep 2024 4:00:00gmt",
    "Sat 14 Sep 2024 04:00", "14th September 2024", "Sept. 14th, 2024, 4 am",
    "Saturday the 14th of September, 2024", "14-Sep-24", "14-SEP-2024 04:00:00",
    "Sep 14, 2024 4:28 a.m.", "Fri, 13 Sep 2024 24:00:00 +0800", "Sat, 14 Sep 124 04:00:00 GMT",
    "Sat, 14 Sep 2024 04:00:60 GMT", "Sat, 14 Sep 2024 04:00:00 +0530 (IST)",
    "Sat, 14 Sep 2024 09:30:00 (CET)",
    "Sat Sep 14 2024 04:00:00 GMT+0200 (Central European Summer Time)",
    "Sat Sep 14 2024 04:00:00 GMT-0930 (Marquesas Time)", "Sat Sep 14 04:00:00 -0400 2024",
    "Sat Sep 14 04:00:00 2024 +0530", "Sat, 14 Sep 2024 - 04:00",
    "2024-09-14T04:00:00.123456789+00:00[UTC]", "2024-09-14T04:00:00,5Z", "2024-09-14T4:0:0Z",
    "2024-09-14T04:00:00 -0400", "2024-09-14-05:00", "2024-09-14Z", "2024-09-14 at 4:00 am",
    "samedi 14 septembre 2024", "sam. 14 sept. 2024 à 10h30", "Samstag, 14. September 2024",
    "Sa., 14. Sep. 2024, 10:30 Uhr", "14 сентября 2024 г.", "Сб, 14 сен 2024 04:00:00 +0300",
    "sábado, 14 de septiembre de 2024", "sabato 14 settembre 2024", "sáb, 14 de setembro de 2024",
    "zaterdag 14 september 2024", "sobota, 14 września 2024", "so 14. září 2024", "14 Eylül 2024",
    "lauantai 14. syyskuuta 2024", "14 вересня 2024", "14 Σεπτεμβρίου 2024", "2024. szeptember 14.",
  ])
  func `a date in another spelling is that day`(text: String) {
    #expect(Self.day(text)?.description == "20240914")
  }

  @Test(arguments: [
    ("janvier", 1), ("Jänner", 1), ("février", 2), ("fevereiro", 2), ("Februar", 2), ("mars", 3),
    ("März", 3), ("maart", 3), ("marzo", 3), ("marca", 3), ("марта", 3), ("avril", 4), ("abril", 4),
    ("kwietnia", 4), ("апреля", 4), ("mai", 5), ("mayo", 5), ("maggio", 5), ("maja", 5), ("мая", 5),
    ("mei", 5), ("juin", 6), ("giugno", 6), ("czerwca", 6), ("июня", 6), ("junho", 6),
    ("juillet", 7), ("luglio", 7), ("lipca", 7), ("июля", 7), ("julio", 7), ("août", 8),
    ("agosto", 8), ("sierpnia", 8), ("августа", 8), ("augustus", 8), ("ottobre", 10),
    ("outubro", 10), ("października", 10), ("octobre", 10), ("Oktober", 10), ("октября", 10),
    ("listopada", 11), ("novembre", 11), ("ноября", 11), ("décembre", 12), ("Dezember", 12),
    ("diciembre", 12), ("grudnia", 12), ("декабря", 12), ("dicembre", 12), ("gennaio", 1),
    ("enero", 1), ("stycznia", 1), ("lutego", 2), ("июн.", 6), ("července", 7), ("června", 6),
    ("ruj", nil),
  ])
  func `a month has its name in many languages`(name: String, month: Int?) {
    #expect(
      Self.day("mar. 3 \(name) 2020")?.parts.month == (month ?? (name == "ruj" ? 3 : nil)))
  }

  @Test(arguments: [
    "", "1", "2003-02-29T00:00:00Z", "2003-13-01T00:00:00Z", "2003-12-13T24:01:00Z",
    "2003-12-13T25:00:00Z", "2003-12-13T10:60:00Z", "31 Jun 2003", "32 Jan 2003", "10 Foo 2003",
    "Tue, 10 Jun", "ten Jun 2003", "9999-12-31T23:59:59-12:00", "9999-12-31T16:00:00Z",
    "0001-01-01T00:00:00+14:00", "Fri, 31 Dec 9999 16:00:00 GMT", "Mon, x Jan 2003", "09/04/2024",
    "04-09-2024", "14/09/24", "2024", "2024-09", "Sep 2024", "9月14日", "令和6年9月14日",
    "99999999999999999999", "1e9", "-5", "0", "2024-13-01", "2024-09-31", "2024-W54-1", "2023-366",
    "2024-000", "2024-367", "2024年13月1日", "Sep 31, 2024", "2 hours ago", "yesterday", "Sep Sep Sep",
    "14 Sep 2024 15", "version 3 of 14 Sep 2024", "2024-09-14 2024-09-15", "25:00 14 Sep 2024",
    "14 Sep 2024 10:61", "Mon, 01 Jan 0000 00:00:00 +0000", "0000-00-00 00:00:00", "null",
    "undefined", "Invalid Date", "Sat, 14 Sep 0024 04:00:00 GMT", "20241314", "99999999", "1/2/3/4",
    ": : :", "+ - +", "2024-09-14T10:00:00+1:00:00:00",
  ])
  func `what is out of range or may be two days is not a date`(text: String) {
    #expect(Self.day(text) == nil)
  }

  @Test(arguments: [
    ("2024-09-14T04:00:00Z", 1_726_286_400), ("Sat, 14 Sep 2024 04:00:00 GMT", 1_726_286_400),
    ("1726286400", 1_726_286_400), ("1726286400000", 1_726_286_400),
    ("2024-09-14", 1_726_286_400), ("Sat, 14 Sep 2024 09:30:15 +0530", 1_726_286_415),
    ("Sat, 14 Sep 2024 04:28:28 AM", 1_726_288_108), ("Sat, 14 Sep 2024 12:00 AM", 1_726_272_000),
    ("Sat, 14 Sep 2024 12:30 pm", 1_726_317_000), ("2024年9月14日 晚上8:30", 1_726_345_800),
    ("Sat, 14 Sep 2024 05:00:00 CET", 1_726_286_400),
    ("Sat, 14 Sep 2024 00:00:00 EDT", 1_726_286_400),
    ("Sat, 14 Sep 2024 06:00:00 MESZ", 1_726_286_400),
    ("Sat, 14 Sep 2024 12:00:00 GMT+8", 1_726_286_400),
    ("Sat, 14 Sep 2024 07:00:00 (MSK)", 1_726_286_400), ("2024-09-13T23:00:00-05", 1_726_286_400),
    ("1969-12-31T23:59:59Z", -1), ("2024-09-14T12:00:00+08:00", 1_726_286_400),
  ])
  func `a date is a moment`(text: String, moment: Int) {
    #expect(FeedDate.value(of: text)?.moment == moment)
  }

  @Test func `arbitrary text does no harm`() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "14", "9", "2024", "99999", "Sep", "-", "/", ".", ":", " ", "T", "Z", "+", "年", "月", "日",
      "am", "(", ")", "W", "GMT", "04:00", ",", "Sat", "é", "999999999999999999",
    ]
    for _ in 0..<3000 {
      let text = (0..<9).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      if let day = Self.day(text) { #expect((1...9999).contains(day.parts.year), "\(text)") }
    }
  }

  private func zone(_ minutes: Int, colon: Bool) -> String {
    let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
    let text = (hours < 10 ? "0" : "") + "\(hours)" + (colon ? ":" : "")
    return (minutes < 0 ? "-" : "+") + text + (rest < 10 ? "0" : "") + "\(rest)"
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `dates are on the day in UTC+8 that the calendar of Foundation has, in any zone`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for round in 0..<150 {
      let moment = Date(
        timeIntervalSince1970: Double(Int.random(in: 0..<2_000_000_000, using: &random)))
      let minutes = 15 * Int.random(in: -48...56, using: &random)
      calendar.timeZone = try #require(TimeZone(secondsFromGMT: 60 * minutes))
      let part = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: moment)
      let (year, month, day) = (part.year ?? 0, part.month ?? 0, part.day ?? 0)
      let clock = [part.hour, part.minute, part.second].map { two($0 ?? 0) }
        .joined(separator: ":")
      let internet =
        "\(year)-\(two(month))-\(two(day))T\(clock).25" + zone(minutes, colon: true)
      let mail =
        "Mon, \(day) \(months[month - 1]) \(year) \(clock) " + zone(minutes, colon: false)

      let expected = DayKey.today(at: moment)

      #expect(Self.day(internet) == expected, "seed \(seed), round \(round): \(internet)")
      #expect(Self.day(mail) == expected, "seed \(seed), round \(round): \(mail)")
    }
  }

  /// The day in UTC+8.
  private static func day(_ text: String) -> DayKey? {
    FeedDate.value(of: text).map { $0.day ?? DayZone.utcPlus8.day(at: $0.moment) }
  }
}
