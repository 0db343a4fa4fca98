import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel

/// Removals that move more buckets than the redo area has room for, and the key that keeps URLs
/// from being chosen for that.
@Suite struct `Buckets of the table` {
  private let directory = TemporaryDirectory()

  private func open() throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 1 << 30
    return try DiskStore(configuration)
  }

  private func key(_ number: Int) -> CacheKey { .original(url: "https://example.com/\(number)") }

  private func table(of store: DiskStore) throws -> EntryTable {
    try #require(store.index.readable()).table
  }

  @Test func `may be moved by the thousand, and no entry is lost`() throws {
    let store = try open()
    let former = try table(of: store)
    // All in one run of a table of 1,024 entries.
    let keys = (0...).lazy.map { key($0) }
      .filter { former.home(of: $0.indexHash, in: 2047) < 128 }
      .prefix(1_000)
    var rest = Array(keys)
    for key in rest { try store.store([1], CacheRecord(key: key, at: Date())) }
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

  /// Writes a table as the former version did, in which the hash alone says where an entry is.
  private func makeFormer(of table: EntryTable) throws -> UInt64 {
    let (path, files) = (directory.path("cache/index.table"), POSIXFileSystem())
    try FileManager.default.removeItem(atPath: path)
    let file = OpenFile(try files.create(path, mode: 0o644), files)
    let new = try EntryTable.create(in: file, table.layout, logNumber: table.logNumber)
    new.poke(EntryTable.Word.shape, 5 << 32 | UInt64(table.layout.capacity))
    new.poke(EntryTable.Word.sum, WordSum.of((0..<EntryTable.Word.sum).map { new.peek($0) }))
    let former = try #require(
      EntryTable.open(file, byteCount: table.layout.byteCount, isWritable: true))
    for place in 0..<table.count { former.append(table.entry(at: place), at: place) }
    table.forEachShared { former.setShared($0, $1) }
    former.setState(try #require(table.state))
    let hash = table.hash(at: 0)
    #expect(former.home(of: hash, in: 511) == Int(hash & 511))
    return former.identity
  }

  @Test func `of the former version are used until the table is copied`() throws {
    var identity: UInt64 = 0
    do {
      let store = try open()
      for number in 0..<200 { try store.store([1], CacheRecord(key: key(number), at: Date())) }
      let table = try table(of: store)
      store.close()
      identity = try makeFormer(of: table)
    }
    let store = try open()

    for number in 0..<200 { #expect(store.record(for: key(number)) != nil, "\(number)") }
    for number in 0..<100 { #expect(try store.remove([key(number)]) == 1) }
    for number in 200..<250 { try store.store([1], CacheRecord(key: key(number), at: Date())) }
    #expect(store.index.fault() == nil)
    var table = try table(of: store)
    #expect(table.identity == identity && table.peek(EntryTable.Word.shape) >> 32 == 5)

    for number in 250..<400 { try store.store([1], CacheRecord(key: key(number), at: Date())) }

    table = try self.table(of: store)
    #expect(table.identity == identity && table.peek(EntryTable.Word.shape) >> 32 == 6)
    for number in 0..<400 {
      #expect((store.record(for: key(number)) != nil) == (number >= 100), "\(number)")
    }
    #expect(try store.remove(matching: .all) == 300)
    #expect(store.index.fault() == nil && store.statistics().entryCount == 0)
    #expect(directory.files(under: "cache/blobs") == [])
  }
}
