import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Disk upkeep` {
  let directory = TemporaryDirectory()
  let clock = ManualClock()

  func open(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 16 << 20
    let clock = clock
    configuration.clock = { clock.now }
    change(&configuration)
    return try DiskCache(configuration)
  }

  func key(_ number: Int) -> CacheKey { .original(url: "https://example.com/\(number).jpg") }

  func bytes(_ number: Int, count: Int = 1000) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 7 &+ number >> 8) }
  }

  func fill(_ cache: DiskCache, _ numbers: Range<Int>) async throws {
    for number in numbers {
      try await cache.store(bytes(number), CacheRecord(key: key(number), at: clock.now))
      clock.advance(by: 1)
    }
  }

  func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    try FileManager.default.removeItem(atPath: path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test func `verifying finds each kind of damage, and repairing removes it`() async throws {
    let cache = try open()
    try await fill(cache, 0..<5)
    var paths: [String] = []
    for number in 0..<5 { paths.append(try #require(await cache.path(for: key(number)))) }
    var flipped = bytes(1)
    flipped[0] ^= 1
    try overwrite(paths[1], flipped)
    try overwrite(paths[2], Array(bytes(2).dropLast()))
    try FileManager.default.removeItem(atPath: paths[3])

    let report = try await cache.verify()

    #expect(report.entryCount == 5)
    #expect(report.damages.map(\.key) == [key(1), key(2), key(3)])
    #expect(report.damages[1].reason.contains("999"))
    #expect(!report.isRepaired)
    #expect(try await cache.verify(repair: true).isRepaired)
    #expect(try await cache.verify().damages == [])
    #expect(await cache.statistics().entryCount == 2)
    #expect(await cache.statistics().byteCount == 2000)
  }

  @Test func `an empty cache has nothing to verify`() async throws {
    let report = try await open().verify()

    #expect(!report.isDamaged)
    #expect(report.entryCount == 0)
  }

  @Test func `collecting garbage removes files without a record and nothing else`()
    async throws
  {
    let cache = try open()
    try await fill(cache, 0..<3)
    let orphan = directory.path("cache/blobs/ab/" + String(repeating: "ab", count: 32))
    try FileManager.default.createDirectory(
      atPath: directory.path("cache/blobs/ab"), withIntermediateDirectories: true)
    try Data(bytes(9)).write(to: URL(fileURLWithPath: orphan))
    let leftovers = ["cache/tmp/1x9z-7", "cache/tmp/00/2abc-1"].map(directory.path)
    try FileManager.default.createDirectory(
      atPath: directory.path("cache/tmp/00"), withIntermediateDirectories: true)
    for path in leftovers { try Data(bytes(9)).write(to: URL(fileURLWithPath: path)) }
    let written = try cache.core.stage()
    try written.append(bytes(8))
    clock.advance(by: Date().timeIntervalSince(clock.now) + 3600)

    let report = try await cache.collectGarbage()

    #expect(report.orphanCount == 1)
    #expect(report.orphanByteCount == 1000)
    #expect(report.leftoverCount == 2)
    #expect(!FileManager.default.fileExists(atPath: orphan))
    for path in leftovers { #expect(!FileManager.default.fileExists(atPath: path)) }
    try cache.core.commit(written, CacheRecord(key: key(8), at: clock.now))
    for number in [0, 1, 2, 8] { #expect(await cache.read(key(number))?.bytes == bytes(number)) }
    #expect(try await cache.collectGarbage() == GarbageReport())
  }

  @Test func `collecting garbage enforces a lowered limit`() async throws {
    try await fill(try open(), 0..<6)
    let cache = try open { $0.setRoom(files: 4) }

    let report = try await cache.collectGarbage()

    #expect(report.evictedCount == 2)
    #expect(await cache.statistics().lastRun[.evictions] == 2)
    #expect(await cache.record(for: key(0)) == nil)
    #expect(await cache.statistics().byteCount == 4000)
  }

  @Test func `an explanation gives the disk's decision and its reason`() async throws {
    let cache = try open()
    var record = CacheRecord(key: key(1), at: clock.now)
    record.headers = HeaderText([.cacheControl: "max-age=60", .eTag: "\"1\""])
    try await cache.store(bytes(1), record)
    record.key = key(2)
    record.failure = .httpStatus
    record.expires = clock.now + 10
    try cache.core.storeNegative(record)

    #expect(await cache.explain(key(1)).verdict == .fresh(remaining: 60))
    #expect(await cache.explain(key(2)).verdict == .negative(.httpStatus, until: clock.now + 10))
    #expect(await cache.explain(key(3)).verdict == .absent)
    clock.advance(by: 61)
    #expect(await cache.explain(key(1)).verdict == .revalidate(mayServeOnError: false))
    #expect(await cache.explain(key(1)).sentence.contains("If-None-Match: \"1\""))
    #expect(await cache.explain(key(2)).verdict == .absent)
    try overwrite(try #require(await cache.path(for: key(1))), bytes(7))
    guard case .damaged = await cache.explain(key(1)).verdict else {
      Issue.record("the damage was not seen")
      return
    }
  }

  @Test func `an access time in the future does not keep an entry forever`() async throws {
    do {
      clock.advance(by: 365 * 86400)
      try await fill(try open(), 0..<1)
      clock.advance(by: -365 * 86400)
    }
    let cache = try open { $0.setRoom(files: 3) }

    try await fill(cache, 1..<4)

    #expect(await cache.record(for: key(0)) == nil)
    #expect(await cache.record(for: key(3)) != nil)
  }

  @Test func `another policy ranks the stored entries again`() async throws {
    do {
      let cache = try open()
      try await cache.store(bytes(0, count: 3 * 4096), CacheRecord(key: key(0), at: clock.now))
      try await fill(cache, 1..<3)
      _ = await cache.read(key(0))
    }
    let cache = try open {
      $0.policy = .gdsfTB()
      $0.setRoom(files: 5)
    }

    try await fill(cache, 3..<4)

    #expect(await cache.record(for: key(0)) == nil)
    for number in 1..<4 { #expect(await cache.record(for: key(number)) != nil) }
  }

  @Test func `under GDSF-TB small and frequent entries stay, and frequency outlives eviction`()
    async throws
  {
    let cache = try open {
      $0.policy = .gdsfTB()
      $0.setRoom(files: 4)
    }
    try await fill(cache, 0..<3)
    for _ in 0..<6 { _ = await cache.read(key(1)) }
    cache.core.flush()

    // A large entry evicts the two that were not requested again.
    try await cache.store(bytes(9, count: 3 * 4096), CacheRecord(key: key(9), at: clock.now))
    #expect(await cache.record(for: key(0)) == nil)
    #expect(await cache.record(for: key(2)) == nil)
    #expect(await cache.record(for: key(1)) != nil)

    // The frequent one is evicted by the next, larger than all together, and remembered.
    try await cache.store(bytes(8, count: 4 * 4096), CacheRecord(key: key(8), at: clock.now))
    #expect(await cache.record(for: key(1)) == nil)
    try await fill(cache, 1..<2)
    #expect(try #require(await cache.record(for: key(1))).accessCount == 8)
    try await fill(cache, 0..<1)
    #expect(try #require(await cache.record(for: key(0))).accessCount == 2)
  }

  @Test func `damage in the middle of the index loses only the records it hit`()
    async throws
  {
    do {
      let cache = try open()
      try await fill(cache, 0..<200)
      await cache.close()
    }
    let path = directory.path("cache/index.records.1")
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for index in file.count / 2..<file.count / 2 + 4096 { file[index] = 0x5A }
    try Data(file).write(to: URL(fileURLWithPath: path))

    let cache = try open()
    _ = try await cache.verify(repair: true)

    var count = 0
    for number in 0..<200 where await cache.read(key(number))?.bytes == bytes(number) {
      count += 1
    }
    #expect(count > 100)
    #expect(!(try await cache.verify().isDamaged))
    #expect(await cache.statistics().entryCount == count)
  }

  @Test func `compaction keeps every entry while another reader continues`() async throws {
    let cache = try open { $0.maximumByteCount = 1 << 30 }
    try await fill(cache, 0..<400)
    let other = try open()
    #expect(await other.read(key(399)) != nil)
    try await cache.remove((0..<390).map { key($0) })
    let before = await cache.list().map(\.key)

    _ = try await cache.collectGarbage()

    #expect(await cache.list().map(\.key) == before)
    for number in 390..<400 { #expect(await other.read(key(number))?.bytes == bytes(number)) }
    #expect(await other.read(key(1)) == nil)
  }
}
