import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// What other processes would see, and the order in which they open and close the directory.
@Suite struct `Several instances on one directory` {
  let directory = TemporaryDirectory()
  let clock = ManualClock()
  let key = CacheKey.original(url: "https://example.com/a.jpg")

  func open(_ limit: Int = 16 << 20) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = limit
    let clock = clock
    configuration.clock = { clock.now }
    return try DiskCache(configuration)
  }

  func bytes(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 1000) }

  func record(_ key: CacheKey? = nil) -> CacheRecord {
    CacheRecord(key: key ?? self.key, at: clock.now)
  }

  @Test func `a store or removal of one instance is visible to the other at once`() async throws {
    let (one, other) = (try open(), try open())

    try await one.store(bytes(1), record())
    #expect(await other.read(key)?.bytes == bytes(1))
    try await other.store(bytes(2), record())
    #expect(await one.read(key)?.bytes == bytes(2))
    #expect(await one.read(key)?.bytes == bytes(2))
    try await one.remove([key])
    #expect(await other.read(key) == nil)
  }

  @Test func `removing everything and then storing keeps only the new entries`() async throws {
    let cache = try open()
    for number in 1...5 {
      try await cache.store(bytes(number), record(.original(url: "\(number)")))
    }

    #expect(try cache.core.remove(matching: .all) == 5)
    try await cache.store(bytes(9), record())

    #expect(await cache.list().map(\.key) == [key])
    #expect(directory.files(under: "cache/blobs").count == 1)
  }

  @Test func `committing one staged body leaves the others staged`() async throws {
    let cache = try open()
    let (first, second) = (try cache.core.stage(), try cache.core.stage())
    try first.append(bytes(1))
    try second.append(bytes(2))

    try cache.core.commit(first, record())

    #expect(await cache.read(key)?.bytes == bytes(1))
    #expect(await cache.list().count == 1)
    try cache.core.commit(second, record(.original(url: "second")))
    #expect(await cache.read(.original(url: "second"))?.bytes == bytes(2))
  }

  @Test func `a reader with an open file reads it completely after its removal`() async throws {
    let cache = try open()
    try await cache.store(bytes(1), record())
    let path = try #require(await cache.path(for: key))
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))

    try await cache.remove([key])

    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try file.readToEnd() == Data(bytes(1)))
  }

  @Test func `an aborted writer leaves the old value`() async throws {
    let cache = try open()
    try await cache.store(bytes(1), record())
    do {
      let staged = try cache.core.stage()
      try staged.append(bytes(2))
    }

    #expect(await cache.read(key)?.bytes == bytes(1))
    #expect(directory.files(under: "cache/tmp") == [])
  }

  @Test func `an instance dropped during a store loses only that store`() async throws {
    let other = try open()
    do {
      let cache = try open()
      try await cache.store(bytes(1), record())
      let content = bytes(2).withUnsafeBytes { CacheContent(of: $0) }
      let staged = try cache.core.stage()
      try staged.append(bytes(2))
      // Published, but without a record: as after a kill in between.
      _ = try staged.publish(as: content, in: .images)
    }

    #expect(await other.read(key)?.bytes == bytes(1))
    #expect(await other.statistics().byteCount == 1000)
    #expect(try await other.collectGarbage().orphanCount == 1)
  }

  @Test func `a store while others open the cache is not lost`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let cache = try open()
          try await cache.store(bytes(number), record(.original(url: "\(number)")))
        }
      }
      try await group.waitForAll()
    }

    let cache = try open()
    for number in 0..<8 {
      #expect(await cache.read(.original(url: "\(number)"))?.bytes == bytes(number))
    }
  }

  @Test func `the same bytes stored and removed by two instances at once stay readable`()
    async throws
  {
    let caches = [try open(), try open()]

    await withTaskGroup(of: Void.self) { group in
      for (number, cache) in caches.enumerated() {
        group.addTask {
          let own = CacheKey.original(url: "own \(number)")
          for _ in 0..<60 {
            _ = try? await cache.store(bytes(7), record(own))
            #expect(await cache.read(own)?.bytes == bytes(7))
            _ = try? await cache.remove([own])
          }
          _ = try? await cache.store(bytes(7), record(own))
        }
      }
    }

    for number in 0..<2 {
      #expect(await caches[0].read(.original(url: "own \(number)"))?.bytes == bytes(7))
    }
    #expect(await caches[0].statistics().byteCount == 1000)
  }

  @Test func `a change of one record does not reach another's`() async throws {
    let cache = try open()
    let keys = (0..<300).map { CacheKey.original(url: "https://example.com/\($0)") }
    for (number, key) in keys.enumerated() {
      try await cache.store(bytes(number % 251), record(key))
    }
    for key in keys { _ = await cache.read(key) }

    try await cache.store(bytes(252), record(keys[7]))

    for (number, key) in keys.enumerated() {
      #expect(await cache.read(key)?.bytes == bytes(number == 7 ? 252 : number % 251))
    }
  }

  @Test func `a change of a killed writer is completed by the next one, or was never made`()
    async throws
  {
    let (cache, other) = (try open(), try open())
    try await cache.store(bytes(1), record())
    #expect(await other.read(key)?.bytes == bytes(1))
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

    #expect(await other.read(key)?.bytes == bytes(1))
    #expect(table.state == sealed)
    #expect(table.turn & 1 == 0)

    // Killed before all words were in the redo area: nothing was changed.
    table.poke(EntryTable.Word.redo + 3, 1)
    table.poke(EntryTable.Word.redo, UInt64(change.writes.count))
    try await other.store(bytes(2), record())
    #expect(await cache.read(key)?.bytes == bytes(2))
  }
}
