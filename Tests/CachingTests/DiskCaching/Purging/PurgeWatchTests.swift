import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Observers of purges` {
  /// The purges of a directory, as other processes change them.
  private let marks = Locked(PurgeMarks())
  private let stamp = Locked<UInt64>(0)
  private let watch: PurgeWatch

  init() {
    watch = PurgeWatch(
      stamp: { [stamp] in stamp.withLock { $0 } }, marks: { [marks] in marks.withLock { $0 } })
  }

  private func purge(_ urls: String..., number: UInt64) {
    marks.withLock { $0.add(Set(urls.map { .source($0) }), number: number, at: Int64(number)) }
    stamp.withLock { $0 = number }
  }

  private static let urls = ["https://a.org/1", "https://a.org/2", "https://a.org/3"]

  /// Adds an observer, which notes for each notice which of the URLs it covers.
  private func observe() -> (observation: PurgeObservation, notices: Locked<[[Int]]>) {
    let notices = Locked<[[Int]]>([])
    let observation = PurgeObservation(watch) { notice in
      let covered = Self.urls.indices.filter { notice.covers(url: Self.urls[$0]) }
      notices.withLock { $0.append(covered.map { $0 + 1 }) }
    }
    return (observation, notices)
  }

  @Test func `are notified of each purge once`() {
    let (observation, notices) = observe()

    purge("https://a.org/1", number: 1)
    watch.check()
    watch.check()
    purge("https://a.org/3", number: 2)
    watch.check()

    #expect(notices.withLock { $0 } == [[1], [3]])
    withExtendedLifetime(observation) {}
  }

  @Test func `are notified of several purges at once`() {
    let (observation, notices) = observe()

    purge("https://a.org/1", number: 1)
    purge("https://a.org/2", number: 2)
    watch.check()

    #expect(notices.withLock { $0 } == [[1, 2]])
    withExtendedLifetime(observation) {}
  }

  @Test func `are not notified of purges before they began`() {
    purge("https://a.org/1", number: 7)

    let (observation, notices) = observe()
    watch.check()
    purge("https://a.org/2", number: 8)
    watch.check()

    #expect(notices.withLock { $0 } == [[2]])
    withExtendedLifetime(observation) {}
  }

  @Test func `are all notified, and those that ended are not`() {
    let (first, firstNotices) = observe()
    let second = Locked<[[Int]]>([])
    do {
      let (other, notices) = observe()
      purge("https://a.org/1", number: 1)
      watch.check()
      second.withLock { $0 = notices.withLock { $0 } }
      withExtendedLifetime(other) {}
    }
    purge("https://a.org/2", number: 2)
    watch.check()

    #expect(firstNotices.withLock { $0 } == [[1], [2]])
    #expect(second.withLock { $0 } == [[1]])
    withExtendedLifetime(first) {}
  }

  @Test func `that begin again after all had ended miss the purges between`() {
    do { _ = observe() }
    purge("https://a.org/1", number: 1)

    let (observation, notices) = observe()
    purge("https://a.org/2", number: 2)
    watch.check()

    #expect(notices.withLock { $0 } == [[2]])
    withExtendedLifetime(observation) {}
  }

  @Test func `are told to forget everything by a purge of everything`() {
    let (observation, notices) = observe()

    marks.withLock { $0.add(nil, number: 1, at: 1) }
    stamp.withLock { $0 = 1 }
    watch.check()

    #expect(notices.withLock { $0 } == [[1, 2, 3]])
    withExtendedLifetime(observation) {}
  }

  @Test func `of a directory that was created again go by its new numbers`() {
    let (observation, notices) = observe()
    purge("https://a.org/1", number: 9)
    watch.check()
    // A new directory counts from 1.
    marks.withLock { $0 = PurgeMarks() }
    stamp.withLock { $0 = 0 }
    watch.check()
    purge("https://a.org/2", number: 1)
    watch.check()

    #expect(notices.withLock { $0.last } == [2])
    withExtendedLifetime(observation) {}
  }

  @Test func `of a directory are notified of purges by another instance`() async throws {
    let directory = TemporaryDirectory()
    let configuration = DiskCache.Configuration(directory: directory.path("cache"))
    let (store, other) = (try DiskStore(configuration), try DiskStore(configuration))
    let covered = Locked(0)
    let observation = PurgeObservation(store.purges) { notice in
      if notice.covers(url: "https://a.org/1") { covered.withLock { $0 += 1 } }
    }

    _ = try other.purge(CachePurge(urls: ["https://a.org/1"]))

    await Condition.until { covered.withLock { $0 } >= 1 }
    withExtendedLifetime(observation) {}
  }
}
