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

    /// - Parameter isDeaf: Whether no message reaches it.
    init(
      _ redis: RedisProgram, _ fetcher: StubFetcher, isDeaf: Bool = false,
      _ change: (inout SharedTier.Configuration) -> Void = { _ in },
      pipeline changePipeline: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) throws {
      scratch = try Scratch()
      cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
      var client = RedisClient.Configuration(servers: [redis.endpoint])
      client.deadline = .seconds(30)
      client.connectTimeout = .seconds(30)
      var configuration = SharedTier.Configuration(servers: client)
      configuration.writeDeadline = .seconds(30)
      change(&configuration)
      tier = try SharedTier(configuration)
      var pipeline = ImagePipeline.Configuration(fetcher: fetcher)
      pipeline.diskCache = cache
      pipeline.sharedTier = isDeaf ? DeafTier(tier) : tier
      pipeline.memory = nil
      pipeline.isShared = true
      pipeline.observers = [observer]
      changePipeline(&pipeline)
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

    func count(_ stage: LoadStage) -> Int {
      observer.words.count { $0 == stage.rawValue }
    }

    func close() async {
      await pipeline.close()
      await tier.shutDown()
    }
  }

  /// A tier that receives no messages of other servers.
  private final class DeafTier: SharedResponseTier {
    private let tier: SharedTier

    init(_ tier: SharedTier) { self.tier = tier }

    var maximumBodyByteCount: Int { tier.maximumBodyByteCount }
    var memoryLifetime: Duration { tier.memoryLifetime }
    var statistics: TierStatistics { tier.statistics }
    var isSuspended: Bool { tier.isSuspended }
    func read(_ key: TierKey) async -> TierReading { await tier.read(key) }
    func turn(
      for key: TierKey, until deadline: ContinuousClock.Instant?,
      isUsable: @Sendable (TierValue) -> Bool
    ) async throws -> TierTurn {
      try await tier.turn(for: key, until: deadline, isUsable: isUsable)
    }
    func write(
      _ value: TierValue, for key: TierKey, _ generation: TierGeneration, lock: TierLock?
    ) { tier.write(value, for: key, generation, lock: lock) }
    func release(_ lock: TierLock) { tier.release(lock) }
    func isConfirmed(_ url: String, _ generation: TierGeneration) -> Bool {
      tier.isConfirmed(url, generation)
    }
    func confirm(_ url: String, _ generation: TierGeneration?) async -> TierConfirmation {
      await tier.confirm(url, generation)
    }
    func generation(of url: String) async -> TierGeneration? { await tier.generation(of: url) }
    func invalidate(_ urls: [String]) async { await tier.invalidate(urls) }
    func purge(_ purge: TierPurge) async throws(TierPurgeFailure) { try await tier.purge(purge) }
    func receivePurges(
      since: Date, _ handler: @escaping @Sendable (TierPurge) async throws -> Void
    ) async {}
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

  @Test func `fetch each original once and make each thumbnail once across servers`()
    async throws
  {
    let redis = try await redis()
    // Equal images would share their thumbnails in each directory.
    let images = try (0..<20).map {
      try ImageCodecs.encodeJPEG(SampleImages.gradient(64, 48 + $0), quality: 90)
    }
    let fetcher = StubFetcher { request in
      let number = request.url.dropFirst(21).prefix { $0 != "." }
      return StubFetcher.response(
        request.url, images[Int(number) ?? 0], fields: [.cacheControl: "max-age=600"], at: Date())
    }
    let servers = try (0..<3).map { _ in try Server(redis, fetcher) }
    let bodies = Locked<Set<[UInt8]>>([])

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<180 {
        group.addTask {
          let made = try await servers[number % 3].thumbnail(
            "https://test.invalid/\(number / 3 % 20).jpg")
          let bytes = try made.bytes()
          bodies.withLock { _ = $0.insert(bytes) }
        }
      }
      try await group.waitForAll()
    }
    #expect(fetcher.count == 20)
    #expect(servers.reduce(0) { $0 + $1.count(.encode) } == 20)
    #expect(bodies.withLock { $0.count } == 20)
    #expect(try await redis.cli("keys", "*:l:*") == "")
    for server in servers { await server.close() }
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

  @Test func `keep the tier's values when their own directory loses them`()
    async throws
  {
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

  @Test func `do not serve a purged image as stale when the origin fails`() async throws {
    let redis = try await redis()
    let fetcher = origin([.cacheControl: "max-age=0", .eTag: "\"1\""])
    let one = try Server(redis, fetcher)
    let two = try Server(redis, fetcher, isDeaf: true, { $0.confirmationLifetime = .zero })
    _ = try await two.load()
    fetcher.become { _ in throw ImageError(.connectionFailed, "no connection") }
    #expect(try await two.load().freshness == .staleOnError)
    try await one.pipeline.purge(CachePurge(urls: [Self.url]))
    let error = await #expect(throws: ImageError.self) { try await two.load() }
    #expect(error?.code == .connectionFailed)
    for server in [one, two] { await server.close() }
  }

  @Test func `notice a purge after its message was lost`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let one = try Server(redis, fetcher)
    // Every use revalidates.
    let two = try Server(redis, fetcher, isDeaf: true, { $0.confirmationLifetime = .zero })
    _ = try await one.load()
    #expect(try await two.thumbnail().source == .shared)
    #expect(try await two.load().source == .disk)
    #expect(fetcher.count == 1)

    try await one.pipeline.purge(CachePurge(urls: [Self.url]))
    #expect(try await two.load().source == .network)
    try await one.pipeline.purge(CachePurge(urls: [Self.url]))
    #expect(try await two.thumbnail().source == .network)
    #expect(fetcher.count == 3)
    #expect(try await two.thumbnail().source == .disk)
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

  @Test func `use their own entries when the tier has lost everything`() async throws {
    let redis = try await redis()
    let fetcher = origin([.cacheControl: "max-age=600", .eTag: "\"1\""])
    let server = try Server(redis, fetcher, { $0.confirmationLifetime = .zero })
    _ = try await server.load()
    _ = try await redis.cli("flushall")

    #expect(try await server.load().source == .disk)
    // It may have been purged: the origin is asked, and confirms it.
    try await RedisProgram.wait { fetcher.count == 2 }
    #expect(fetcher.requests[1].headers[.ifNoneMatch] == "\"1\"")
    try await RedisProgram.wait { server.pipeline.activeLoadCount == 0 }
    #expect(try await server.load().source == .disk)
    #expect(fetcher.count == 2)
    // The confirmed value is available to others.
    let other = try Server(redis, fetcher)
    #expect(try await other.load().source == .shared)
    for server in [server, other] { await server.close() }
  }

  @Test func `work without the tier, and report that a purge has not reached it`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let server = try Server(redis, fetcher)
    _ = try await server.load()
    redis.kill()

    #expect(try await server.load().source == .disk)
    let other = "https://test.invalid/b.jpg"
    #expect(try await server.load(other).source == .network)
    #expect(try await server.thumbnail(other).isNew)
    let error = await #expect(throws: ImageError.self) {
      try await server.pipeline.purge(CachePurge(urls: [other]))
    }
    #expect(error?.code == .sharedTierFailed)
    #expect(await !server.cache.holds(.original(url: other)))
    #expect(server.tier.statistics.errors + server.tier.statistics.skipped > 0)
    await server.close()
  }

  @Test func `do not share private responses`() async throws {
    let redis = try await redis()
    let fields: [HTTPFields] = [
      [.cacheControl: "private, max-age=600"], [.cacheControl: "no-store"],
      [.cacheControl: "max-age=600", .vary: "Accept"], [.cacheControl: "max-age=600", .vary: "*"],
    ]
    for fields in fields {
      let fetcher = origin(fields)
      let servers = try (0..<2).map { _ in
        try Server(redis, fetcher, pipeline: { $0.isShared = false })
      }
      for server in servers { #expect(try await server.load().source == .network, "\(fields)") }
      #expect(servers.allSatisfy { $0.tier.statistics.writes == 0 }, "\(fields)")
      for server in servers { await server.close() }
    }
    // Fields of the request, which the response may depend on.
    let fetcher = origin()
    let servers = try (0..<2).map { _ in try Server(redis, fetcher) }
    var request = ImageRequest(url: "https://test.invalid/c.jpg")
    request.headers[.accept] = "image/webp"
    for server in servers {
      #expect(try await server.pipeline.data(for: request).source == .network)
    }
    for server in servers { await server.close() }
    #expect(try await redis.cli("keys", "*:o") == "")
    #expect(try await redis.cli("keys", "*:l:*") == "")
  }

  @Test func `share a 404, and no other failure`() async throws {
    let redis = try await redis()
    let fetcher = StubFetcher { _ in throw StubFetcher.failure(404) }
    let (one, two) = (try Server(redis, fetcher), try Server(redis, fetcher))
    for server in [one, two] {
      let error = await #expect(throws: ImageError.self) { try await server.load() }
      #expect(error?.status == 404)
    }
    #expect(fetcher.count == 1)
    fetcher.become { _ in throw StubFetcher.failure(500) }
    for server in [one, two] {
      let error = await #expect(throws: ImageError.self) {
        try await server.thumbnail("https://test.invalid/b.jpg")
      }
      #expect(error?.status == 500)
    }
    #expect(fetcher.count == 3)
    await one.tier.finishWriting()
    await two.tier.finishWriting()
    #expect(try await redis.cli("keys", "*:l:*") == "")
    for server in [one, two] { await server.close() }
  }

  @Test func `fetch again what is damaged or not an image in the tier`() async throws {
    let (redis, fetcher) = (try await redis(), origin())
    let (one, two, three) = (
      try Server(redis, fetcher), try Server(redis, fetcher), try Server(redis, fetcher)
    )
    _ = try await one.load()
    let key = TierKey(url: Self.url)
    _ = try await redis.cli("setrange", String(buffer: one.tier.names.value(key).bytes), "80", "x")
    #expect(try await two.load().source == .network)
    // A value of another program, as its proxy stores, is valid and not an image.
    guard case .hit(var value, let generation) = await two.tier.read(key) else {
      Issue.record("it was not written again")
      return
    }
    value.body = Array("<html>".utf8)
    two.tier.write(value, for: key, generation)
    await two.tier.finishWriting()
    #expect(try await three.load().source == .network)
    #expect(fetcher.count == 3)
    for server in [one, two, three] { await server.close() }
  }
}
