import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching

@Suite struct `Purges that wait for the servers of a tier` {
  private let pending = PendingPurges()
  private let a = "https://example.org/a.jpg"
  private let b = "https://example.org/b.jpg"

  private func purge(_ urls: String...) -> TierPurge {
    TierPurge(urls: urls, time: Date(timeIntervalSince1970: 1_592_300_000))
  }

  @Test func `only the caller that adds the first one begins to write`() {
    let begins = [pending.add(purge(a)), pending.add(purge(b)), pending.add(purge(a))]

    #expect(begins == [true, false, false])
    #expect(pending.count == 3)
  }

  @Test func `are returned oldest first, and stay until they are replaced`() {
    _ = pending.add(purge(a))
    _ = pending.add(purge(b))

    let first = pending.waiting()
    let second = pending.waiting()

    #expect(first == [purge(a), purge(b)])
    #expect(second == first)
  }

  @Test func `the writer ends only once none waits, and then the next caller begins`() {
    _ = pending.add(purge(a))
    _ = pending.waiting()
    pending.replaceFirst(by: nil)
    let beforeTheEnd = pending.add(purge(b))
    let rest = pending.waiting()
    pending.replaceFirst(by: nil)
    let none = pending.waiting()
    let afterTheEnd = pending.add(purge(a))

    #expect(beforeTheEnd == false)
    #expect(rest == [purge(b)])
    #expect(none == [])
    #expect(afterTheEnd == true)
  }

  @Test func `the remainder of the oldest waits behind the others`() {
    _ = pending.add(purge(a, b))
    _ = pending.add(purge(a))

    pending.replaceFirst(by: purge(b))

    #expect(pending.waiting() == [purge(a), purge(b)])
  }

  @Test func `nothing remains of a purge that another writer has ended`() {
    pending.replaceFirst(by: purge(a))

    #expect(pending.count == 0)
    #expect(pending.waiting() == [])
  }

  @Test func `are at most 10,000`() {
    for _ in 0..<10_000 { _ = pending.add(purge(a)) }

    let refused = pending.add(purge(b))
    pending.replaceFirst(by: nil)
    let taken = pending.add(purge(b))

    #expect(refused == nil)
    #expect(taken == false)
    #expect(pending.count == 10_000)
    #expect(pending.waiting().last == purge(b))
  }

  @Test func `a source is being purged until every purge of it has ended`() {
    pending.begin([a, b])
    pending.begin([a])

    pending.end([a, b])
    let during = [pending.isPurging(ExactString(a)), pending.isPurging(ExactString(b))]
    pending.end([a])

    #expect(during == [true, false])
    #expect(!pending.isPurging(ExactString(a)))
  }

  @Test func `a source that one purge names twice is being purged until both have ended`() {
    pending.begin([a, a])

    pending.end([a])
    let isPurging = pending.isPurging(ExactString(a))
    pending.end([a])

    #expect(isPurging)
    #expect(!pending.isPurging(ExactString(a)))
  }

  @Test func `the end of a purge that never began has no effect on the next one`() {
    pending.end([a])

    pending.begin([a])

    #expect(pending.isPurging(ExactString(a)))
  }

  @Test func `a waiting purge alone does not mean that its source is being purged`() {
    _ = pending.add(purge(a))

    #expect(!pending.isPurging(ExactString(a)))
  }

  @Test func `a source with a new generation is noted until its object is deleted`() {
    let before = pending.isRenewed(a)
    pending.setRenewed(a, true)
    pending.setRenewed(a, true)
    let during = [pending.isRenewed(a), pending.isRenewed(b)]
    pending.setRenewed(a, false)

    #expect(!before)
    #expect(during == [true, false])
    #expect(!pending.isRenewed(a))
  }
}
