import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Variants of a URL in the disk cache` {
  let directory = TemporaryDirectory()
  let clock = ManualClock()
  let url = "https://example.com/a.jpg"

  func open(files: Int = 256) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.setRoom(files: files)
    let clock = clock
    configuration.clock = { clock.now }
    return try DiskCache(configuration)
  }

  func bytes(_ seed: UInt8) -> [UInt8] { [UInt8](repeating: seed, count: 1000) }

  /// A record as a cache makes it for a request with this `Accept`.
  func record(accepting type: String) throws -> CacheRecord {
    let answer: HTTPFields = [.vary: "Accept"]
    let vary = try #require(VaryKey(answer: answer, request: [.accept: type])).description
    var record = CacheRecord(key: .original(url: url, vary: vary), at: clock.now)
    record.headers = HeaderText(answer)
    return record
  }

  @Test func `responses that differ by Vary are separate entries`() async throws {
    let cache = try open()
    let (webp, jpeg) = (try record(accepting: "image/webp"), try record(accepting: "image/jpeg"))

    try await cache.store(bytes(1), webp)
    clock.advance(by: 1)
    try await cache.store(bytes(2), jpeg)

    #expect(await cache.read(webp.key)?.bytes == bytes(1))
    #expect(await cache.read(jpeg.key)?.bytes == bytes(2))
    #expect(await cache.statistics().entryCount == 2)
  }

  @Test func `a URL alone names the response without a selection, or the newest one`() async throws
  {
    let cache = try open()
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
    let cache = try open()
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
    #expect(try await open().variations(of: url).map(\.key) == [newer.key, older.key])
    #expect(await cache.variations(of: url + "x").map(\.key) == [other.key])
    #expect(await cache.variations(of: "") == [])
  }

  @Test func `invalidating a URL removes every variant, in every instance`() async throws {
    let (cache, other) = (try open(), try open())
    let (webp, jpeg) = (try record(accepting: "image/webp"), try record(accepting: "image/jpeg"))
    try await cache.store(bytes(1), webp)
    try await cache.store(bytes(2), jpeg)
    #expect(await other.variations(of: url).count == 2)

    let count = try await cache.purge(CachePurge(urls: [url, "https://example.com/never.jpg"]))

    #expect(count == 2)
    #expect(await other.variations(of: url) == [])
    #expect(await other.read(webp.key) == nil)
    #expect(directory.files(under: "cache/blobs") == [])
  }

  @Test func `replacing one variant leaves the others while there is room`() async throws {
    let cache = try open(files: 2)
    let (webp, jpeg) = (try record(accepting: "image/webp"), try record(accepting: "image/jpeg"))
    try await cache.store(bytes(1), webp)
    clock.advance(by: 1)
    try await cache.store(bytes(2), jpeg)
    clock.advance(by: 1)

    try await cache.store([UInt8](repeating: 4, count: 900), webp)

    #expect(await cache.read(webp.key)?.bytes.count == 900)
    #expect(await cache.read(jpeg.key)?.bytes == bytes(2))
    try await cache.store([UInt8](repeating: 5, count: 4097), webp)
    #expect(await cache.read(webp.key)?.bytes.count == 4097)
    #expect(await cache.read(jpeg.key) == nil)
    #expect(await cache.statistics().byteCount == 4097)
  }

  @Test func `the 65th variant evicts the least recently used that is not pinned`()
    async throws
  {
    let cache = try open()
    var keys: [CacheKey] = []
    for number in 0..<66 {
      var record = try record(accepting: "image/\(number)")
      if number == 0 { record.groups = ["kept"] }
      try await cache.store(bytes(UInt8(number)), record)
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
    #expect(try await open().read(keys[2]) == nil)
  }

  @Test func `a remembered miss ends with the next store, in every instance`() async throws {
    let (cache, other) = (try open(), try open())
    let record = CacheRecord(key: .original(url: url), at: clock.now)
    for _ in 0..<2 {
      #expect(await cache.read(record.key) == nil)
      #expect(await other.read(record.key) == nil)
    }

    try await cache.store(bytes(1), record)

    #expect(await cache.read(record.key)?.bytes == bytes(1))
    #expect(await other.read(record.key)?.bytes == bytes(1))
  }

  /// Each kind of absence, as a loader would remember it, with its lifetime.
  @Test(arguments: [
    (ImageError.Code.httpStatus, 404, 60.0), (.httpStatus, 410, 3600), (.nameNotResolved, 0, 10),
    (.connectionFailed, 0, 5), (.corrupt, 200, 600), (.notAnImage, 200, 600),
  ])
  func `an absence is remembered with its reason, for its own time`(
    code: ImageError.Code, status: Int, lifetime: Double
  ) async throws {
    let cache = try open()
    var record = CacheRecord(key: .original(url: url), at: clock.now)
    record.failure = code
    record.status = status
    record.expires = clock.now + lifetime

    try cache.core.storeNegative(record)

    clock.advance(by: lifetime - 1)
    let entry = try #require(try await open().read(record.key))
    #expect(entry.record.failure == code)
    #expect(entry.record.status == status)
    #expect(entry.bytes == [])
    clock.advance(by: 1)
    #expect(try await open().read(record.key) == nil)
  }
}
