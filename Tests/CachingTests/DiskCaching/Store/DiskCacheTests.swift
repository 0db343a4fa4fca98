import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Disk cache`: OnDisk {
  let folder = CacheFolder()

  @Test func `an original is a read-only file named by its hash`() async throws {
    let cache = try openCache()

    let stored = try await cache.store(bytes(1), record("a"))

    let file = try #require(await cache.path(for: key("a")))
    let hex = try #require(stored.content?.hash.hex)
    #expect(file == path("blobs/\(hex.prefix(2))/\(hex)"))
    #expect(FileManager.default.contents(atPath: file).map { [UInt8]($0) } == bytes(1))
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o444)
    #expect(files(under: "tmp") == [])
  }

  @Test func `documents do not count towards the limit`() async throws {
    let cache = try openCache { $0.setRoom(files: 1) }
    try await cache.store(bytes(1), record("a"))
    for index in 1...3 {
      let key = CacheKey.document(url: "\(index)")
      try await cache.store(bytes(10 + index), CacheRecord(key: key, at: clock.now))
    }

    #expect(await cache.read(key("a")) != nil)
    #expect(await cache.statistics().documentCount == 3)
    #expect(await cache.statistics().documentByteCount == 3000)
    #expect(await cache.statistics().byteCount == 1000)
  }

  @Test func `an entry older than the maximum age is removed by a write`() async throws {
    let cache = try openCache { $0.maximumAge = .seconds(60) }
    try await cache.store(bytes(1), record("a"))
    clock.advance(by: 61)

    try await cache.store(bytes(2), record("b"))

    #expect(await cache.record(for: key("a")) == nil)
    #expect(await cache.record(for: key("b")) != nil)
  }

  @Test func `a placeholder is added once, and only to the bytes it was made from`() async throws {
    let cache = try openCache()
    let old = try await cache.store(bytes(1), record("a"))
    let new = try await cache.store(bytes(2), record("a"))

    await cache.addPlaceholder(thumbHash: [1], dominantColor: 1, of: old)
    #expect(await cache.record(for: key("a"))?.thumbHash == [])
    await cache.addPlaceholder(thumbHash: [2], dominantColor: 2, of: new)
    await cache.addPlaceholder(thumbHash: [3], dominantColor: 3, of: new)

    let record = await cache.record(for: key("a"))
    #expect(record?.thumbHash == [2] && record?.dominantColor == 2)
    #expect(record?.content == new.content)
  }

  @Test func `counts and accesses are persisted together`() async throws {
    do {
      let cache = try openCache()
      try await cache.store(bytes(1), record("a"))
      for _ in 0..<5 { _ = await cache.read(key("a")) }
      _ = await cache.read(key("b"))
      cache.countMemory(hits: 7, misses: 2)
    }
    let cache = try openCache()
    let statistics = await cache.statistics()
    #expect(statistics.total[.diskHits] == 5)
    #expect(statistics.total[.diskMisses] == 1)
    #expect(statistics.lastRun[.memoryHits] == 7 && statistics.lastRun[.memoryMisses] == 2)
    #expect(await cache.record(for: key("a"))?.accessCount == 6)

    _ = await cache.read(key("a"))

    #expect(await cache.statistics().lastRun == [.diskHits: 1])
    #expect(await cache.statistics().total[.diskHits] == 6)
  }

  @Test func `an empty key stores nothing and finds nothing`() async throws {
    let cache = try openCache()

    let refusal = await imageError {
      try await cache.store(bytes(1), CacheRecord(key: .original(url: ""), at: clock.now))
    }

    #expect(refusal?.code == .storeFailed)
    #expect(await cache.read(.original(url: "")) == nil)
    #expect(await cache.statistics().entryCount == 0)
  }

  @Test func `a directory removed from outside is recreated by the next write`() async throws {
    let cache = try openCache()
    try await cache.store(bytes(1), record("a"))
    try FileManager.default.removeItem(atPath: folder.directory.path("cache"))
    #expect(await cache.read(key("a")) == nil)

    try await cache.store(bytes(2), record("b"))

    #expect(await cache.read(key("b"))?.bytes == bytes(2))
    #expect(try await openCache().read(key("b"))?.bytes == bytes(2))
  }

  @Test(arguments: ["index.table", "index.records.1", "version"], [50_000, 100, 0])
  func `a garbage index is rebuilt, with a warning where something was lost`(
    name: String, count: Int
  ) async throws {
    do {
      let cache = try openCache()
      try await cache.store(bytes(1), record("a"))
    }
    try overwrite(path(name), bytes(7, count: count))
    let cache = try openCache()

    // Without its log the index is lost.
    let kept = name == "index.records.1" ? nil : bytes(1)
    #expect(await cache.read(key("a"))?.bytes == kept)
    try await cache.store(bytes(1), record("a"))
    #expect(log.count == (name == "version" ? 0 : 1))
    #expect(await cache.read(key("a"))?.bytes == bytes(1))
    #expect(try await openCache().read(key("a"))?.bytes == bytes(1))
    #expect(await cache.statistics().entryCount == 1)
  }

  @Test(arguments: ["index.table", "index.records.1", "version", "index.lock"])
  func `an index file removed while the cache is open is rebuilt`(
    name: String
  ) async throws {
    let cache = try openCache()
    try await cache.store(bytes(1), record("a"))
    let other = try openCache()
    try FileManager.default.removeItem(atPath: path(name))

    try await cache.store(bytes(2), record("b"))
    try await other.store(bytes(3), record("c"))

    let third = try openCache()
    for cache in [cache, other, third] {
      #expect(await cache.read(key("b"))?.bytes == bytes(2))
      #expect(await cache.read(key("c"))?.bytes == bytes(3))
    }
  }
}
