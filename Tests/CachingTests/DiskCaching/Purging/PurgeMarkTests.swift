import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `The marks of purges` {
  /// Microseconds, at 2020-06-16.
  private let start: Int64 = 1_592_300_000_000_000
  private let hour: Int64 = 3_600_000_000

  private func record(_ url: String, requestedAt time: Int64) -> CacheRecord {
    CacheRecord(key: .original(url: url), at: Date(microseconds: time))
  }

  private func tag(_ name: String) throws -> CacheTag { try #require(CacheTag(name)) }

  @Test func `are lines of time, number and tag below the time and number of the floor`() throws {
    var marks = PurgeMarks()

    marks.add([try tag("red")], number: 1, at: start)
    marks.add([try tag("blue")], number: 2, at: start + 5)

    #expect(marks.text == "0 0\n\(start) 1 red\n\(start + 5) 2 blue")
    #expect(marks.latestTime == start + 5 && marks.lastNumber == 2)
    #expect(PurgeMarks(marks.text).text == marks.text)
    for text in [nil, "", "what is this\n1 2 3 4\nx 1 y"] {
      #expect(PurgeMarks(text).text == "0 0")
    }
  }

  @Test func `of the same tag replace each other, and go after an hour`() throws {
    var marks = PurgeMarks()
    marks.add([try tag("red")], number: 1, at: start)
    marks.add([try tag("blue")], number: 2, at: start + 1)

    marks.add([try tag("red")], number: 3, at: start + 2)
    #expect(marks.text == "0 0\n\(start + 1) 2 blue\n\(start + 2) 3 red")
    marks.add([try tag("green")], number: 4, at: start + 2 + hour)

    #expect(marks.text == "0 0\n\(start + 2) 3 red\n\(start + 2 + hour) 4 green")
  }

  @Test func `beyond 64 raise the floor to the oldest ones`() throws {
    var marks = PurgeMarks()
    for number in 1...66 as ClosedRange<UInt64> {
      marks.add([try tag("t\(number)")], number: number, at: start + Int64(number))
    }

    let lines = marks.text.split(separator: "\n")

    #expect(lines.count == 65)
    #expect(lines[0] == "\(start + 2) 2" && lines[1] == "\(start + 3) 3 t3")
    #expect(marks.lastNumber == 66)
  }

  @Test func `of everything, or of more than 64 tags at once, are the floor alone`() throws {
    var everything = PurgeMarks()
    everything.add([try tag("red")], number: 1, at: start + 9)
    everything.add(nil, number: 2, at: start)
    var many = PurgeMarks()
    many.add(Set(try (0..<65).map { try tag("t\($0)") }), number: 7, at: start)

    // The clock was set back: the floor does not go down.
    #expect(everything.text == "\(start + 9) 2")
    #expect(many.text == "\(start) 7")
  }

  @Test func `cover what was requested before them, and nothing after`() {
    var marks = PurgeMarks()
    let url = "https://a.org/x"
    marks.add([.source(url)], number: 1, at: start)
    func covers(_ url: String, requestedAt time: Int64, now: Int64) -> Bool {
      marks.cover(record(url, requestedAt: time), begun: time, at: now)
    }

    #expect(covers(url, requestedAt: start - 1, now: start + 1))
    #expect(!covers(url, requestedAt: start, now: start + 1))
    #expect(!covers("https://a.org/y", requestedAt: start - 1, now: start + 1))
    // A purge in the future is one before the clock was set back.
    #expect(!covers(url, requestedAt: start - 2, now: start - 1))
  }

  @Test func `that are a floor cover loads, and no stored entries`() {
    var marks = PurgeMarks()
    marks.add(nil, number: 1, at: start)
    let early = record("https://a.org/x", requestedAt: start - 10)

    #expect(marks.cover(early, begun: start - 5, at: start + 1))
    #expect(!marks.cover(early, begun: nil, at: start + 1))
    // It was looked at again after the purge.
    #expect(!marks.cover(early, begun: start, at: start + 1))
    #expect(!marks.cover(early, begun: start - 5, at: start - 1))
  }

  @Test func `after a purge tell what the later ones concern`() throws {
    var marks = PurgeMarks()
    marks.add([.source("https://a.org/x")], number: 4, at: start)
    marks.add([try tag("host-b.org")], number: 5, at: start)

    let both = marks.isPurged(after: 3)
    let later = marks.isPurged(after: 4)
    let none = marks.isPurged(after: 5)

    let urls = ["https://a.org/x", "https://b.org/y", "https://c.org/z"]
    #expect(urls.map(both) == [true, true, false])
    #expect(urls.map(later) == [false, true, false])
    #expect(urls.map(none) == [false, false, false])
    marks.add(nil, number: 6, at: start)
    #expect(marks.isPurged(after: 5)("https://c.org/z"))
    #expect(!marks.isPurged(after: 6)("https://c.org/z"))
  }
}

@Suite struct `Observers of purges` {
  /// The purges of a directory, as other processes change them.
  private let marks = Locked(PurgeMarks())
  private let stamp = Locked<UInt64>(0)
  private let watch: PurgeWatch

  init() {
    watch = PurgeWatch(
      stamp: { [stamp] in stamp.withLock { $0 } }, marks: { [marks] in marks.withLock { $0 } })
  }

  private static let urls = ["https://a.org/1", "https://a.org/2", "https://a.org/3"]

  /// Purges one of the URLs, or everything.
  private func purge(_ url: Int?, number: UInt64) {
    let tags = url.map { Set([CacheTag.source(Self.urls[$0 - 1])]) }
    marks.withLock { $0.add(tags, number: number, at: Int64(number)) }
    stamp.withLock { $0 = number }
  }

  /// An observer that notes for each call which of the URLs it covers.
  private final class Observer {
    let notices = Locked<[[Int]]>([])
    private let observation: PurgeObservation

    init(_ watch: PurgeWatch) {
      observation = PurgeObservation(watch) { [notices] isPurged in
        let covered = urls.indices.filter { isPurged(urls[$0]) }
        notices.withLock { $0.append(covered.map { $0 + 1 }) }
      }
    }
  }

  @Test func `are notified of each purge once, all of them, until they end`() {
    purge(2, number: 1)
    // Not of purges before they began.
    let first = Observer(watch)
    var others: [[Int]] = []
    do {
      let second = Observer(watch)
      for _ in 0..<2 { watch.check() }
      purge(1, number: 2)
      for _ in 0..<2 { watch.check() }
      others = second.notices.withLock { $0 }
    }
    purge(2, number: 3)
    purge(3, number: 4)
    watch.check()
    purge(nil, number: 5)
    watch.check()

    #expect(first.notices.withLock { $0 } == [[1], [2, 3], [1, 2, 3]])
    #expect(others == [[1]])
    withExtendedLifetime(first) {}
  }

  @Test func `that begin again after all had ended miss the purges between`() {
    do { _ = Observer(watch) }
    purge(1, number: 1)

    let observer = Observer(watch)
    purge(2, number: 2)
    watch.check()

    #expect(observer.notices.withLock { $0 } == [[2]])
    withExtendedLifetime(observer) {}
  }

  @Test func `of a directory that was created again go by its new numbers`() {
    let observer = Observer(watch)
    purge(1, number: 9)
    watch.check()
    // A new directory counts from 1.
    marks.withLock { $0 = PurgeMarks() }
    stamp.withLock { $0 = 0 }
    watch.check()
    purge(2, number: 1)
    watch.check()

    #expect(observer.notices.withLock { $0.last } == [2])
    withExtendedLifetime(observer) {}
  }
}
