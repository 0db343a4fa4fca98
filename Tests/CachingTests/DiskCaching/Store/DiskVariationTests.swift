import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Variants of a URL in the disk cache`: OnDisk {
  let folder = CacheFolder()
  let url = "https://a.org/a"

  /// A record as a cache makes it for a request with this `Accept`.
  func record(accepting type: String) throws -> CacheRecord {
    let answer: HTTPFields = [.vary: "Accept"]
    let vary = try #require(VaryKey(answer: answer, request: [.accept: type])).description
    var record = CacheRecord(key: .original(url: url, vary: vary), at: clock.now)
    record.headers = HeaderText(answer)
    return record
  }

  @Test func `a URL alone names the response without a selection, or the newest one`() async throws
  {
    let cache = try openCache()
    #expect(await cache.read(.original(url: url)) == nil)

    try await cache.store(bytes(1), try record(accepting: "image/webp"))
    clock.advance(by: 1)
    var newest = try record(accepting: "image/jpeg")
    newest.responseTime = clock.now
    try await cache.store(bytes(2), newest)
    #expect(await cache.read(.original(url: url))?.bytes == bytes(2))
    try cache.core.addGroup("day:1", to: [newest.key])
    #expect(await cache.groups(of: .original(url: url)) == ["day:1"])

    try await cache.store(bytes(3), CacheRecord(key: .original(url: url), at: clock.now - 100))
    #expect(await cache.read(.original(url: url))?.bytes == bytes(3))
  }

  @Test func `all variants of a URL are listed, the newest first, and no other URL's`()
    async throws
  {
    let cache = try openCache()
    let other = CacheRecord(key: .original(url: url + "x"), at: clock.now)
    try await cache.store(bytes(3), other)
    try await cache.store(bytes(3), CacheRecord(key: .document(url: url), at: clock.now))
    #expect(await cache.variations(of: url) == [])
    let older = try record(accepting: "image/webp")
    try await cache.store(bytes(1), older)
    clock.advance(by: 10)
    var newer = try record(accepting: "image/jpeg")
    newer.failure = .httpStatus
    newer.status = 404

    try cache.core.storeNegative(newer)

    #expect(await cache.variations(of: url).map(\.key) == [newer.key, older.key])
    #expect(await cache.variations(of: url).map(\.isNegative) == [true, false])
    #expect(try await openCache().variations(of: url).map(\.key) == [newer.key, older.key])
    #expect(await cache.variations(of: url + "x").map(\.key) == [other.key])
    #expect(await cache.variations(of: "") == [])
  }

  @Test func `the 65th variant evicts the least recently used that is not pinned`()
    async throws
  {
    let cache = try openCache()
    var keys: [CacheKey] = []
    for number in 0..<66 {
      var record = try record(accepting: "image/\(number)")
      if number == 0 { record.groups = ["kept"] }
      try await cache.store(bytes(number), record)
      keys.append(record.key)
      if number == 0 { _ = try await cache.setPinned(true, group: "kept") }
      // Requested after the next one was stored, by its bytes or without them.
      if number == 2 { _ = await cache.read(keys[1]) }
      if number == 4 { cache.core.touch(keys[3]) }
    }

    let kept = Set(await cache.variations(of: url).map(\.key))
    #expect(kept.count == StoredResponse.maximumVariantCount)
    #expect(Set(keys).subtracting(kept) == [keys[2], keys[1]])
    #expect(await cache.statistics().entryCount == StoredResponse.maximumVariantCount)
    #expect(try await openCache().read(keys[2]) == nil)
  }

  @Test func `a remembered miss ends with the next store, in every instance`() async throws {
    let (cache, other) = (try openCache(), try openCache())
    let record = record("a")
    for _ in 0..<2 {
      #expect(await cache.read(record.key) == nil)
      #expect(await other.read(record.key) == nil)
    }

    try await cache.store(bytes(1), record)

    #expect(await cache.read(record.key)?.bytes == bytes(1))
    #expect(await other.read(record.key)?.bytes == bytes(1))
  }
}
