import Foundation
import Testing

@testable import SharedCaching

@Suite struct `A full list of purges` {
  private static func date(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSince1970: 1_592_300_000 + seconds)
  }

  @Test func `keeps its tags when one of them is purged again, and none for another`() {
    let list = PurgeList()
    for number in 0..<100_000 { list.add("\(number)", at: Self.date(0)) }

    let isNew = list.add("7", at: Self.date(60))

    #expect(isNew)
    #expect(!list.covers(["other"], made: Self.date(-1)))
    #expect(list.covers(["7"], made: Self.date(59)))
    #expect(list.covers(["8"], made: Self.date(1)) && !list.covers(["8"], made: Self.date(3)))
    list.add("other", at: Self.date(10))
    // Everything up to the latest of those forgotten counts as purged.
    #expect(list.covers(["8"], made: Self.date(59)) && !list.covers(["8"], made: Self.date(63)))
  }
}
