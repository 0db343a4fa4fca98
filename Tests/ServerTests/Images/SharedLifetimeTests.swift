import Foundation
import HTTPCaching
import HTTPTypes
import ImageModel
import Testing

@testable import DiskCaching
@testable import HTTPListening
@testable import ImagePipeline
@testable import ThumbnailServer

/// `Cache-Control`, `Last-Modified`, `Cache-Status` and `Server-Timing` of an image.
@Suite struct `What the server says about an image` {
  private static let now = Date(timeIntervalSince1970: 1_600_000_000)

  private func image(
    _ fields: HTTPFields, age: Double = 0, source: LoadSource = .disk,
    freshness: LoadFreshness = .fresh, wasShared: Bool = false,
    change: (inout CacheRecord) -> Void = { _ in }
  ) throws -> Representation {
    var record = CacheRecord(key: .original(url: "http://a.test/"), at: Self.now - age)
    record.headers = HeaderText(fields)
    change(&record)
    var data = DataResponse(
      "http://a.test/", .bytes([1, 2, 3]), original: record, source: source, freshness: freshness)
    data.wasShared = wasShared
    return try Representation(data)
  }

  private func control(
    _ control: String, age: Double = 0, grace: (Int?, Int?) = (nil, nil), until end: Double? = nil
  ) throws -> String {
    try image([.cacheControl: control], age: age).cacheControl(
      at: Self.now, grace: grace, until: end.map { Int(Self.now.timeIntervalSince1970 + $0) })
  }

  @Test func `is the origin's lifetime, with the configured grace where it gives none`() throws {
    #expect(try control("max-age=60", age: 30) == "public, max-age=60")
    #expect(
      try control("max-age=60", grace: (10, 20))
        == "public, max-age=60, stale-while-revalidate=10, stale-if-error=20")
    #expect(
      try control("max-age=60, stale-while-revalidate=1, stale-if-error=2", grace: (10, 20))
        == "public, max-age=60, stale-while-revalidate=1, stale-if-error=2")
  }

  @Test func `allows no stale use that the origin forbids`() throws {
    #expect(
      try control("max-age=60, must-revalidate", grace: (10, 20))
        == "public, max-age=60, must-revalidate")
    #expect(try control("s-maxage=60", grace: (10, 20)) == "public, max-age=60, must-revalidate")
  }

  @Test(arguments: [("max-age=60", 60.0), ("no-cache", 0), ("max-age=0", 0), ("max-age=60", 1e9)])
  func `is no-cache when it is stale`(value: String, age: Double) throws {
    #expect(try control(value, age: age, grace: (10, 20)) == "no-cache")
  }

  @Test func `is no-store where the origin forbids storing`() throws {
    let image = try image([.cacheControl: "max-age=60"]) { $0.isAlwaysStale = true }

    #expect(image.cacheControl(at: Self.now, grace: (nil, nil)) == "no-store")
  }

  @Test func `ends before a signature does`() throws {
    // A second less than the signature's, for ages are rounded down.
    #expect(try control("max-age=600", until: 101) == "public, max-age=100, must-revalidate")
    #expect(
      try control("max-age=600", age: 50, until: 101) == "public, max-age=150, must-revalidate")
    #expect(
      try control("max-age=60", grace: (500, 500), until: 101)
        == "public, max-age=60, stale-while-revalidate=40, stale-if-error=40")
    #expect(try control("max-age=600", until: 1) == "no-cache")
    #expect(try control("max-age=600", until: -50) == "no-cache")
  }

  /// Whatever the lifetimes are, no cache may send the image after the end of the signature.
  @Test(arguments: [101, 102, 103] as [UInt64])
  func `lets no cache use it beyond the end of a signature`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<150 {
      func number(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }
      let (lifetime, age, end) = (number(200), Double(number(200)) + 0.75, Double(number(300)) - 20)
      let grace = (Bool.random(using: &random) ? number(200) : nil, number(200))
      let text = try control("max-age=\(lifetime)", age: age, grace: grace, until: end)
      let sent = CacheControl([text])
      let comment: Comment = "seed \(seed): max-age=\(lifetime), age \(age), end \(end): \(text)"

      guard let fresh = sent.maximumAge else {
        #expect(text == "no-cache", comment)
        continue
      }
      // The age in the field is rounded down.
      let left = Double(fresh) - age.rounded(.down)
      let stale = max(sent.staleWhileRevalidate ?? 0, sent.staleIfError ?? 0)
      #expect(left + Double(stale) <= end, comment)
      #expect(left <= Double(lifetime) - age.rounded(.down), comment)
      #expect(left > 0, comment)
    }
  }

  // MARK: Other fields

  private static let changes: [(String?, Double)] = [
    (nil, -100), ("Sun, 13 Sep 2020 12:00:00 GMT", -1600), ("nonsense", -100),
    ("Sun, 13 Sep 2099 12:00:00 GMT", 0),
  ]

  @Test(arguments: changes)
  func `has changed when its origin says, else when it was fetched, never in the future`(
    changed: String?, seconds: Double
  ) throws {
    var fields = HTTPFields()
    fields[.lastModified] = changed

    #expect(try image(fields, age: 100).lastModified(at: Self.now) == Self.now + seconds)
  }

  private static let statuses: [(LoadSource, LoadFreshness, String)] = [
    (.network, .current, "imgcache; fwd=miss"),
    (.revalidated, .current, "imgcache; fwd=stale; fwd-status=304"),
    (.disk, .fresh, "imgcache; hit; detail=disk"),
    (.memory, .fresh, "imgcache; hit; detail=memory"),
    (.sharedTier, .fresh, "imgcache; hit; detail=shared"),
    (.disk, .stale, "imgcache; hit; ttl=-40; detail=disk"),
    (.disk, .staleOnError, "imgcache; hit; ttl=-40; detail=disk"),
    (.sharedTier, .staleWhileRevalidating, "imgcache; hit; ttl=-40; detail=shared"),
  ]

  @Test(arguments: statuses)
  func `names its source, and how long it has been stale`(
    source: LoadSource, freshness: LoadFreshness, text: String
  ) throws {
    let image = try image(
      [.cacheControl: "max-age=60"], age: 100, source: source, freshness: freshness)

    #expect(image.cacheStatus(at: Self.now) == text)
    #expect(ThumbnailRoute.source(of: text) != .none)
  }

  @Test func `says when it waited for another request's fetch`() throws {
    let image = try image([:], source: .network, freshness: .current, wasShared: true)

    #expect(image.cacheStatus(at: Self.now) == "imgcache; fwd=miss; collapsed")
  }

  @Test func `has no timing without stages`() throws { #expect(try image([:]).serverTiming == nil) }

  @Test func `has the hash of its bytes where it is not stored`() throws {
    let (one, other) = (try image([:]), try image([.eTag: "\"1\""]))

    #expect(one.hash == other.hash)
    // Of `printf '\001\002\003' | sha256sum`.
    #expect(one.hash.hex.hasPrefix("039058c6f2c0cb492c533b0a4d14ef77"))
    #expect(one.content.byteCount == 3)
  }
}
