import Foundation
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// Bodies that are as large as the cache directory of a proxy, or are sent from their files.
@Suite struct `A large body` {
  private let folder: Scratch
  private let files = FaultyFileSystem()
  private let lines = Locked<[String]>([])

  init() throws { folder = try Scratch() }

  private func cache(_ maximumByteCount: Int?) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: folder / "cache")
    configuration.maximumByteCount = maximumByteCount
    configuration.log = { [lines] line in lines.withLock { $0.append(line) } }
    return try DiskCache(configuration, files: files)
  }

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 12) }
  }

  /// A response that may be stored and does not announce its length.
  private func chunked(_ body: [UInt8]) -> FaultyOrigin.Answer {
    var wire = Array(
      "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    for start in stride(from: 0, to: body.count, by: 50_000) {
      let piece = body[start..<min(start + 50_000, body.count)]
      wire += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10]
    }
    return .raw(wire + Array("0\r\n\r\n".utf8))
  }

  private func proxy(_ origin: FaultyOrigin, _ cache: DiskCache) async throws -> ProxyFixture {
    try await ProxyFixture(origin: origin.url(""), storage: .disk(cache), clock: ManualClock()) {
      $0.log = { [lines] line in lines.withLock { $0.append(line) } }
    }
  }

  @Test(arguments: [1 << 20, nil])
  func `of unknown length is written to the disk up to what the cache could store`(
    maximum: Int?
  ) async throws {
    // Where no limit is named, a quarter of the file system.
    files.set(freeByteCount: 4 << 20, of: 4 << 20)
    let cache = try cache(maximum)
    let large = bytes(6 << 20)
    let small = bytes(700_000)
    let origin = try FaultyOrigin(["/large": [chunked(large)], "/small": [chunked(small)]])
    let proxy = try await proxy(origin, cache)

    let passed = try proxy.get("/large")
    let written = files.writtenByteCount
    let stored = try proxy.get("/small")
    let hit = try proxy.get("/small")
    try await proxy.stop()

    #expect(passed.body == large && passed.isWhole)
    #expect(written <= 1 << 20, "\(written)")
    #expect(stored.body == small && hit.body == small)
    #expect(hit["cache-status"]?.hasPrefix("imgcache; hit") == true)
    #expect(await cache.list().map(\.key.name) == [origin.url("/small")])
    let log = lines.withLock { $0 }
    #expect(log.filter { $0.hasPrefix("a response is not stored: its beginning has ") }.count == 1)
  }

  @Test func `that the full cache refuses is answered in full`() async throws {
    var configuration = DiskCache.Configuration(directory: folder / "cache")
    configuration.maximumByteCount = 8 << 20
    configuration.policy = .gdsfTB()
    configuration.refusesNewcomers = true
    let cache = try DiskCache(configuration, files: files)
    let body = bytes(6 << 20)
    let fresh = ["Cache-Control: max-age=100"]
    // Of different lengths: equal bytes would share a file.
    let answers: [(String, [FaultyOrigin.Answer])] = (0..<40).map {
      ("/\($0)", [.whole(bytes(150_000 + $0), fields: fresh)])
    }
    let small = answers.map(\.0)
    let origin = try FaultyOrigin(
      Dictionary(uniqueKeysWithValues: answers + [("/large", [chunked(body)])]))
    let proxy = try await proxy(origin, cache)
    for path in small + small { #expect(try proxy.get(path).status == 200) }

    let large = try (0..<2).map { _ in try proxy.get("/large") }
    try await proxy.stop()

    for answer in large { #expect(answer.body == body && answer.isWhole) }
    let counts = await cache.statistics().total
    // The second request may join the first, which has not ended.
    let refusals = counts[.refusals] ?? 0
    #expect(refusals > 0 && origin.requests.count == small.count + refusals)
    #expect(counts[.evictions] == nil && counts[.storeFailures] == nil)
    #expect(lines.withLock { $0 } == [])
  }

  @Test func `whose file is damaged is noticed before it is sent, and fetched again`() async throws
  {
    let cache = try cache(64 << 20)
    let body = bytes(5_800_000)
    let origin = try FaultyOrigin(["/a": [.whole(body, fields: ["Cache-Control: max-age=100"])]])
    let proxy = try await proxy(origin, cache)
    // Fetched; from the store, and verified; from the event loop.
    for _ in 0..<3 { #expect(try proxy.get("/a").body == body) }
    #expect(origin.requests.count == 1)

    let path = try #require(await cache.path(for: .original(url: origin.url("/a"))))
    try flip(path, at: 3_000_000)
    let healed = try proxy.get("/a")
    let hit = try proxy.get("/a", ["Range: bytes=3000000-3000009"])
    try await proxy.stop()

    #expect(healed.body == body)
    #expect(hit.status == 206 && hit.body == Array(body[3_000_000..<3_000_010]))
    #expect(origin.requests.count == 2)
    #expect(await cache.statistics().total[.damaged] == 1)
  }

  /// Changes one byte in place.
  private func flip(_ path: String, at offset: UInt64) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: offset)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data([byte ^ 1]))
    try file.close()
  }
}
