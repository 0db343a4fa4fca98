import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// Removals that move more buckets than the redo area has room for, and the key that keeps URLs
/// from being chosen for that.
@Suite struct `Buckets of the table`: OnDisk {
  let folder = CacheFolder()

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
