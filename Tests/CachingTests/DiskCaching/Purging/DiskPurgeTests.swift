import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Purges of a cache directory`: OnDisk {
  let folder = CacheFolder()

  private func original(_ url: String, _ fields: HTTPFields = [:]) -> CacheRecord {
    var record = CacheRecord(key: .original(url: url), at: clock.now)
    record.headers = HeaderText(fields)
    return record
  }

  /// Stores an original and a thumbnail of it.
  @discardableResult
  private func store(
    _ url: String, _ seed: UInt8, in cache: DiskCache, _ fields: HTTPFields = [:],
    groups: Set<String> = []
  ) async throws -> (original: CacheKey, variant: CacheKey) {
    var record = original(url, fields)
    record.groups = groups
    let stored = try await cache.store([UInt8](repeating: seed, count: 5000), record)
    let variant = CacheKey.variant(
      source: stored.content?.hash.hex ?? "", recipe: "40x30")
    if !(await cache.holds(variant)) {
      try await cache.store([seed, 1, 2], CacheRecord(key: variant, at: clock.now))
    }
    return (record.key, variant)
  }

  @Test func `a thumbnail stays while another URL has the same bytes`() async throws {
    let cache = try openCache()
    let first = try await store("https://example.org/a.jpg", 1, in: cache)
    let second = try await store("https://example.org/same.jpg", 1, in: cache)
    #expect(first.variant == second.variant)

    #expect(try await cache.purge(CachePurge(urls: ["https://example.org/a.jpg"])) == 1)
    #expect(await cache.holds(second.variant))
    #expect(try await cache.purge(CachePurge(urls: ["https://example.org/same.jpg"])) == 2)
    #expect(await cache.statistics().entryCount == 0)
  }

  @Test func `a load that began before a purge is not stored, in any instance`()
    async throws
  {
    let (cache, other) = (try openCache(), try openCache())
    let url = "https://example.org/a.jpg"
    let early = original(url)
    let thumbnail = CacheRecord(key: .variant(source: "\(url)-hash", recipe: "r"), at: clock.now)
    clock.advance(by: 1)
    try await cache.purge(CachePurge(urls: [url]))
    clock.advance(by: 1)

    await #expect(throws: ImageError.self) { try await other.store([1], early) }
    // A table that is made again keeps the time of the purge.
    try other.core.index.rebuild()
    await #expect(throws: ImageError.self) { try await cache.store([1], early) }
    #expect(throws: ImageError.self) { try other.core.store([1], thumbnail, of: early) }
    #expect(throws: ImageError.self) { try cache.core.storeNegative(early) }
    try await other.store([1], original("https://example.org/b.jpg"))
    try await other.store([2], original(url))

    #expect(await cache.read(.original(url: url))?.bytes == [2])
    #expect(try await openCache().purge(CachePurge(urls: [url])) == 1)
  }

  @Test func `a 304 requested before a purge changes nothing`() async throws {
    let cache = try openCache()
    let url = "https://example.org/a.jpg"
    let early = original(url)
    clock.advance(by: 1)
    try await cache.purge(CachePurge(tags: [.source(url)]))
    clock.advance(by: 1)
    let stored = try await cache.store([1], original(url, [.eTag: "\"new\""]))

    try cache.core.update(early)

    #expect(await cache.record(for: stored.key)?.entityTag == "\"new\"")
  }

  @Test func `a purge no longer noted by URL affects loads, not stored entries`()
    async throws
  {
    let cache = try openCache()
    let kept = try await store("https://example.org/kept.jpg", 1, in: cache)
    let original = try #require(await cache.record(for: kept.original))
    clock.advance(by: 1)
    let early = clock.now
    clock.advance(by: 1)
    try await cache.purge(CachePurge(urls: (0..<65).map { "https://a.b/\($0)" }))
    clock.advance(by: 1)
    let variant = CacheRecord(key: .variant(source: "\(kept.variant)", recipe: "r"), at: clock.now)

    #expect(throws: ImageError.self) {
      try cache.core.store([1], variant, of: original, begun: early)
    }
    try cache.core.store([1], variant, of: original, begun: clock.now)
    var described = original
    described.thumbHash = [1, 2, 3]
    try cache.core.update(described)

    #expect(await cache.holds(variant.key))
    #expect(await cache.record(for: kept.original)?.thumbHash == [1, 2, 3])
  }

  @Test func `the partial body of a failed transfer is purged, too`() async throws {
    let cache = try openCache()
    let url = "https://example.org/a.jpg"
    let partials = PartialStore(blobs: cache.core.blobs)
    do {
      let partial = try #require(try partials.openPartial(for: url))
      try partial.restart(validator: "\"1\"", expectedByteCount: 10)
      try partial.append([UInt8](repeating: 1, count: 5).span.bytes)
    }
    #expect(partials.keepsPartial(of: url))

    try await cache.purge(CachePurge(urls: [url]))

    #expect(!partials.keepsPartial(of: url))
    #expect(files(under: "partial") == [])
  }

  @Test func `removing a group removes the thumbnails that are not in it`() async throws {
    let cache = try openCache()
    let own = try await store("https://example.org/a", 1, in: cache, groups: ["day:1"])
    let both = try await store("https://example.org/b", 2, in: cache, groups: ["day:1", "day:2"])

    #expect(try await cache.removeGroup("day:1") == 2)

    #expect(!(await cache.holds(own.variant)))
    #expect(await cache.holds(both.original))
    #expect(await cache.holds(both.variant))
    #expect(await cache.groups() == ["day:2"])
  }
}
