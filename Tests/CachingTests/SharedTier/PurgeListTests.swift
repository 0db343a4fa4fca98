import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching

@Suite struct `The list of purges by tag` {
  private let list = PurgeList()

  private static func date(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSince1970: 1_592_300_000 + seconds)
  }

  private static func value(tags: [String], currentAt: TimeInterval) -> TierValue {
    let response = StoredResponse(
      status: 200, fields: [:], requestTime: date(currentAt), responseTime: date(currentAt))
    return TierValue(
      response: response, body: [], freshUntil: date(1000), staleUntil: date(2000), tags: tags)
  }

  @Test func `covers nothing while it is empty`() {
    #expect(!list.covers(["news"], made: Self.date(0)))
    #expect(!list.covers([], made: .distantPast.addingTimeInterval(1)))
  }

  @Test(
    arguments: [
      (-1000.0, true), (0, true), (1.999, true), (2, false), (1000, false),
    ])
  func `covers what was made before a purge, or less than 2 s after it`(
    made: TimeInterval, isCovered: Bool
  ) {
    list.add("news", at: Self.date(0))

    #expect(list.covers(["news"], made: Self.date(made)) == isCovered)
  }

  @Test(
    arguments: [
      (["news"], true), (["sport", "news"], true), (["sport"], false), (["News"], false),
      (["news "], false), ([], false),
    ])
  func `covers a value if one of its tags is exactly that of a purge`(
    tags: [String], isCovered: Bool
  ) {
    list.add("news", at: Self.date(0))

    #expect(list.covers(tags, made: Self.date(-1)) == isCovered)
  }

  @Test func `a purge is new unless one of its tag at that time or later is known`() {
    let isNew = [
      list.add("news", at: Self.date(10)), list.add("news", at: Self.date(10)),
      list.add("news", at: Self.date(9)), list.add("sport", at: Self.date(9)),
      list.add("news", at: Self.date(11)),
    ]

    #expect(isNew == [true, false, false, true, true])
  }

  @Test func `an older purge that arrives late does not replace a newer one`() {
    list.add("news", at: Self.date(100))

    list.add("news", at: Self.date(0))

    #expect(list.covers(["news"], made: Self.date(50)))
  }

  @Test func `the purge after 100,000 tags covers everything up to the latest of them`() {
    for number in 0..<100_000 { list.add("\(number)", at: Self.date(number == 7 ? 50 : 0)) }
    let before = list.covers(["other"], made: Self.date(50))

    list.add("one more", at: Self.date(20))

    #expect(!before)
    #expect(list.covers(["other"], made: Self.date(50)))
    #expect(list.covers([], made: Self.date(-1000)))
    #expect(list.covers(["other"], made: Self.date(50) + PurgeList.margin - 0.001))
    #expect(!list.covers(["other"], made: Self.date(50) + PurgeList.margin))
    #expect(list.covers(["one more"], made: Self.date(21)))
  }

  @Test(arguments: [["news"], ["sport"], []])
  func `the time of a value is its own without an earlier purge of its tags`(tags: [String]) {
    list.add("news", at: Self.date(0.001))

    let time = list.currentTime(of: Self.value(tags: tags, currentAt: 0))

    #expect(time == Self.date(0))
  }

  @Test func `a value that arrived after a purge has a time that the purge does not cover`() {
    list.add("news", at: Self.date(0))

    let time = list.currentTime(of: Self.value(tags: ["news"], currentAt: 0.5))

    #expect(abs(time.timeIntervalSince(Self.date(2.001))) < 0.000_1)
    #expect(!list.covers(["news"], made: time))
  }

  @Test func `the latest purge of the tags of a value decides its time`() {
    list.add("news", at: Self.date(0))
    list.add("sport", at: Self.date(1))
    list.add("later", at: Self.date(30))

    let time = list.currentTime(
      of: Self.value(tags: ["sport", "news", "later"], currentAt: 1.5))

    #expect(abs(time.timeIntervalSince(Self.date(3.001))) < 0.000_1)
  }

  @Test func `a value of long after a purge keeps its time`() {
    list.add("news", at: Self.date(0))

    let time = list.currentTime(of: Self.value(tags: ["news"], currentAt: 60))

    #expect(time == Self.date(60))
  }
}
