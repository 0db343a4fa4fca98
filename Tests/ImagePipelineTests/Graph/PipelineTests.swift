import Foundation
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import SampleFeed
@testable import TestSupport

/// The journey over real HTTP on loopback and a real directory.
@Suite struct `Requests with a disk cache` {
  /// An origin whose answer can be changed, and which remembers what it was asked.
  private final class Origin: Sendable {
    struct State {
      var response = LoopbackResponse(status: 404)
      var conditions: [String?] = []
    }
    let state = Locked(State())
    let server: LoopbackServer

    init() throws {
      let state = state
      server = try LoopbackServer { request in
        state.withLock { state in
          state.conditions.append(request["if-none-match"])
          return state.response
        }
      }
    }

    var requestCount: Int { state.withLock { $0.conditions.count } }
    var url: String { server.origin + "/a.jpg" }

    func answer(
      _ status: Int, _ headers: [(name: String, value: String)] = [], _ body: [UInt8] = []
    ) {
      state.withLock {
        $0.response = LoopbackResponse(status: status, headers: headers, body: body)
      }
    }
  }

  private static let picture: [UInt8] = {
    let pixels = PixelBuffer(clear: PixelSize(width: 40, height: 30))
    return (try? ImageCodecs.encodeJPEG(pixels, quality: 80)) ?? []
  }()

  private func pipeline(_ scratch: Scratch, now: Locked<Date>) throws -> ImagePipeline {
    var cache = DiskCache.Configuration(directory: scratch / "cache")
    cache.clock = { now.withLock { $0 } }
    var fetcher = HTTPFetcher.Configuration()
    fetcher.hostGuard.allowsPrivateNetworks = true
    fetcher.retryPolicy.maximumRetryCount = 0
    fetcher.clock.date = { now.withLock { $0 } }
    var configuration = ImagePipeline.Configuration(fetcher: try HTTPFetcher(fetcher))
    configuration.diskCache = try DiskCache(cache)
    configuration.clock = { now.withLock { $0 } }
    return try ImagePipeline(configuration)
  }

  @Test func `a fresh image needs no request, a stale one a conditional one`()
    async throws
  {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    let headers = [(name: "Cache-Control", value: "max-age=60"), (name: "ETag", value: "\"1\"")]
    origin.answer(200, headers, Self.picture)
    let request = ImageRequest(url: origin.url)

    let first = try await pipeline.data(for: request)
    let second = try await pipeline.data(for: request)
    now.withLock { $0 += 61 }
    origin.answer(304, headers)
    let third = try await pipeline.data(for: request)
    let fourth = try await pipeline.data(for: request)

    #expect(
      [first, second, third, fourth].map(\.source) == [.network, .disk, .revalidated, .disk])
    #expect(try fourth.bytes() == Self.picture)
    #expect(origin.state.withLock { $0.conditions } == [nil, "\"1\""])
  }

  @Test func `a changed image replaces the old one`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    var request = ImageRequest(url: origin.url)
    origin.answer(200, [("ETag", "\"1\"")], Self.picture)
    _ = try await pipeline.data(for: request)
    let other = try ImageCodecs.encodePNG(PixelBuffer(clear: PixelSize(width: 3, height: 2)))

    origin.answer(200, [("ETag", "\"2\"")], other)
    request.cachePolicy = .revalidate
    let answer = try await pipeline.data(for: request)
    request.cachePolicy = .onlyIfCached
    let kept = try await pipeline.data(for: request)

    #expect(answer.format == .png)
    #expect(try kept.bytes() == other)
  }

  @Test func `a no-store image is stored only on explicit request, and is always stale`()
    async throws
  {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    origin.answer(200, [("Cache-Control", "no-store, max-age=60")], Self.picture)
    var request = ImageRequest(url: origin.url)
    let cache = try #require(pipeline.configuration.diskCache)

    _ = try await pipeline.data(for: request)
    #expect(await cache.record(for: request.key) == nil)
    request.isToBeKept = true
    _ = try await pipeline.data(for: request)
    #expect(await cache.record(for: request.key) != nil)
    _ = try await pipeline.data(for: request)

    #expect(origin.requestCount == 3)
  }

  @Test func `a 404 is cached for its lifetime, then requested again`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    let request = ImageRequest(url: origin.url)

    for _ in 0..<2 {
      await #expect(throws: ImageError.self) { try await pipeline.data(for: request) }
    }
    #expect(origin.requestCount == 1)
    now.withLock { $0 += 61 }
    origin.answer(200, [], Self.picture)

    #expect(try await pipeline.data(for: request).source == .network)
  }

  @Test func `a 404 for a cached image does not remove it`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    var request = ImageRequest(url: origin.url)
    origin.answer(200, [], Self.picture)
    _ = try await pipeline.data(for: request)

    origin.answer(404)
    request.cachePolicy = .revalidate
    let refused = request
    await #expect(throws: ImageError.self) { try await pipeline.data(for: refused) }
    request.cachePolicy = .onlyIfCached

    #expect(try await pipeline.data(for: request).bytes() == Self.picture)
  }

  @Test func `a 500, HTML and a truncated image are not stored`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    let request = ImageRequest(url: origin.url)
    let cache = try #require(pipeline.configuration.diskCache)

    origin.answer(500)
    await #expect(throws: ImageError.self) { try await pipeline.data(for: request) }
    origin.answer(200, [("Content-Type", "image/jpeg")], Array("<html>no</html>".utf8))
    await #expect(throws: ImageError.self) { try await pipeline.data(for: request) }
    origin.answer(200, [("Content-Type", "image/jpeg")], Array(Self.picture.dropLast(20)))
    var reloading = request
    reloading.cachePolicy = .reload
    let again = reloading
    await #expect(throws: ImageError.self) { try await pipeline.data(for: again) }
    #expect(origin.requestCount == 3)

    #expect(await cache.record(for: request.key) == nil)
    #expect(await cache.list().isEmpty)
  }

  @Test func `equal concurrent requests are one fetch`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    origin.answer(200, [("Cache-Control", "max-age=60")], Self.picture)
    let url = origin.url

    let responses = try await withThrowingTaskGroup(of: DataResponse.self) { group in
      for day in 0..<20 {
        var request = ImageRequest(url: url)
        request.groups = ["day:\(day % 2)"]
        let asked = request
        group.addTask { try await pipeline.data(for: asked) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(responses.count == 20)
    #expect(origin.requestCount == 1)
    let cache = try #require(pipeline.configuration.diskCache)
    #expect(await cache.groups(of: .original(url: url)) == ["day:0", "day:1"])
  }

  @Test func `the first thumbnail also decodes its original, the second is cached`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    let red = PixelBuffer(
      size: PixelSize(width: 64, height: 48),
      bytes: [UInt8]((0..<64 * 48).flatMap { _ in [200, 16, 32, 255] as [UInt8] }))
    origin.answer(200, [], try ImageCodecs.encodePNG(red))
    var request = ImageRequest(url: origin.url)
    request.check = .none
    _ = try await pipeline.data(for: request)
    var small = request
    small.thumbnail = ThumbnailRecipe(size: PixelSize(width: 16, height: 16))
    small.storage = .both
    small.check = .none

    let first = try await pipeline.data(for: small)
    let second = try await pipeline.data(for: small)

    #expect(first.isNew && !second.isNew)
    #expect(try first.bytes() == second.bytes())
    #expect(try await pipeline.storedFile(for: small) == second.path)
    let record = try #require(await pipeline.configuration.diskCache?.record(for: request.key))
    #expect(record.dominantColor == 0xC81020)
    #expect(ThumbHash(bytes: record.thumbHash) != nil)
  }

  @Test func `a document is revalidated by its ETag and available offline`() async throws {
    let (scratch, origin, now) = (try Scratch(), try Origin(), Locked(Date()))
    defer { origin.server.stop() }
    let pipeline = try pipeline(scratch, now: now)
    var options = DocumentOptions()
    origin.answer(200, [("ETag", "\"d\""), ("Content-Type", "application/json")], Array("{}".utf8))
    let first = try await pipeline.document(at: origin.url, options: options)
    origin.answer(304, [("ETag", "\"d\"")])
    let second = try await pipeline.document(at: origin.url, options: options)
    options.isOffline = true
    let third = try await pipeline.document(at: origin.url, options: options)

    #expect([first, second, third].map(\.source) == [.network, .revalidated, .disk])
    #expect(third.bytes == Array("{}".utf8))
    #expect(third.mediaType == "application/json")
    #expect(origin.requestCount == 2)
  }
}
