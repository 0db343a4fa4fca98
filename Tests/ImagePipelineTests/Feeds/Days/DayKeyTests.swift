import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `Day keys` {
  @Test(arguments: ["20160229", "2016-02-29", "2016/02/29"])
  func `each spelling of a day means the same day`(text: String) {
    #expect(DayKey(text)?.description == "20160229")
    #expect(DayKey(text)?.dashed == "2016-02-29")
  }

  @Test(arguments: [
    "", "latest", "2016022", "201602291", "20150229", "19000229", "20161301", "20160100",
    "2016-02/29", "2016.02.29", "+2016022", "２０１６０２２９", "00000101", "20160431",
  ])
  func `a date that the calendar does not have is refused`(text: String) {
    #expect(DayKey(text) == nil)
  }

  @Test func `counting days agrees with the calendar of Foundation`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 8 * 3600))

    for ordinal in stride(from: -700_000, through: 2_900_000, by: 997) {
      let day = DayKey(ordinal: ordinal)
      let parts = day.parts
      let expected = calendar.dateComponents([.year, .month, .day, .era], from: day.start)
      guard expected.era == 1, day.start > Date(timeIntervalSince1970: -12_000_000_000) else {
        continue
      }
      #expect(parts.year == expected.year && parts.month == expected.month)
      #expect(parts.day == expected.day)
      if parts.year <= 9999 {
        #expect(DayKey(year: parts.year, month: parts.month, day: parts.day) == day)
      }
    }
  }

  @Test func `a day begins at midnight in UTC+8`() throws {
    let moment = Date(timeIntervalSince1970: 1_458_576_000)  // 2016-03-21 16:00 UTC

    #expect(DayKey.today(at: moment) == DayKey("20160322"))
    #expect(DayKey.today(at: moment.addingTimeInterval(-0.5)) == DayKey("20160321"))
    #expect(DayKey("20160322")?.start == moment)
  }

}

@Suite struct `Day requests` {
  private let today = DayKey(ordinal: 17_000)

  @Test func `words, days and ranges are read`() throws {
    let day = try #require(DayKey("20160322"))

    #expect((day.previous...day.next).map(\.description) == ["20160321", "20160322", "20160323"])
    #expect(try DayRequest("latest") == .latest)
    #expect(try DayRequest("today").queries(today: today) == [.day(today)])
    #expect(try DayRequest("yesterday").queries(today: today) == [.day(today.previous)])
    #expect(try DayRequest("2016/03/22") == .day(day))
    #expect(try DayRequest("20160322...2016-03-23") == .range(day...day.next))
  }

  @Test(
    arguments: [
      ("20200231", "20200231 is not a day: February 2020 has 29 days"),
      ("2021-02-29", "2021-02-29 is not a day: February 2021 has 28 days"),
      ("20201301", "20201301 is not a day: months are 01 to 12"),
      ("20200400", "20200400 is not a day: days begin with 01"),
      ("00000101", "00000101 is not a day: years begin with 0001"),
      ("20200101...20200431", "20200431 is not a day: April 2020 has 30 days"),
      (
        "20200202...20200201",
        "range 20200202...20200201 ends before it begins; write the earlier day first"
      ),
      ("", nil), ("tomorrow", nil), ("20160322...", nil), ("...20160322", nil),
      ("20160322..20160323", nil), ("20160322...20160323...20160324", nil),
      ("00010101...99991231", nil),
    ] as [(String, String?)])
  func `any other text is refused with a clear message`(text: String, message: String?) {
    let error = #expect(throws: ImageError.self) { try DayRequest(text) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("\n") == false)
    #expect(message == nil || error?.message == message)
  }
}

@Suite struct `The plan of days` {
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `loads each day once, and all that were asked for`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<100 {
      let today = DayKey(ordinal: 20_000)
      let each = Int.random(in: 0..<5, using: &random)
      var expected: Set<DayKey> = []
      let requests = (0..<Int.random(in: 1..<5, using: &random)).map { _ -> DayRequest in
        let day = DayKey(ordinal: 19_990 + Int.random(in: 0..<10, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .today
        case 1: return .yesterday
        case 2: return .day(day)
        default: return .range(day...day.advanced(by: Int.random(in: 0..<4, using: &random)))
        }
      }
      for case .day(let day) in requests.flatMap({ $0.queries(today: today) }) {
        for distance in 0..<max(1, each) { expected.insert(day.advanced(by: -distance)) }
      }

      var plan = DayPlan(requests, daysEach: each, today: today)
      var loaded: [DayKey] = []
      while let query = plan.next() {
        let left = plan.remainingCount
        if case .day(let day) = query {
          loaded.append(day)
          plan.record([day], answering: query)
        }
        #expect(plan.remainingCount == left, "seed \(seed), round \(round)")
      }

      #expect(Set(loaded) == expected && loaded.count == expected.count, "seed \(seed), \(round)")
    }
  }

  @Test func `goes back from the newest of the days that latest gave`() {
    let days = (0..<5).map { DayKey(ordinal: 20_000 - $0) }
    var plan = DayPlan([.latest, .day(days[3])], daysEach: 3, today: days[0])

    #expect(plan.next() == .latest)
    plan.record([days[2], days[0]], answering: .latest)

    var rest: [DayQuery] = []
    while let query = plan.next() { rest.append(query) }
    #expect(
      rest == [
        .day(days[3]), .day(days[4]), .day(days[3].advanced(by: -2)), .day(days[1]),
      ])
    // No arguments mean latest, and a count below one means one day.
    var least = DayPlan([], daysEach: 0, today: days[0])
    #expect(least.next() == .latest)
    least.record([days[0]], answering: .latest)
    #expect(least.next() == nil)
  }
}
