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

  /// The time of a value with tags that arrived then, in seconds.
  private func time(_ tags: [String], at seconds: TimeInterval) -> TimeInterval {
    let response = StoredResponse(
      status: 200, fields: [:], requestTime: Self.date(seconds), responseTime: Self.date(seconds))
    let value = TierValue(
      response: response, body: [], freshUntil: Self.date(1000), staleUntil: Self.date(2000),
      tags: tags)
    return list.currentTime(of: value).timeIntervalSince(Self.date(0))
  }

  @Test func `covers what was made before a purge of a tag, or less than 2 s after it`() {
    #expect(!list.covers(["news"], made: Self.date(0)))
    list.add("news", at: Self.date(0))

    for made in [-1000, 0, 1.999] { #expect(list.covers(["news"], made: Self.date(made))) }
    for made in [2.0, 1000] { #expect(!list.covers(["news"], made: Self.date(made))) }
    #expect(list.covers(["sport", "news"], made: Self.date(-1)))
    for tag in ["sport", "News", "news "] { #expect(!list.covers([tag], made: Self.date(-1))) }
    #expect(!list.covers([], made: Self.date(-1)))
  }

  @Test func `a purge is new unless one of its tag at that time or later is known`() {
    let purges: [(String, Double)] = [
      ("news", 10), ("news", 10), ("news", 9), ("sport", 9), ("news", 11), ("news", 0),
    ]

    #expect(
      purges.map { list.add($0.0, at: Self.date($0.1)) } == [true, false, false, true, true, false])
    // The one that arrived late does not replace the newer one.
    #expect(list.covers(["news"], made: Self.date(11)))
  }

  @Test func `the purge after 100,000 tags covers everything up to the latest of them`() {
    for number in 0..<100_000 { list.add("\(number)", at: Self.date(0)) }
    // One of its tags may be purged again.
    #expect(list.add("7", at: Self.date(50)))
    #expect(!list.covers(["other"], made: Self.date(-1)))
    #expect(list.covers(["8"], made: Self.date(1)) && !list.covers(["8"], made: Self.date(3)))

    list.add("one more", at: Self.date(20))

    #expect(list.covers([], made: Self.date(-1000)))
    #expect(list.covers(["other"], made: Self.date(50) + PurgeList.margin - 0.001))
    #expect(!list.covers(["other"], made: Self.date(50) + PurgeList.margin))
    #expect(list.covers(["one more"], made: Self.date(21)))
  }

  @Test func `a value that arrived shortly after a purge has a time that no purge covers`() {
    list.add("news", at: Self.date(0))
    list.add("sport", at: Self.date(1))
    list.add("later", at: Self.date(30))

    #expect(abs(time(["news"], at: 0.5) - 2.001) < 0.000_1)
    #expect(abs(time(["sport", "news", "later"], at: 1.5) - 3.001) < 0.000_1)
    // Its own, long after a purge, before it, and without one.
    #expect(time(["news"], at: 60) == 60)
    #expect(time(["later"], at: 29) == 29 && time(["other"], at: 0) == 0 && time([], at: 0) == 0)
  }
}
