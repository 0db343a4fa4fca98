import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `Recently read records` {
  private var recent = RecentEntries<StoredRecord>(
    count: StoredRecord.maximumRecentCount, attemptsPerReplacement: 4)

  private func record(_ sequence: UInt64) -> StoredRecord {
    StoredRecord(
      record: CacheRecord(key: .original(url: "\(sequence)"), at: Date()), sequence: sequence,
      boot: 0, path: "")
  }

  private static let places = UInt64(StoredRecord.maximumRecentCount)

  @Test func `are none at first`() {
    #expect(recent[0] == nil)
    #expect(recent[.max] == nil)
  }

  @Test mutating func `are found by their number alone`() {
    recent.insert(record(5))

    #expect(recent[5]?.record.key == .original(url: "5"))
    #expect(recent[6] == nil)
    #expect(recent[5 + Self.places] == nil)
  }

  @Test mutating func `fill every place`() {
    for sequence in 0..<Self.places { recent.insert(record(sequence)) }

    #expect((0..<Self.places).allSatisfy { recent[$0]?.sequence == $0 })
  }

  @Test mutating func `are replaced at every fourth attempt to use a place`() {
    recent.insert(record(1))  // 1st attempt, an empty place
    var kept: [UInt64] = []
    for round in 1...8 as ClosedRange<UInt64> {
      recent.insert(record(1 + round * Self.places))
      kept.append((0...round).last { recent[1 + $0 * Self.places] != nil } ?? 99)
    }

    // Attempts 4 and 8 replace.
    #expect(kept == [0, 0, 3, 3, 3, 3, 7, 7])
  }

  @Test mutating func `of an empty place need no fourth attempt`() {
    for sequence in 1...3 as ClosedRange<UInt64> { recent.insert(record(sequence)) }

    #expect((1...3).allSatisfy { recent[$0] != nil })
  }

  @Test mutating func `are never those of another number, after any insertions`() {
    let seed: UInt64 = 17
    var random = SplitMix64(seed: seed)
    var inserted: Set<UInt64> = []
    for _ in 0..<5_000 {
      let sequence = UInt64.random(in: 0..<3 * Self.places, using: &random)
      if let found = recent[sequence] {
        #expect(found.sequence == sequence && inserted.contains(sequence), "seed \(seed)")
      }
      recent.insert(record(sequence))
      inserted.insert(sequence)
    }
  }
}
