import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// What other processes would see, and the order in which they open and close the directory.
@Suite struct `Several instances on one directory`: OnDisk {
  let folder = CacheFolder()

  @Test func `staged bytes are published on commit alone, and removed without one`() async throws {
    let cache = try openCache()
    do {
      let (first, second) = (try cache.core.stage(), try cache.core.stage())
      try first.append(Array(bytes(1)[..<300]))
      try second.append(bytes(2))
      try first.append(Array(bytes(1)[300...]))
      #expect(try first.contents() == bytes(1))
      #expect(await cache.read(key("a")) == nil)

      try cache.core.commit(first, record("a"))

      #expect(await cache.read(key("a"))?.bytes == bytes(1))
      #expect(await cache.list().count == 1)
      try cache.core.commit(second, record("b"))
      #expect(await cache.read(key("b"))?.bytes == bytes(2))
      // An aborted writer leaves the old value.
      try cache.core.stage().append(bytes(3))
    }

    #expect(await cache.read(key("a"))?.bytes == bytes(1))
    #expect(files(under: "tmp") == [])
  }

  @Test func `an instance dropped during a store loses only that store`() async throws {
    let other = try openCache()
    do {
      let cache = try openCache()
      try await cache.store(bytes(1), record("a"))
      let content = bytes(2).withUnsafeBytes { CacheContent(of: $0) }
      let staged = try cache.core.stage()
      try staged.append(bytes(2))
      // Published, but without a record: as after a kill in between.
      _ = try staged.publish(as: content, in: .images)
    }

    #expect(await other.read(key("a"))?.bytes == bytes(1))
    #expect(await other.statistics().byteCount == 1000)
    #expect(try await other.collectGarbage().orphanCount == 1)
  }

  @Test func `the same bytes stored and removed by two instances at once stay readable`()
    async throws
  {
    let caches = [try openCache(), try openCache()]

    await withTaskGroup(of: Void.self) { group in
      for (number, cache) in caches.enumerated() {
        group.addTask {
          let own = "own \(number)"
          for _ in 0..<60 {
            _ = try? await cache.store(bytes(7), record(own))
            #expect(await cache.read(key(own))?.bytes == bytes(7))
            _ = try? await cache.remove([key(own)])
          }
          _ = try? await cache.store(bytes(7), record(own))
        }
      }
    }

    for number in 0..<2 {
      #expect(await caches[0].read(key("own \(number)"))?.bytes == bytes(7))
    }
    #expect(await caches[0].statistics().byteCount == 1000)
  }

  @Test func `a change of a killed writer is completed by the next one, or was never made`()
    async throws
  {
    let (cache, other) = (try openCache(), try openCache())
    try await cache.store(bytes(1), record("a"))
    #expect(await other.read(key("a"))?.bytes == bytes(1))
    let table = try #require(cache.core.index.readable()?.table)
    // Killed while the words were being written: the redo area is written again.
    var change = TableChange(of: table, try #require(table.state))
    change.state.totals.documents.count = 7
    change.seal()
    let isMade = table.apply(change)
    #expect(isMade)
    let sealed = try #require(table.state)
    table.poke(EntryTable.Word.state + 3, 12345)
    table.poke(EntryTable.Word.redo, UInt64(change.writes.count))
    table.poke(EntryTable.Word.turn, table.turn + 1)

    #expect(await other.read(key("a"))?.bytes == bytes(1))
    #expect(table.state == sealed)
    #expect(table.turn & 1 == 0)

    // Killed before all words were in the redo area: nothing was changed.
    table.poke(EntryTable.Word.redo + 3, 1)
    table.poke(EntryTable.Word.redo, UInt64(change.writes.count))
    try await other.store(bytes(2), record("a"))
    #expect(await cache.read(key("a"))?.bytes == bytes(2))
  }
}
