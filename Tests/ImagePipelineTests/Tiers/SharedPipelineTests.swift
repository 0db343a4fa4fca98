import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

/// Pipelines of several servers, each with its own directory, around one origin and one
/// `redis-server`.
@Suite(.needsRedis)
struct `Pipelines with a shared tier` {
  private static let url = "https://test.invalid/a.jpg"

  /// One of the servers.
  private final class Server: Sendable {
    let scratch: Scratch
    let cache: DiskCache
    let tier: SharedTier
    let pipeline: ImagePipeline
    let observer = RecordingObserver()

    init(_ redis: RedisProgram, _ fetcher: StubFetcher) throws {
      scratch = try Scratch()
      cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
      var client = RedisClient.Configuration(servers: [redis.endpoint])
      client.deadline = .seconds(30)
      client.connectTimeout = .seconds(30)
      var configuration = SharedTier.Configuration(servers: client)
      configuration.writeDeadline = .seconds(30)
      tier = try SharedTier(configuration)
      var pipeline = ImagePipeline.Configuration(fetcher: fetcher)
      pipeline.diskCache = cache
      pipeline.sharedTier = tier
      pipeline.memory = nil
      pipeline.isShared = true
      pipeline.observers = [observer]
      self.pipeline = try ImagePipeline(pipeline)
    }

    func load(_ url: String = `Pipelines with a shared tier`.url) async throws -> DataResponse {
      let response = try await pipeline.data(for: ImageRequest(url: url))
      await tier.finishWriting()
      return response
    }

    func thumbnail(
      _ url: String = `Pipelines with a shared tier`.url
    ) async throws -> DataResponse {
      var request = ImageRequest(url: url)
      request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 16, height: 12))
      request.storage = .both
      let response = try await pipeline.data(for: request)
      await tier.finishWriting()
      return response
    }

    func count(_ stage: LoadStage) -> Int { observer.words.count { $0 == stage.rawValue } }

    func close() async {
      await pipeline.close()
      await tier.shutDown()
    }
  }

  private func redis() async throws -> RedisProgram {
    let server = try RedisProgram()
    try await server.waitUntilReady()
    return server
  }

  /// Answers with an image and these fields, at the time of the request.
  private func origin(_ fields: HTTPFields = [.cacheControl: "max-age=600"]) -> StubFetcher {
    StubFetcher { request in
      if request.headers[.ifNoneMatch] != nil {
        return StubFetcher.response(request.url, [], status: 304, fields: fields, at: Date())
      }
      return StubFetcher.response(request.url, SampleImages.photo, fields: fields, at: Date())
    }
  }

  @Test func `use what another server has fetched or made, and store it themselves`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    let made = try await one.thumbnail()
    let taken = try await two.thumbnail()
    let again = try await two.thumbnail()

    #expect([made.source, taken.source, again.source] == [.network, .shared, .disk])
    #expect(try taken.bytes() == made.bytes())
    #expect(try again.bytes() == made.bytes())
    #expect(taken.size == made.size && taken.format == .jpeg && taken.hash == made.hash)
    // It was received now, from a cache before the origin.
    #expect(taken.original.headers.first("cache-control") == "max-age=600")
    #expect(taken.original.headers.first("age").flatMap { Int($0) }.map { $0 < 60 } ?? false)
    // The original stays elsewhere until it is requested.
    #expect(await !two.cache.holds(.original(url: Self.url)))
    let original = try await two.load()
    #expect(original.source == .shared)
    #expect(try original.bytes() == SampleImages.photo)
    #expect(original.size == PixelSize(width: 64, height: 48))
    #expect(try await two.load().source == .disk)
    #expect(fetcher.count == 1)
    #expect(two.count(.encode) == 0)
    for server in [one, two] { await server.close() }
  }

  @Test func `drop what another server purges`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    // It has subscribed once it has received a message.
    try await RedisProgram.wait {
      try await one.pipeline.purge(CachePurge(urls: ["https://test.invalid/none"]))
      return two.tier.statistics.receivedPurges > 0
    }
    _ = try await one.thumbnail()
    _ = try await two.thumbnail()
    _ = try await two.load()
    try await one.pipeline.purge(CachePurge(urls: [Self.url]))
    try await RedisProgram.wait { await !two.cache.holds(.original(url: Self.url)) }
    #expect(try await two.thumbnail().source == .network)
    #expect(fetcher.count == 2)

    _ = try await one.load()
    try await two.pipeline.purge(CachePurge(tags: [try #require(CacheTag.host(Self.url))]))
    try await RedisProgram.wait { await !one.cache.holds(.original(url: Self.url)) }
    #expect(try await one.load().source == .network)
    #expect(fetcher.count == 3)
    for server in [one, two] { await server.close() }
  }

  @Test func `date a variant of another's original by its origin response`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    let original = try await one.load()
    // Whole milliseconds are kept.
    try await Task.sleep(for: .milliseconds(20))
    let made = try await two.thumbnail()
    #expect(made.isNew && made.source == .shared)
    let recipe = ThumbnailRecipe(size: PixelSize(width: 16, height: 12))
    guard
      case .hit(let value, _) = await one.tier.read(
        TierKey(url: Self.url, variant: recipe.identity))
    else {
      Issue.record("it is not in the tier")
      return
    }
    let difference = value.currentAt.timeIntervalSince(original.original.responseTime)
    #expect(abs(difference) < 0.002)
    #expect(value.response.responseTime > value.currentAt)
    for server in [one, two] { await server.close() }
  }

  @Test func `keep the tier's values when their own directory loses them`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    _ = try await one.thumbnail()
    _ = try await two.load()
    // Like `rm` without the tier, for more URLs than are remembered individually.
    let many = (0..<200).map { "https://test.invalid/\($0).jpg" }
    try await two.cache.purge(CachePurge(urls: many + [Self.url]))
    let (original, thumbnail) = (try await two.load(), try await two.thumbnail())
    #expect(original.source == .shared && original.storeFailure == nil)
    #expect(thumbnail.source == .shared && thumbnail.storeFailure == nil)
    #expect(try await two.load().source == .disk)
    #expect(try await two.thumbnail().source == .disk)
    #expect(fetcher.count == 1)
    for server in [one, two] { await server.close() }
  }

  @Test func `drop an image with its day, unless another group has it`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    try await RedisProgram.wait {
      try await one.pipeline.purge(CachePurge(urls: ["https://test.invalid/none"]))
      return two.tier.statistics.receivedPurges > 0
    }
    var request = ImageRequest(url: Self.url)
    request.groups = ["day:20200616"]
    _ = try await one.pipeline.data(for: request)
    let other = "https://test.invalid/b.jpg"
    request.url = other
    _ = try await one.pipeline.data(for: request)
    await one.tier.finishWriting()
    // A value from the tier has the day's tag, and is in no group of this server.
    let taken = try await two.load()
    #expect(taken.source == .shared && taken.original.groups.isEmpty)
    #expect(CacheTag.all(of: taken.original).map(\.name).contains("day-20200616"))
    request.groups = ["day:20200617"]
    #expect(try await two.pipeline.data(for: request).source == .shared)

    try await one.pipeline.purge(CachePurge(tags: [try #require(CacheTag("day-20200616"))]))
    try await RedisProgram.wait { await !two.cache.holds(.original(url: Self.url)) }
    #expect(await two.cache.holds(.original(url: other)))
    #expect(try await two.load().source == .network)
    for server in [one, two] { await server.close() }
  }

  @Test func `do not store what was in flight while it was purged`() async throws {
    let (redis, gate) = (try await redis(), Gate())
    let fetcher = origin()
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    fetcher.become { request in
      await gate.wait()
      return StubFetcher.response(
        request.url, SampleImages.photo, fields: [.cacheControl: "max-age=600"], at: Date())
    }
    async let slow = one.load()
    try await RedisProgram.wait { fetcher.count == 1 }
    try await two.pipeline.purge(CachePurge(urls: [Self.url]))
    gate.open()
    #expect(try await slow.source == .network)
    #expect(one.tier.statistics.failedWrites == 1)
    #expect(try await two.load().source == .network)
    #expect(fetcher.count == 2)
    for server in [one, two] { await server.close() }
  }

  @Test func `do not share a response to fields that it may depend on`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    var request = ImageRequest(url: "https://test.invalid/c.jpg")
    request.headers[.accept] = "image/webp"
    for server in try (0..<2).map({ _ in try Server(redis, fetcher) }) {
      #expect(try await server.pipeline.data(for: request).source == .network)
      await server.close()
    }
    #expect(try await redis.cli("keys", "*:o") == "")
    #expect(try await redis.cli("keys", "*:l:*") == "")
  }
}
