import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import imgcache
@testable import TestSupport

/// Stores that try to grow a cache directory beyond its limit: the allocated size on disk
/// is measured, not the cache's own count.
@Suite struct `A cache filled on purpose` {
  static let limit = 1_000_000

  let directory = TemporaryDirectory()
  let clock = ManualClock()

  func open(_ limit: Int = limit, durability: DiskCache.Durability = .relaxed) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = limit
    configuration.durability = durability
    let clock = clock
    configuration.clock = { clock.now }
    return try DiskCache(configuration)
  }

  var allocated: Int { AllocatedSize.byteCount(of: directory.path("cache")) }

  func key(_ number: Int) -> CacheKey { .original(url: "https://example.com/images/\(number).jpg") }

  func bytes(_ number: Int, count: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number)) { Array($0) } + [UInt8](repeating: 1, count: count)
  }

  func record(_ number: Int, headers: String = "") -> CacheRecord {
    var record = CacheRecord(key: key(number), at: clock.now)
    record.headers = HeaderText(text: "etag: \"\(number)\"\nx-padding: \(headers)\n")
    return record
  }

  func negative(_ number: Int) -> CacheRecord {
    var record = record(number)
    record.failure = .httpStatus
    record.status = 404
    record.expires = clock.now + 60
    return record
  }

  @Test func `many small files stay within the limit`() async throws {
    let cache = try open()

    for number in 0..<800 {
      try await cache.store(bytes(number, count: 1), record(number))
      clock.advance(by: 1)
      if number % 100 == 99 { #expect(allocated <= Self.limit) }
    }

    #expect(allocated <= Self.limit)
    #expect(await cache.statistics().countedByteCount <= Self.limit)
    // The limit is used: a file of one byte takes a block, and its folder another.
    #expect(await cache.statistics().entryCount > 60)
    await cache.close()
    #expect(allocated <= Self.limit)
  }

  @Test func `many distinct 404s stay within their bound and evict no image`()
    async throws
  {
    let cache = try open()
    for number in 0..<20 { try await cache.store(bytes(number, count: 8000), record(number)) }

    for number in 1000..<6000 {
      try cache.core.storeNegative(negative(number))
      clock.advance(by: 0.001)
    }

    #expect(allocated <= Self.limit)
    let statistics = await cache.statistics()
    #expect(statistics.entryCount == 20)
    #expect(
      statistics.negativeCount <= DiskBudget(maximumByteCount: Self.limit).maximumNegativeCount)
    #expect(statistics.negativeCount > 50)
    #expect(await cache.record(for: key(5999)) != nil)
    await cache.close()
    #expect(allocated <= Self.limit)
  }

  @Test func `long header fields count, whether stored at once or by a 304`() async throws {
    let cache = try open()

    for number in 0..<120 {
      try await cache.store(
        bytes(number, count: 10), record(number, headers: String(repeating: "x", count: 30_000)))
      clock.advance(by: 1)
      #expect(allocated <= Self.limit)
    }
    for number in 0..<120 {
      try cache.core.update(record(number, headers: String(repeating: "y", count: 60_000)))
      #expect(allocated <= Self.limit)
    }

    #expect(await cache.statistics().entryCount > 0)
    #expect(try await cache.verify().damages.map(\.reason) == [])
  }

  @Test func `entries overwritten repeatedly leave nothing behind`() async throws {
    let cache = try open()

    for number in 0..<600 {
      try await cache.store(bytes(number, count: 30_000), record(number % 40))
      clock.advance(by: 1)
      if number % 50 == 49 { #expect(allocated <= Self.limit) }
    }

    // Each entry has one file, and those of replaced bodies are removed at once.
    #expect(await cache.statistics().entryCount == directory.files(under: "cache/blobs").count)
    #expect(allocated <= Self.limit)
  }

  @Test func `interleaved readers do not make the log grow`() async throws {
    let cache = try open()
    let other = try open()

    for number in 0..<600 {
      try await cache.store(bytes(number, count: 10), record(number))
      _ = await other.read(key(number))
      if number % 50 == 0 { _ = await other.list() }
    }

    #expect(allocated <= Self.limit)
  }

  @Test func `a lowered limit is enforced by the next store, the index included`() async throws {
    do {
      let cache = try open(64 << 20)
      for number in 0..<1500 {
        try await cache.store(
          bytes(number, count: 10), record(number, headers: String(repeating: "z", count: 1000)))
      }
    }
    #expect(allocated > 3 * Self.limit)
    let cache = try open()

    _ = try await cache.collectGarbage()

    #expect(allocated <= Self.limit)
    #expect(await cache.statistics().entryCount > 40)
    try await cache.store(bytes(9999, count: 10), record(9999))
    #expect(allocated <= Self.limit)
    #expect(await cache.read(key(9999)) != nil)
  }

  @Test func `many entries of the same bytes stay within the limit`() async throws {
    let cache = try open()

    for number in 0..<3000 {
      try await cache.store(
        bytes(1, count: 10), record(number, headers: String(repeating: "y", count: 1000)))
      clock.advance(by: 0.001)
    }

    #expect(allocated <= Self.limit)
    let statistics = await cache.statistics()
    #expect(statistics.entryCount > 20)
    #expect(await cache.read(key(2999))?.bytes == bytes(1, count: 10))
    // What replaces the last entry with its bytes, and then others, is counted as their file is
    // removed and added.
    for number in 3000..<3100 {
      try await cache.store(bytes(number, count: 20_000), record(number))
    }
    try await cache.store(bytes(1, count: 10), record(5000))
    #expect(await cache.read(key(5000))?.bytes == bytes(1, count: 10))
    #expect(allocated <= Self.limit)
    #expect(try await cache.verify().damages.isEmpty)
    await cache.close()
    #expect(allocated <= Self.limit)
  }

  @Test func `a limit too small for the index is refused with the required size`() async throws {
    let cache = try open(100_000)

    let error = await #expect(throws: ImageError.self) {
      try await cache.store(bytes(1, count: 10), record(1))
    }

    #expect(error?.code == .cacheFull)
    let least = DiskBudget(maximumByteCount: 100_000).leastByteCount
    let message = try #require(error).message.namingOptions
    #expect(message.contains("the limit of 98 KiB is too small"))
    #expect(message.contains("use --max-size \(least / 1024)KiB or more"))
    await cache.close()
    let enough = try open(least)
    try await enough.store(bytes(1, count: 10), record(1))
    #expect(await enough.read(key(1)) != nil)
  }

  @Test(.needsProgram) func `a set that does not fit ends prefetch with status 2`() async throws {
    let outcome = try await Tool.imgcache.run([
      "prefetch", "--sample", "--max-size", "280000", "--no-keep", "--cache-dir",
      directory.path("cache"),
    ])

    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--max-size"))
  }

  @Test(.needsProgram)
  func `a cached set above a lower limit ends prefetch with status 2 and an error`() async throws {
    let prefetch = ["prefetch", "--sample", "--quiet", "--cache-dir", directory.path("cache")]
    #expect(try await Tool.imgcache.run(prefetch).status == 0)

    let outcome = try await Tool.imgcache.run(prefetch + ["--max-size", "10", "--json"])

    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error: requested entries and the index take"))
    #expect(outcome.errors.contains("raise --max-size"))
    #expect(
      outcome.output.contains(#"{"event":"error","status":"failed","error":{"code":"cache_full""#))
  }

  @Test(arguments: [0, 1, 100_000, 1 << 20, 64 << 20, 10 << 30, 1 << 50])
  func `the shares of a limit add up`(limit: Int) {
    let budget = DiskBudget(maximumByteCount: limit)
    let database = budget.maximumIndexByteCount
    let index = budget.indexByteCount(database)

    #expect(index >= budget.minimumIndexByteCount)
    #expect(index <= max(limit / 4, budget.minimumIndexByteCount + 128 << 10))
    #expect(budget.fileRoom(indexByteCount: database) == limit - index)
    #expect(budget.folderByteCount(fileCount: 0) == 0)
    #expect([0, 1, 4096, 4097, .max].map(BlobStore.counted) == [0, 4096, 4096, 8192, .max])
    #expect(budget.folderByteCount(fileCount: 5000) >= budget.folderByteCount(fileCount: 4999))
  }
}
