import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `A store that does not fit` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func open(
    _ change: (inout DiskCache.Configuration) -> Void, files: FaultyFileSystem = .init()
  ) throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: folder / "cache")
    change(&configuration)
    return try DiskStore(configuration, files: files)
  }

  private func record(_ key: CacheKey) -> CacheRecord { CacheRecord(key: key, at: Date()) }

  private func error(
    storing byteCount: Int, as key: CacheKey = .original(url: "https://a.org/x"),
    in cache: DiskStore
  ) -> ImageError? {
    #expect(throws: ImageError.self) {
      try cache.store(
        [UInt8](repeating: 1, count: byteCount), record(key))
    }
  }

  @Test func `into an empty cache names its size, what there is for files and the setting`() throws
  {
    let cache = try open { $0.setRoom(files: 4) }

    let error = error(storing: 5 * 4_096, in: cache)

    #expect(error?.code == .cacheFull)
    #expect(
      error?.message == """
        https://a.org/x has 20 KiB, more than the 16 KiB that \
        DiskCache.Configuration.maximumByteCount 16 KiB leaves for files; raise \
        DiskCache.Configuration.maximumByteCount
        """)
    #expect(cache.statistics().total[.storeFailures] == 1)
    try cache.store(
      [UInt8](repeating: 1, count: 4 * 4_096), record(.original(url: "https://a.org/x")))
  }

  @Test func `under the default limit says where that comes from`() throws {
    let files = FaultyFileSystem()
    files.set(freeByteCount: 4 << 20, of: 4 << 20)
    let cache = try open({ _ in }, files: files)

    let error = error(storing: 2 << 20, in: cache)

    #expect(error?.code == .cacheFull)
    #expect(
      error?.message == """
        https://a.org/x has 2 MiB, more than the 764 KiB that the limit of 1 MiB that the cache was \
        made with leaves for files; raise DiskCache.Configuration.maximumByteCount
        """)
  }

  @Test func `beside what was asked for says so`() throws {
    let cache = try open { $0.setRoom(files: 2) }
    for name in ["a", "b"] {
      try cache.store(
        Array(name.utf8), record(.original(url: "https://a.org/\(name)")), protecting: true)
    }

    let error = error(storing: 5_000, in: cache)

    #expect(error?.code == .cacheFull)
    #expect(
      error?.message == """
        https://a.org/x (4.9 KiB) does not fit: requested entries and the index fill the \
        8 KiB of the cache; raise DiskCache.Configuration.maximumByteCount
        """)
    // Nothing was evicted for it, and no file is left.
    #expect(cache.statistics().entryCount == 2)
    #expect(cache.statistics().total[.evictions] ?? 0 == 0)
    #expect(try cache.collectGarbage() == GarbageReport())
  }

  @Test func `does not keep smaller ones from being stored`() throws {
    let cache = try open { $0.setRoom(files: 3) }
    try cache.store([1], record(.original(url: "https://a.org/a")), protecting: true)
    try cache.store([2], record(.original(url: "https://a.org/b")))
    _ = error(storing: 3 * 4_096, in: cache)

    try cache.store(
      [UInt8](repeating: 3, count: 2 * 4_096), record(.original(url: "https://a.org/c")))

    #expect(cache.record(for: .original(url: "https://a.org/a")) != nil)
    #expect(cache.record(for: .original(url: "https://a.org/b")) == nil)
    #expect(cache.statistics().total[.evictions] == 1)
  }
}
