import Testing

@testable import ImageFeeds

@Suite struct `Dates of feeds` {
  @Test(arguments: [
    ("2003-12-13T15:59:59Z", "20031213"), ("2003-12-13T16:00:00Z", "20031214"),
    ("2003-12-13T23:59:59+08:00", "20031213"), ("2003-12-14T00:00:00+08:00", "20031214"),
    ("2003-12-13T00:30:00+09:00", "20031212"), ("2003-12-31T18:30:02.25+01:00", "20040101"),
    ("2004-02-28t20:00:00z", "20040229"), ("2003-12-13 16:00", "20031214"),
    ("2003-12-13T11:59:00-04:30", "20031214"), ("2003-12-13 18:30:00 +0800", "20031213"),
    ("2003-12-13T24:00:00+08:00", "20031214"), ("9999-12-31T15:59:59Z", "99991231"),
    ("0001-01-01T00:00:00+08:00", "00010101"), ("2003-12-13T23:30:00+08", "20031213"),
  ])
  func `a date of RFC 3339 is a day in UTC+8`(text: String, day: String) {
    #expect(FeedDate.day(text)?.description == day)
  }

  @Test(arguments: [
    ("Tue, 10 Jun 2003 15:59:00 GMT", "20030610"), ("Tue, 10 Jun 2003 16:00:00 GMT", "20030611"),
    ("10 Jun 2003 16:00 UT", "20030611"), ("Tue, 10 June 2003 23:00:00 +0800", "20030610"),
    ("Tue, 10 Jun 2003 08:00:00 PST", "20030611"), ("Tue, 10 Jun 2003 08:00:00 PDT", "20030610"),
    ("10 jun 03 9:00:00 edt", "20030610"), ("Wed,\t31 Dec 2003 16:00:00 Z", "20040101"),
    ("Tue, 10 Jun 2003 16:00:00 XYZ", "20030611"), ("Tue, 10 Jun 2003 20:00:00 +08", "20030610"),
    ("Tue, 10 Jun 2003 20:00:00 GMT+0800", "20030610"), ("10 Jun 2003 20:00 UTC+8", "20030610"),
    ("10 Jun 2003 20:00 +123", "20030611"),
  ])
  func `a date of RFC 822 is a day in UTC+8`(text: String, day: String) {
    #expect(FeedDate.day(text)?.description == day)
  }

  @Test(arguments: ["2003-06-10", "10 Jun 2003", "Tue, 10 Jun 2003 soon", "\n 2003-06-10 \t"])
  func `a date without a time is that day`(text: String) {
    #expect(FeedDate.day(text)?.description == "20030610")
  }

  @Test(arguments: [
    ("10 Jun 49", "20490610"), ("10 Jun 50", "19500610"), ("10 Jun 99", "19990610"),
  ])
  func `a year of two digits below 50 is of this century`(text: String, day: String) {
    #expect(FeedDate.day(text)?.description == day)
  }

  @Test(arguments: [
    "2003-02-29T00:00:00Z", "2003-12-13X10:00:00Z",
    "2003-12-13T24:01:00Z", "2003-12-13T25:00:00Z", "2003-12-13T10:60:00Z", "31 Jun 2003",
    "10 Foo 2003", "Tue, 10 Jun",
    "ten Jun 2003",
    "9999-12-31T23:59:59-12:00", "9999-12-31T16:00:00Z", "0001-01-01T00:00:00+14:00",
    "Fri, 31 Dec 9999 16:00:00 GMT",
  ])
  func `other text is not a date`(text: String) {
    #expect(FeedDate.day(text) == nil)
  }
}
