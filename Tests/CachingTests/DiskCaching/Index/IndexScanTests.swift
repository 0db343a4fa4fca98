import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// What reads all entries: `gc`, lists, statistics. What it does not see, it takes for gone.
@Suite struct `A scan of the index`: OnDisk {
  let folder = CacheFolder()

  /// Opens the directory without permission to write.
  private func reader() throws -> DiskStore {
    try open(FaultyFileSystem(.init(call: 1, lasts: true, only: "mayWrite"))) {
      $0.access = .existing
    }
  }

  private func fill(_ store: DiskStore) throws {
    for number in 0..<40 {
      try store.store([UInt8(number), 1], record(number, groups: ["day:\(number % 2)"]))
    }
    try store.updateStates([]) { _ in ["feed": "zhihu"] }
  }

  private func addOrphan(to store: DiskStore) throws {
    let content = [1, 2, 3].withUnsafeBytes { CacheContent(of: $0) }
    let path = URL(fileURLWithPath: store.blobs.path(of: content.hash, in: .images))
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(to: path)
  }

  private func expectAll(of store: DiskStore) throws {
    for number in 0..<40 {
      #expect(store.read(key(number))?.bytes == [UInt8(number), 1], "\(number)")
    }
    var listing = try EntryListing(.all, in: store.index)
    #expect(listing.next(100, in: store).count == 40)
    #expect(store.groups() == ["day:0", "day:1"])
    #expect(store.states(withPrefix: "") == ["feed": "zhihu"])
    #expect(store.statistics().entryCount == 40)
    #expect(store.index.fault() == nil)
  }

  @Test func `is complete while others write without a pause`() throws {
    let store = try open()
    try fill(store)
    try addOrphan(to: store)
    let reader = try reader()
    // Changes the word that shows changes.
    let table = try #require(store.index.readable()).table
    let writers = RepeatingThread { for _ in 0..<100 { table.add(2, to: EntryTable.Word.turn) } }
    defer { writers.stop() }

    #expect(try store.collectGarbage().orphanCount == 1)
    try expectAll(of: store)
    try expectAll(of: reader)
    #expect(try store.removeGroup("day:1") == 20)
    #expect(try store.remove(matching: .all) == 20)
  }

  @Test func `that fails ends a collection of garbage, which removes no file`() throws {
    do { try fill(try open()) }
    let files = FaultyFileSystem()
    let store = try open(files)
    files.set(.init(call: 1, lasts: true, only: "read"))

    #expect(throws: ImageError.self) { try store.collectGarbage() }

    files.set(.init())
    try expectAll(of: store)
    #expect(try store.collectGarbage() == GarbageReport())
  }

  @Test(arguments: 0..<EntryTable.stride)
  func `finds the entries that the table has lost in the log`(word: Int) throws {
    let store = try open()
    try fill(store)
    try addOrphan(to: store)
    let table = try #require(store.index.readable()).table
    let index = EntryTable.Word.entries + 5 * EntryTable.stride + word
    table.poke(index, ~table.peek(index))

    #expect(try store.collectGarbage().orphanCount == 1)

    for number in 0..<40 {
      #expect(store.read(key(number))?.bytes == [UInt8(number), 1], "\(number)")
    }
    #expect(try !store.verify(repair: false).isDamaged)
  }

  @Test func `finds the entries to which no bucket leads`() throws {
    let store = try open()
    try fill(store)
    let table = try #require(store.index.readable()).table
    for word in table.layout.buckets..<table.layout.shared { table.poke(word, 0) }
    #expect(store.index.fault() == "an entry of the table is damaged")
    #expect(store.read(key(5)) == nil)

    #expect(try store.verify(repair: true).isRepaired)

    try expectAll(of: store)
  }

  /// A count below zero, or larger than the table.
  @Test(arguments: [UInt64.max, 1 << 63, 1 << 40, 0])
  func `repairs a table with an impossible number of entries`(count: UInt64) throws {
    let store = try open()
    try fill(store)
    let reader = try reader()
    func damage() throws {
      try #require(store.index.readable()).table.poke(EntryTable.Word.state, count)
    }

    try damage()
    #expect(reader.statistics().entryCount == 40)
    var listing = try EntryListing(.all, in: reader.index)
    #expect(listing.next(100, in: reader).count == 40)
    #expect(store.statistics().entryCount == 40)
    try damage()
    listing = try EntryListing(.all, in: store.index)
    #expect(listing.next(100, in: store).count == 40)
    try damage()
    #expect(try store.verify(repair: true).indexFault == "the table's totals are damaged")
    try damage()
    #expect(try store.setPinned(true, group: "day:1") == 20)
    try damage()
    #expect(try store.collectGarbage() == GarbageReport())
    try expectAll(of: store)
  }
}

/// The size limit relies on totals in the last record: they must be right after every change.
@Suite struct `Totals of the disk index`: OnDisk {
  let folder = CacheFolder()

  private func key(_ number: Int) -> CacheKey {
    number % 5 == 4 ? .document(url: "\(number)") : .original(url: "\(number)")
  }

  /// The totals of a full count.
  func counted(_ cache: DiskStore) throws -> IndexTotals {
    var totals = IndexTotals()
    var seen: Set<[String]> = []
    var listing = try EntryListing(.all, in: cache.index)
    for record in listing.next(.max, in: cache).map(\.record) {
      let area = BlobArea(of: record.key)
      totals.add(1, of: area, isNegative: record.isNegative)
      if let hash = record.content?.hash, seen.insert([area.folder, hash.hex]).inserted {
        totals.add(byteCount: record.byteCount, in: area)
      }
    }
    return totals
  }

  @Test func `totals equal a full count after any order of changes`() throws {
    var random = SplitMix64(seed: 2_020_0616)
    let cache = try open { $0.setRoom(files: 14) }

    for step in 0..<600 {
      let number = Int.random(in: 0..<40, using: &random)
      var record = CacheRecord(key: key(number), at: clock.now)
      clock.advance(by: 1)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try cache.remove([key(number)])
      case 1: try cache.remove([key(number), key(number + 1), key(number + 2)])
      case 2:
        record.expires = clock.now + 30
        try cache.storeNegative(record)
      case 3: _ = try cache.collectGarbage()
      default:
        // Few different bodies, so that many entries share one.
        let seed = Int.random(in: 0..<12, using: &random)
        try cache.store([UInt8](repeating: UInt8(seed), count: 900 + 500 * seed), record)
      }

      let totals = cache.index.totals
      #expect(try totals == counted(cache), "after step \(step)")
      #expect(totals.images.countedByteCount <= 14 * 4096)
    }
    try cache.remove(matching: .all)
    #expect(cache.statistics().byteCount == 0)
    #expect(cache.index.totals == IndexTotals())
  }

  @Test func `a change that fails leaves the totals of the others under its lock`() throws {
    let cache = try open { $0.setRoom(files: 14) }
    try cache.store([1, 2, 3], CacheRecord(key: key(0), at: clock.now))
    struct Refusal: Error {}

    #expect(throws: ImageError.self) {
      try cache.index.write { _ in throw Refusal() }
    }
    try cache.store([1, 2, 3, 4], CacheRecord(key: key(1), at: clock.now))

    #expect(try cache.index.totals == counted(cache))
    #expect(cache.index.totals.images.count == 2)
  }
}

/// Removals that move more buckets than the redo area has room for, and the key that keeps URLs
/// from being chosen for that.
@Suite struct `Buckets of the table`: OnDisk {
  let folder = CacheFolder()

  private func table(of store: DiskStore) throws -> EntryTable {
    try #require(store.index.readable()).table
  }

  @Test(.isLong) func `may be moved by the thousand, and no entry is lost`() throws {
    let store = try open()
    let former = try table(of: store)
    // All in one run of a table of 1,024 entries.
    let keys = (0...).lazy.map { key($0) }
      .filter { former.home(of: $0.indexHash, in: 2047) < 128 }
      .prefix(1_000)
    var rest = Array(keys)
    for key in rest { try store.store([1], CacheRecord(key: key, at: clock.now)) }
    try #require(try table(of: store).layout.capacity == 1_024)

    for key in rest.prefix(3) {
      let before = try table(of: store)
      #expect(try store.remove([key]) == 1)
      // Not by the redo area.
      #expect(before.isReplaced)
    }
    rest.removeFirst(3)

    #expect(store.index.fault() == nil)
    #expect(store.statistics().entryCount == rest.count)
    for key in rest { #expect(store.record(for: key) != nil, "\(key)") }
    for key in keys.prefix(3) { #expect(store.record(for: key) == nil) }
    #expect(try store.collectGarbage().orphanCount == 0)
    #expect(try open().statistics().entryCount == rest.count)
  }

  @Test func `of two directories are not the same for one key`() throws {
    let tables = try (0..<2).map { _ in
      try EntryTable.create(in: nil, EntryTable.Layout(count: 1_024), logNumber: 1)
    }
    // All in bucket 0 without a key.
    let hashes = (1...100).map { UInt64($0) << 32 }

    let homes = tables.map { table in hashes.map { table.home(of: $0, in: 2047) } }

    for homes in homes { #expect(Set(homes).count > 80) }
    #expect(homes[0] != homes[1])
  }
}
