import Foundation
import ImageModel
import Testing

@testable import CachePolicies
@testable import DiskCaching

/// The open addressing of the table against dictionaries, where many keys share a bucket.
@Suite struct `The table of the index against a model` {
  private let table: EntryTable

  init() throws {
    table = try EntryTable.create(
      in: nil, EntryTable.Layout(capacity: EntryTable.leastCapacity), logNumber: 1)
  }

  private func apply(_ state: inout TableState, _ body: (inout TableChange) -> Void) {
    var change = TableChange(of: table, state)
    body(&change)
    change.seal()
    let isMade = table.apply(change)
    #expect(isMade)
    state = change.state
  }

  /// A word with one of few homes around the end, so that runs are long and wrap.
  private func word(
    homes: Int, of places: Int, _ random: inout SplitMix64
  ) -> UInt64 {
    let mask = places - 1
    while true {
      let word = random.next()
      if (table.home(of: word, in: mask) + homes / 2) & mask < homes { return word }
    }
  }

  private func hash(_ random: inout SplitMix64) -> UInt64 {
    word(homes: 6, of: 2 * table.layout.capacity, &random)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `finds what was inserted and not what was removed`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = TableState()
    var model: [UInt64: UInt64] = [:]  // the hash by the number of the record
    var next: UInt64 = 1
    for step in 0..<500 {
      let isFull = model.count == EntryTable.leastCapacity
      if !isFull, model.isEmpty || random.next() % 5 < 3 {
        var entry = TableEntry()
        (entry.sequence, entry.born, entry.hash) = (next, next, hash(&random))
        apply(&state) { $0.insert(entry) }
        model[next] = entry.hash
        next += 1
      } else if let victim = model.keys.sorted().randomElement(using: &random),
        let hash = model[victim],
        let match = table.find(hash).all.first(where: { $0.entry.sequence == victim })
      {
        apply(&state) { $0.remove(at: match.index, hash: hash) }
        model[victim] = nil
      }
      guard step % 50 == 0 else { continue }
      #expect(table.count == model.count && state.count == model.count, "seed \(seed)")
      for (sequence, hash) in model {
        let found = table.find(hash).all.filter { $0.entry.sequence == sequence }
        #expect(found.count == 1, "seed \(seed), step \(step), record \(sequence)")
      }
      let numbers = (0..<table.count).map { table.word(0, at: $0) }
      #expect(Set(numbers) == Set(model.keys), "seed \(seed), step \(step)")
      #expect((0..<table.count).allSatisfy { table.isIntact(at: $0) }, "seed \(seed)")
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `counts the owners of shared contents`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = TableState()
    // The number of owners beside the first, by content.
    var model: [UInt64: Int] = [:]
    let contents = (0..<80).map { _ in word(homes: 3, of: table.layout.sharedCapacity, &random) }
    for step in 0..<400 {
      let content = contents[Int.random(in: contents.indices, using: &random)]
      let owners = model[content] ?? 0
      if owners == 0 || random.next() & 1 == 0 {
        apply(&state) { $0.share(content) }
        model[content] = owners + 1
      } else {
        var hasOthers = false
        apply(&state) { hasOthers = $0.release(content) }
        #expect(hasOthers, "seed \(seed), step \(step)")
        model[content] = owners == 1 ? nil : owners - 1
      }
      let change = TableChange(of: table, state)
      #expect(state.sharedCount == model.count, "seed \(seed), step \(step)")
      for (content, owners) in model where change.ownerCount(of: content) != owners + 1 {
        Issue.record("seed \(seed), step \(step): \(change.ownerCount(of: content)) owners")
        return
      }
    }
    let shared = table.shared.map { ($0.content, Int($0.count) - 1) }
    #expect(Dictionary(shared) { _, new in new } == model, "seed \(seed)")
  }

  @Test func `reads a change before it is written, and nothing of it after it is dropped`() {
    let state = TableState()
    var entry = TableEntry()
    (entry.sequence, entry.hash) = (5, 77)
    var change = TableChange(of: table, state)
    change.insert(entry)

    let (read, count) = (change.entry(at: 0), change.state.count)
    #expect(read == entry)
    #expect(count == 1 && table.count == 0)
    #expect(table.find(77).first == nil)
  }

  @Test func `completes a change whose writer died, whatever part was written`() throws {
    var state = TableState()
    var entry = TableEntry()
    (entry.sequence, entry.hash) = (1, 10)
    apply(&state) { $0.insert(entry) }
    (entry.sequence, entry.hash) = (2, 20)
    var change = TableChange(of: table, state)
    change.insert(entry)
    change.seal()
    // The redo area as it is before the first word of the change is written.
    var sum = WordSum()
    for (number, write) in change.writes.enumerated() {
      table.poke(EntryTable.Word.redo + 2 + 2 * number, UInt64(write.index))
      table.poke(EntryTable.Word.redo + 3 + 2 * number, write.value)
      sum.add(UInt64(write.index))
      sum.add(write.value)
    }
    table.poke(EntryTable.Word.redo + 1, sum.value)
    table.poke(EntryTable.Word.redo, UInt64(change.writes.count))
    table.poke(EntryTable.Word.turn, table.turn | 1)

    table.recover()

    #expect(table.turn & 1 == 0)
    #expect(table.state?.count == 2)
    #expect(table.find(20).first?.entry.sequence == 2)
    #expect(table.find(10).first?.entry.sequence == 1)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `drops a change whose words are damaged`(word: Int) {
    var state = TableState()
    var entry = TableEntry()
    (entry.sequence, entry.hash) = (1, 10)
    apply(&state) { $0.insert(entry) }
    // One word: entry 0 gets the number 9.
    let index = UInt64(EntryTable.Word.entries)
    let words = [1, WordSum.of([index, 9]), index, 9]
    for (offset, value) in words.enumerated() {
      table.poke(EntryTable.Word.redo + offset, offset == word ? value ^ 1 << 40 : value)
    }

    table.recover()

    #expect(table.word(0, at: 0) == 1)
    #expect(table.peek(EntryTable.Word.redo) == 0)
  }

  @Test(arguments: [TableChange.maximumCount, TableChange.maximumCount + 1])
  func `writes a change that fits the redo area, and nothing of a larger one`(count: Int) throws {
    let (first, turn) = (EntryTable.Word.entries, table.turn)
    var change = TableChange(of: table, TableState())
    for number in 0..<count { change.set(first + number, UInt64(number + 1)) }

    let isMade = table.apply(change)
    let copy = try table.copy(with: change)

    #expect(isMade == (count == TableChange.maximumCount))
    #expect((table.turn == turn) == !isMade && table.peek(EntryTable.Word.redo) == 0)
    for number in 0..<count {
      #expect(table.peek(first + number) == (isMade ? UInt64(number + 1) : 0))
      #expect(copy.peek(first + number) == UInt64(number + 1))
    }
    #expect(copy.identity == table.identity && copy.state == table.state)
  }

  /// The checksum of an entry shares a word with the note, which is written without the lock.
  @Test func `keeps an entry whole that is replaced while its note is set`() throws {
    var state = TableState()
    var entry = TableEntry()
    apply(&state) { $0.insert(entry) }
    let writer = RepeatingThread { [table] in
      for count in 0..<100 as Range<UInt16> { table[note: 0] = EvictionNote(count: count) }
    }

    var damaged = 0
    for round in 1...10_000 as ClosedRange<UInt64> {
      (entry.sequence, entry.groupBits) = (round, UInt8(truncatingIfNeeded: round))
      apply(&state) { $0.setEntry(entry, at: 0) }
      let isWhole = table.isIntact(at: 0) && table.entry(at: 0).groupBits == entry.groupBits
      if !isWhole { damaged += 1 }
    }

    writer.stop()
    #expect(damaged == 0)
  }

  @Test func `reads nothing outside of its words`() {
    #expect(table.peek(-1) == 0 && table.peek(.max) == 0 && table.peek(.min) == 0)
    table.poke(table.layout.wordCount, 1)
    #expect(table.peek(table.layout.wordCount) == 0)
  }
}
