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

@Suite struct `Purges that wait for the servers of a tier` {
  private let pending = PendingPurges()
  private let a = "https://example.org/a.jpg"
  private let b = "https://example.org/b.jpg"

  private func purge(_ urls: String...) -> TierPurge {
    TierPurge(urls: urls, time: Date(timeIntervalSince1970: 1_592_300_000))
  }

  @Test func `are written oldest first by the caller that added the first, until none waits`() {
    #expect([purge(a), purge(b), purge(a)].map(pending.add) == [true, false, false])
    #expect(pending.count == 3)
    #expect(pending.waiting() == [purge(a), purge(b), purge(a)])
    pending.replaceFirst(by: nil)
    #expect(pending.waiting() == [purge(b), purge(a)])
    for _ in 0..<2 { pending.replaceFirst(by: nil) }
    #expect(pending.add(purge(b)) == false)
    #expect(pending.waiting() == [purge(b)])
    pending.replaceFirst(by: nil)
    #expect(pending.waiting() == [])

    #expect(pending.add(purge(a)) == true)
  }

  @Test func `the remainder of the oldest waits behind the others, if there are any`() {
    _ = pending.add(purge(a, b))
    _ = pending.add(purge(a))

    pending.replaceFirst(by: purge(b))

    #expect(pending.waiting() == [purge(a), purge(b)])
    for _ in 0..<2 { pending.replaceFirst(by: nil) }
    // Another writer has ended it.
    pending.replaceFirst(by: purge(a))
    #expect(pending.count == 0)
  }

  @Test func `are at most 10,000`() {
    for _ in 0..<10_000 { _ = pending.add(purge(a)) }

    let refused = pending.add(purge(b))
    pending.replaceFirst(by: nil)
    let taken = pending.add(purge(b))

    #expect(refused == nil && taken == false)
    #expect(pending.count == 10_000 && pending.waiting().last == purge(b))
  }

  @Test func `a source is being purged until every purge of it has ended`() {
    func isPurging(_ url: String) -> Bool { pending.isPurging(ExactString(url)) }
    _ = pending.add(purge(a))
    // The end of one that never began has no effect.
    pending.end([a])
    #expect(!isPurging(a))

    pending.begin([a, a, b])
    pending.end([a, b])
    #expect(isPurging(a) && !isPurging(b))
    pending.end([a])

    #expect(!isPurging(a))
  }
}

@Suite struct `The confirmed sources of a shared tier` {
  private let sources = ConfirmedSources(lifetime: .seconds(30))
  private let url = ExactString("https://example.org/a.jpg")
  private let first: TierGeneration
  private let second: TierGeneration

  init() throws {
    first = try #require(TierGeneration(number: 2))
    second = try #require(TierGeneration(number: 3))
  }

  private func confirm(_ url: ExactString, _ generation: TierGeneration, at now: Duration = .zero) {
    sources.insert(url, generation, at: now, epoch: sources.epoch(of: url))
  }

  @Test
  func `take no result of a request from before the removal of its source, alone or with all`() {
    let urls = (0..<300).map { ExactString("https://example.org/\($0)") }
    for url in urls { confirm(url, first) }
    let epochs = urls.map { sources.epoch(of: $0) }

    sources.remove(urls[0])
    sources.insert(urls[0], first, at: .zero, epoch: epochs[0])
    #expect(
      urls.map { sources.contains($0, first, at: .zero) } == [false]
        + urls.dropFirst().map { _ in true })
    confirm(urls[0], first)
    #expect(sources.contains(urls[0], first, at: .zero))
    sources.removeAll()
    for (url, epoch) in zip(urls, epochs) { sources.insert(url, first, at: .zero, epoch: epoch) }

    #expect(!urls.contains { sources.contains($0, first, at: .zero) })
  }

  @Test func `are at most 100,000: one more replaces them all`() {
    let urls = (0..<100_000).map { ExactString("\($0)") }
    for url in urls { confirm(url, first) }

    confirm(urls[0], second)
    #expect(sources.contains(urls[99_999], first, at: .zero))
    confirm(url, first)

    #expect(sources.contains(url, first, at: .zero))
    #expect(!sources.contains(urls[0], second, at: .zero))
    #expect(!sources.contains(urls[99_999], first, at: .zero))
  }
}
