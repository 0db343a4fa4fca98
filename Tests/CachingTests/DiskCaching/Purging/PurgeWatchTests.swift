import ImageModel
import Testing

@testable import DiskCaching

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

  /// An observer that notes for each notice which of the URLs it covers.
  private final class Observer {
    let notices = Locked<[[Int]]>([])
    private let observation: PurgeObservation

    init(_ watch: PurgeWatch) {
      observation = PurgeObservation(watch) { [notices] notice in
        let covered = urls.indices.filter { notice.covers(url: urls[$0]) }
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
