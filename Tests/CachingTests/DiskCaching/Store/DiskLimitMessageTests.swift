import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `A store that does not fit`: OnDisk {
  let folder = CacheFolder()

  /// The message after the name of the entry.
  private func refusal(of byteCount: Int, in cache: DiskStore) -> String? {
    let error = #expect(throws: ImageError.self) {
      try cache.store(bytes(1, count: byteCount), record("x"))
    }
    #expect(error?.code == .cacheFull)
    return error.map { $0.message.replacing("https://a.org/x ", with: "") }
  }

  @Test func `into an empty cache names its size, what there is for files and the setting`() throws
  {
    let cache = try open { $0.setRoom(files: 4) }

    #expect(
      refusal(of: 5 * 4_096, in: cache) == """
        has 20 KiB, more than the 16 KiB that the limit of 16 KiB leaves for files; raise \
        DiskCache.Configuration.maximumByteCount
        """)
    #expect(cache.statistics().total[.storeFailures] == 1)
    #expect(files(under: "blobs") == [])
    try cache.store(bytes(1, count: 4 * 4_096), record("x"))
  }

  /// A file takes whole blocks, so 18 KiB have room for 16 KiB.
  @Test(arguments: [
    (17_000, "has 17 KiB, more than the 16 KiB that"),
    (18_432, "has 18 KiB, more than the 16 KiB that"),
    (16_385, "has 16,385 B, more than the 16,384 B that"),
  ])
  func `names less than the file has, also where the limit is not whole blocks`(
    byteCount: Int, text: String
  ) throws {
    let cache = try open { ($0.maximumByteCount, $0.countsOverhead) = (18 << 10, false) }

    #expect(refusal(of: byteCount, in: cache)?.hasPrefix(text) == true)
  }

  @Test func `under the default limit names that`() throws {
    let files = FaultyFileSystem()
    files.set(freeByteCount: 4 << 20, of: 4 << 20)

    #expect(
      refusal(of: 2 << 20, in: try open(files)) == """
        has 2 MiB, more than the 764 KiB that the limit of 1 MiB leaves for files; raise \
        DiskCache.Configuration.maximumByteCount
        """)
  }

  @Test func `beside what was asked for says so, and evicts nothing`() throws {
    let cache = try open { $0.setRoom(files: 3) }
    for name in ["a", "b"] { try cache.store(Array(name.utf8), record(name), protecting: true) }
    try cache.store([3], record("c"))

    #expect(
      refusal(of: 5_000, in: cache) == """
        (4.9 KiB) does not fit: requested entries and the index fill the 12 KiB of the cache; \
        raise DiskCache.Configuration.maximumByteCount
        """)
    #expect(cache.statistics().entryCount == 3)
    #expect(cache.statistics().total[.evictions] ?? 0 == 0)
    #expect(try cache.collectGarbage() == GarbageReport())
    // A smaller one finds its place.
    try cache.store(bytes(4), record("d"))
    #expect(cache.read(key("a")) != nil && cache.read(key("c")) == nil)
    #expect(cache.statistics().total[.evictions] == 1)
  }

  @Test func `a limit that is set while the cache is open holds at once, for what is evictable`()
    async throws
  {
    let cache = try open { $0.setRoom(files: 6) }
    try cache.store(bytes(0), record("asked for"), protecting: true)
    for number in 1..<6 { try cache.store(bytes(number), record("\(number)")) }
    let (limit, open) = (cache.limit, DiskCache(cache))
    try await open.setMaximumByteCount(limit - 4 * 4_096)

    var statistics = await open.statistics()
    #expect(statistics.entryCount == 2)
    #expect(statistics.maximumByteCount == limit - 4 * 4_096)
    #expect(cache.read(key("asked for")) != nil)

    try await open.setMaximumByteCount(limit)
    for number in 6..<10 { try cache.store(bytes(number), record("\(number)")) }
    statistics = await open.statistics()
    #expect(statistics.entryCount == 6)
  }
}
