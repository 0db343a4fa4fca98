import Foundation
import ImageModel
import Testing

@testable import CachePolicies
@testable import DiskCaching

@Suite struct `Entries of the table` {
  private let date = Date(timeIntervalSince1970: 1_592_300_000)

  private func read(_ words: [UInt64]) -> TableEntry { TableEntry { words[$0] } }

  private func anEntry(_ random: inout SplitMix64) -> TableEntry {
    var entry = TableEntry()
    entry.sequence = random.next()
    entry.hash = random.next()
    entry.recordOffset = Int.random(in: 0...0xFFFF_FFFF, using: &random) << 4
    entry.recordByteCount = Int.random(in: 0...0xFFFF, using: &random) << 4
    entry.flags = .init(rawValue: .random(in: 0..<128, using: &random))
    entry.born = random.next()
    entry.blockCount = .random(in: 0...0xFFFF_FFFF, using: &random)
    entry.moment = .random(in: 0 ... .max, using: &random)
    entry.access = .init(
      time: .random(in: 0...1 << 51, using: &random), count: .random(in: 0...4_095, using: &random))
    entry.note = EvictionNote(
      asked: .random(in: 0 ... .max, using: &random),
      credit: Float.random(in: -1e30...1e30, using: &random),
      count: .random(in: 0 ... .max, using: &random),
      kind: .random(in: 0 ... .max, using: &random))
    entry.groupBits = .random(in: 0 ... .max, using: &random)
    return entry
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `are read as they were written, with any values`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let entry = anEntry(&random)

    let words = entry.words

    #expect(words.count == EntryTable.stride)
    #expect(read(words) == entry, "seed \(seed)")
    #expect(TableEntry.isIntact { words[$0] }, "seed \(seed)")
  }

  @Test func `are damaged by any flipped bit, except of accesses and notes`() {
    var random = SplitMix64(seed: 5)
    let words = anEntry(&random).words
    for word in 0..<8 {
      for bit in 0..<64 {
        var changed = words
        changed[word] ^= 1 << UInt64(bit)
        // Of the last word 40 bits belong to the note, 8 to groups and 16 are the sum.
        let isFree = word == 5 || word == 6 || word == 7 && bit < 40
        #expect(TableEntry.isIntact { changed[$0] } == isFree, "word \(word), bit \(bit)")
      }
    }
  }

  @Test(
    arguments: [
      (-1, 0, 0, 0), (Int64.min, 7, 0, 7),
      (2_251_799_813_685_248, 4_095, 2_251_799_813_685_248, 4_095),
      (Int64.max, 4_096, 2_251_799_813_685_248, 4_095),
      (1_592_300_000_000_000, 3, 1_592_300_000_000_000, 3),
    ] as [(Int64, Int, Int64, Int)])
  func `have accesses within the bits for them`(
    time: Int64, count: Int, keptTime: Int64, keptCount: Int
  ) {
    let access = TableEntry.Access(TableEntry.Access(time: time, count: count).word)

    #expect(access == TableEntry.Access(time: keptTime, count: keptCount))
  }

  @Test func `have the seconds of their response, or of the end of a failure`() {
    var record = CacheRecord(key: .original(url: "a"), at: date)
    record.responseTime = date + 5.9
    record.expires = date + 60
    let negative = TableEntry(of: record)
    record.content = [1].withUnsafeBytes { CacheContent(of: $0) }

    #expect(negative.isNegative && negative.moment == 1_592_300_060)
    #expect(TableEntry(of: record).moment == 1_592_300_005)
    record.responseTime = Date(timeIntervalSince1970: -5)
    #expect(TableEntry(of: record).moment == 0)
    record.content = nil
    record.expires = nil
    #expect(TableEntry(of: record).moment == .max)
  }

  @Test func `have a state that is damaged by any flipped bit`() {
    var state = TableState()
    state.count = 7
    state.totals.add(3, of: .images, isNegative: false)
    state.totals.add(byteCount: 9_000, in: .images)
    (state.totals.retainedCount, state.totals.retainedByteCount) = (2, 8_192)
    state.sharedCount = 1
    state.nextSequence = 99
    state.logByteCount = 4_096
    state.liveByteCount = -5
    let words = state.words

    #expect(words.count == TableState.wordCount && TableState(words: words) == state)
    #expect(TableState(words: words.dropLast()) == nil)
    for word in words.indices {
      for bit in stride(from: 0, to: 64, by: 7) {
        var changed = words
        changed[word] ^= 1 << UInt64(bit)
        #expect(TableState(words: changed) == nil, "word \(word), bit \(bit)")
      }
    }
  }

  /// The sum is right, as in a table that was made by hand.
  @Test(arguments: [
    (0, .max), (1, 1 << 62), (2, 1 << 63), (8, .max), (9, .max), (10, .max), (11, 0), (12, .max),
    (13, 1 << 62),
  ])
  func `have no state with numbers that are impossible`(word: Int, value: UInt64) {
    var words = TableState().words.dropLast()
    words[word] = value

    #expect(TableState(words: words + [WordSum.of(words)]) == nil)
  }
}
