import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

/// After any changes the log alone has all that the table had.
@Suite struct `A table made again from its log`: OnDisk {
  let folder = CacheFolder()

  private func key(_ number: Int) -> CacheKey {
    switch number % 4 {
    case 0: .variant(source: "\(number)", recipe: "w=100")
    case 1: .document(url: "https://a.org/\(number)")
    default: .original(url: "https://a.org/\(number / 2)", vary: number % 4 == 2 ? "" : "a: b")
    }
  }

  private func stub(_ number: Int) -> CacheRecord { CacheRecord(key: key(number), at: clock.now) }

  /// All that a directory has, but for accesses.
  private struct Contents: Equatable {
    var records: [CacheRecord] = []
    var groups: [String] = []
    var states: [String: String] = [:]
    var totals = IndexTotals()
    var owners: [UInt64: UInt64] = [:]
  }

  private func contents(_ store: DiskStore) throws -> Contents {
    var listing = try EntryListing(.all, in: store.index)
    var contents = Contents()
    while true {
      let page = listing.next(100, in: store)
      if page.isEmpty { break }
      contents.records += page.map {
        var record = $0.currentRecord
        (record.lastAccess, record.accessCount) = (.distantPast, 0)
        return record
      }
    }
    contents.groups = store.groups()
    contents.states = store.states(withPrefix: "")
    contents.totals = store.index.totals
    for shared in try #require(store.index.readable()).table.shared {
      contents.owners[shared.content] = shared.count
    }
    return contents
  }

  private func change(_ store: DiskStore, _ steps: Int, _ random: inout SplitMix64) throws {
    for _ in 0..<steps {
      let key = key(Int.random(in: 0..<40, using: &random))
      let group = "group \(Int.random(in: 0..<5, using: &random))"
      switch Int.random(in: 0..<12, using: &random) {
      case 0...4:
        var record = CacheRecord(key: key, at: clock.now)
        record.headers = HeaderText(text: "x-step: \(random.next())\n")
        if random.next() & 1 == 0 { record.groups = [group] }
        // Few bodies, so that entries share them.
        let count = Int.random(in: 1...6, using: &random)
        try store.store([UInt8](repeating: 1, count: 2_000 * count), record)
      case 5:
        var negative = CacheRecord(key: key, at: clock.now)
        negative.failure = .httpStatus
        negative.expires = clock.now + 1_000
        try store.storeNegative(negative)
      case 6: try store.remove([key])
      case 7: try store.addGroup(group, to: [key])
      case 8:
        let (isOn, isPin) = (random.next() & 1 == 0, random.next() & 1 == 0)
        if isPin { try store.setPinned(isOn, group: group) }
        if !isPin { try store.setKept(isOn, group: group) }
      case 9, 10:
        let (name, value) = ("state \(random.next() % 4)", "\(random.next())")
        try store.updateStates([]) { _ in [name: value.hasPrefix("1") ? nil : value] }
      default:
        if var record = store.record(for: key) {
          record.headers = HeaderText(text: "x-updated: \(random.next())\n")
          try store.update(record)
        }
      }
      clock.advance(by: 1)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `has the same entries, groups, pins, states and totals`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var before = Contents()
    do {
      let store = try open()
      try change(store, 250, &random)
      before = try contents(store)
      try #require(before.records.count > 10 && !before.owners.isEmpty)
    }
    try FileManager.default.removeItem(atPath: path("index.table"))

    let store = try open()

    #expect(try contents(store) == before, "seed \(seed)")
    #expect(store.index.fault() == nil, "seed \(seed)")
    #expect(try !store.verify(repair: false).isDamaged, "seed \(seed)")
    #expect(try store.collectGarbage() == GarbageReport(), "seed \(seed)")
    // It can be changed, and made again, as before.
    try change(store, 100, &random)
    let changed = try contents(store)
    try store.index.rebuild()
    #expect(try contents(store) == changed, "seed \(seed)")
  }

  @Test(arguments: 11...13 as ClosedRange<UInt64>)
  func `is the same after a compaction`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try open()
    try change(store, 250, &random)
    let before = try contents(store)
    let byteCount = store.index.byteCount

    try store.index.write { try $0.rewrite() }

    #expect(try contents(store) == before, "seed \(seed)")
    #expect(store.index.byteCount < byteCount, "seed \(seed)")
    #expect(files().filter { $0.hasPrefix("index.records") }.count == 1)
    store.close()
    try FileManager.default.removeItem(atPath: path("index.table"))
    #expect(try contents(open()) == before, "seed \(seed)")
  }

  @Test func `keeps counts, accesses and the clock of eviction while the old one is legible`()
    throws
  {
    let store = try open()
    for number in 0..<10 {
      try store.store([UInt8(number)], stub(number))
    }
    clock.advance(by: 50)
    for _ in 0..<3 { #expect(store.read(key(4)) != nil) }
    let table = try #require(store.index.readable()).table
    let (clockWord, counts) = (table.peek(EntryTable.Word.clock), table.counts.total)

    try store.index.rebuild()

    let made = try #require(store.index.readable()).table
    #expect(made.identity != table.identity && table.isReplaced)
    #expect(made.peek(EntryTable.Word.clock) == clockWord)
    #expect(made.counts.total == counts && counts[.diskHits] == 3)
    #expect(store.record(for: key(4))?.accessCount == 4)
    #expect(store.record(for: key(4))?.lastAccess == clock.now)
  }

  @Test(arguments: [false, true])
  func `and then copied knows which files may have no entry`(isCompaction: Bool) throws {
    let store = try open()
    try store.store([1], stub(2))
    try store.index.rebuild()
    let hash = [7].withUnsafeBytes { CacheContent(of: $0) }.hash

    let words = try store.index.write { writer in
      writer.recordPublished(hash, in: .images)
      let before = writer.table
      if isCompaction {
        try writer.rewrite()
      } else {
        let capacity = before.layout.capacity
        for number in 0..<capacity { try writer.setState("x", for: "\(number)") }
      }
      let doubt = EntryTable.Word.published..<EntryTable.Word.published + 6
      let words = [before, writer.table].map { table in doubt.map { table.peek($0) } }
      #expect(before.isReplaced && writer.mayHaveOrphans)
      writer.removeFile(inDoubt: EntryTable.Word.published)
      #expect(writer.table.peek(EntryTable.Word.published) == 0)
      return words
    }

    #expect(words[0] == words[1] && words[0][0] != 0)
  }

  @Test func `says how many entries were carried over, once`() throws {
    let store = try open()
    for number in [2, 6, 10] {
      try store.store([UInt8(number)], stub(number))
    }

    try store.index.rebuild()
    _ = store.read(key(2))

    #expect(
      log == ["the cache's index was damaged; 3 entries were carried over"])
  }

  @Test func `is of the only log with records where there are several, and the others go`() throws {
    do {
      try open().store([1, 2], stub(2))
    }
    try FileManager.default.moveItem(
      atPath: path("index.records.1"), toPath: path("index.records.12"))
    try Data().write(to: URL(fileURLWithPath: path("index.records.9")))
    try Data().write(to: URL(fileURLWithPath: path("index.records.13")))
    try Data().write(to: URL(fileURLWithPath: path("index.records.x")))
    try FileManager.default.removeItem(atPath: path("index.table"))

    let store = try open()

    #expect(store.read(key(2))?.bytes == [1, 2])
    let logs = files().filter { $0.hasPrefix("index.records") }
    #expect(logs == ["index.records.12", "index.records.x"])
  }

  /// A process that is killed while it writes the new log leaves a part of it; the table names the
  /// old one.
  @Test func `of another boot is of the whole log beside that of an interrupted compaction`() throws
  {
    do {
      let store = try open()
      for number in 0..<20 { try store.store([UInt8(number)], record(number)) }
    }
    let log = try Data(contentsOf: URL(fileURLWithPath: path("index.records.1")))
    try log.prefix(log.count / 2).write(to: URL(fileURLWithPath: path("index.records.2")))
    try overwriteTable(word: EntryTable.Word.boot)

    let store = try open()

    for number in 0..<20 {
      #expect(store.read(record(number).key)?.bytes == [UInt8(number)], "\(number)")
    }
  }

  @Test(arguments: [false, true])
  func `is of the log with the latest record, or of the former one of a compaction`(
    isComplete: Bool
  ) throws {
    let log = URL(fileURLWithPath: path("index.records.1"))
    try open().store([1], stub(2))
    let former = try Data(contentsOf: log)
    try open().store([2], stub(6))
    let whole = try Data(contentsOf: log)
    // The new log has what was added since, or so far only the last of the records.
    try (isComplete ? former : whole).write(to: log)
    try (isComplete ? whole : whole.dropFirst(former.count))
      .write(to: URL(fileURLWithPath: path("index.records.2")))
    try FileManager.default.removeItem(atPath: path("index.table"))

    let store = try open()

    #expect(store.read(key(2))?.bytes == [1])
    #expect(store.read(key(6))?.bytes == [2])
    let logs = files().filter { $0.hasPrefix("index.records") }
    #expect(logs == ["index.records.\(isComplete ? 2 : 1)"])
  }
}
