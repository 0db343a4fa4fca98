import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Disk upkeep`: OnDisk {
  let folder = CacheFolder()

  func fill(_ cache: DiskCache, _ numbers: Range<Int>) async throws {
    for number in numbers {
      try await cache.store(bytes(number), record(number))
      clock.advance(by: 1)
    }
  }

  @Test func `collecting garbage removes files without a record and nothing else`()
    async throws
  {
    let cache = try openCache()
    try await fill(cache, 0..<3)
    let orphan = "blobs/ab/" + String(repeating: "ab", count: 32)
    let leftovers = ["tmp/1x9z-7", "tmp/00/2abc-1"]
    for name in [orphan] + leftovers {
      let url = URL(fileURLWithPath: path(name))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes(9)).write(to: url)
    }
    let written = try cache.core.stage()
    try written.append(bytes(8))
    clock.advance(by: Date().timeIntervalSince(clock.now) + 3600)

    let report = try await cache.collectGarbage()

    #expect(report.orphanCount == 1)
    #expect(report.orphanByteCount == 1000)
    #expect(report.leftoverCount == 2)
    for name in [orphan] + leftovers { #expect(!exists(name)) }
    try cache.core.commit(written, record(8))
    for number in [0, 1, 2, 8] { #expect(await cache.read(key(number))?.bytes == bytes(number)) }
    #expect(try await cache.collectGarbage() == GarbageReport())
  }

  @Test func `an explanation gives the disk's decision and its reason`() async throws {
    let cache = try openCache()
    var record = record(1, [.cacheControl: "max-age=60", .eTag: "\"1\""])
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
      try await fill(try openCache(), 0..<1)
      clock.advance(by: -365 * 86400)
    }
    let cache = try openCache { $0.setRoom(files: 3) }

    try await fill(cache, 1..<4)

    #expect(await cache.record(for: key(0)) == nil)
    #expect(await cache.record(for: key(3)) != nil)
  }

  @Test func `damage in the middle of the index loses only the records it hit`()
    async throws
  {
    do {
      let cache = try openCache()
      try await fill(cache, 0..<200)
      await cache.close()
    }
    let url = URL(fileURLWithPath: path("index.records.1"))
    var file = [UInt8](try Data(contentsOf: url))
    for index in file.count / 2..<file.count / 2 + 4096 { file[index] = 0x5A }
    try Data(file).write(to: url)

    let cache = try openCache()
    _ = try await cache.verify(repair: true)

    let count = (0..<200).count { cache.core.read(key($0))?.bytes == bytes($0) }
    #expect(count > 100)
    #expect(!(try await cache.verify().isDamaged))
    #expect(await cache.statistics().entryCount == count)
  }
}
