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
