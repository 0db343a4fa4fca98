import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

/// What a full cache stores that may refuse newcomers, as in `serve` and `proxy`.
@Suite struct `A newcomer that may be refused`: OnDisk {
  let folder = CacheFolder()

  /// A cache that is full of four images, each requested four times.
  private func fullCache(refusesNewcomers: Bool = true) throws -> DiskStore {
    let cache = try open {
      $0.setRoom(files: 4)
      $0.policy = .gdsfTB()
      $0.refusesNewcomers = refusesNewcomers
    }
    for name in ["a", "b", "c", "d"] {
      try cache.store(Array(name.utf8), record(name))
      for _ in 0..<3 { #expect(cache.read(key(name)) != nil) }
    }
    return cache
  }

  private func isRefused(_ name: String, by cache: DiskStore) throws -> Bool {
    do throws(ImageError) {
      try cache.store(bytes(7), record(name))
      return false
    } catch {
      guard error.code == .notAdmitted else { throw error }
      return true
    }
  }

  @Test func `is refused if it is worth less, which evicts nothing and leaves no file`() throws {
    let cache = try fullCache()

    #expect(try isRefused("x", by: cache))

    #expect(cache.read(key("x")) == nil)
    for name in ["a", "b", "c", "d"] { #expect(cache.read(key(name))?.bytes == Array(name.utf8)) }
    let counts = cache.statistics().total
    #expect(counts[.refusals] == 1 && counts[.evictions] == nil && counts[.storeFailures] == nil)
    #expect(counts[.stores] == 4)
    #expect(files(under: "blobs").count == 4 && files(under: "tmp") == [])
    #expect(try cache.collectGarbage() == GarbageReport())
    #expect(log == [])
  }

  @Test func `is stored once it was requested as often`() throws {
    let cache = try fullCache()

    let refusals = try (0..<20).prefix { _ in try isRefused("x", by: cache) }.count

    #expect(refusals == 3)
    #expect(cache.read(key("x"))?.bytes == bytes(7))
    #expect(cache.statistics().total[.evictions] == 1)
  }

  @Test func `is stored if it is requested by name, kept in a group, or has room`() throws {
    let cache = try fullCache()
    _ = try cache.setRetention(of: "day") { $0.isKept = true }

    try cache.store(bytes(1), record("named"), protecting: true)
    try cache.store(bytes(2), record("kept", groups: ["day"]))
    try cache.store(bytes(3), record("named"))
    try cache.remove([key("a"), key("b"), key("c"), key("d")])
    try cache.store(bytes(4), record("roomy"))

    #expect(cache.read(key("named"))?.bytes == bytes(3))
    #expect(cache.read(key("kept")) != nil && cache.read(key("roomy")) != nil)
    #expect(cache.statistics().total[.refusals] == nil)
  }

  @Test func `is stored by a cache that does not refuse`() throws {
    let cache = try fullCache(refusesNewcomers: false)

    #expect(try !isRefused("x", by: cache))
    #expect(cache.read(key("x")) != nil)
  }

  @Test func `replaces the bytes that it had before`() throws {
    let cache = try fullCache()

    try cache.store(bytes(9), record("a"))

    #expect(cache.read(key("a"))?.bytes == bytes(9))
  }
}
