import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

/// A pipeline with a directory and a stub of a tier.
struct TieredFixture {
  static let url = "https://test.invalid/a.jpg"
  let tier: StubTier
  let fixture: PipelineFixture
  let key = TierKey(url: url)
  let generation = TierGeneration.random()

  init(
    _ fetcher: StubFetcher = StubFetcher(fields: [.cacheControl: "max-age=100"]),
    maximumByteCount: Int = 1 << 20
  ) throws {
    let tier = StubTier(maximumBodyByteCount: maximumByteCount)
    self.tier = tier
    fixture = try PipelineFixture(fetcher, onDisk: true) {
      $0.sharedTier = tier
      $0.memory = nil
      $0.isShared = true
    }
  }

  var fetcher: StubFetcher { fixture.fetcher }
  var lock: TierLock { lock(key, "t") }

  func lock(_ key: TierKey, _ token: String) -> TierLock {
    TierLock(key: key, token: token, generation: generation)
  }

  func load(_ change: (inout ImageRequest) -> Void = { _ in }) async throws -> DataResponse {
    var request = ImageRequest(url: Self.url)
    change(&request)
    return try await fixture.pipeline.data(for: request)
  }

  func error() async -> ImageError? { await imageError { try await load() } }

  func value(
    _ bytes: [UInt8] = SampleImages.photo, status: Int = 200, fresh: TimeInterval = 100,
    tags: [String] = []
  ) -> TierValue {
    let now = fixture.clock.now
    let response = StoredResponse(
      status: status, fields: [.cacheControl: "max-age=\(Int(fresh))"], requestTime: now,
      responseTime: now)
    return TierValue(
      response: response, body: bytes, freshUntil: now + fresh, staleUntil: now + fresh, tags: tags)
  }
}

@Suite struct `An original behind a shared tier` {
  @Test func `is taken from it without a fetch, and stored`() async throws {
    let server = try TieredFixture()
    server.tier.answer(.use(server.value(), server.generation))
    let response = try await server.load()

    #expect(response.source == .sharedTier)
    #expect(try response.bytes() == SampleImages.photo)
    #expect(server.fetcher.count == 0)
    #expect(server.tier.calls == ["turn", "usable: true"])
    server.tier.confirm(.current(server.generation))
    #expect(try await server.load().source == .disk)
  }

  @Test(arguments: [404, 410])
  func `that another server was refused is refused while that lasts, without a fetch`(
    status: Int
  ) async throws {
    let server = try TieredFixture()
    server.tier.answer(.use(server.value([], status: status), server.generation))
    let later = try TieredFixture()
    later.tier.answer(.use(later.value([], status: status, fresh: 0), later.generation))

    let error = await server.error()
    _ = try? await later.load()

    #expect(error?.code == .httpStatus && error?.status == status)
    #expect(error?.message.contains("another server") == true)
    #expect(server.fetcher.count == 0)
    #expect(later.tier.calls.contains("usable: false"))
  }

  @Test(arguments: [[], Array("not an image".utf8), Array(SampleImages.photo.prefix(200))])
  func `is fetched where the bytes of another server are useless, and replaces them`(
    bytes: [UInt8]
  ) async throws {
    let server = try TieredFixture()
    server.tier.answer(.use(server.value(bytes), server.generation))
    let response = try await server.load()
    let write = try #require(server.tier.writes.first)

    #expect(response.source == .network)
    #expect(server.fetcher.count == 1)
    #expect(write.value.body == SampleImages.photo)
    #expect(write.generation == server.generation)
    #expect(write.lock == nil)
  }

  @Test(
    arguments: [
      ("max-age=100", 100, 100), ("max-age=100, stale-while-revalidate=50", 100, 150),
      ("max-age=100, stale-while-revalidate=5, stale-if-error=70", 100, 170),
      ("s-maxage=30, max-age=100", 30, 30),
    ] as [(String, Double, Double)])
  func `is fetched under the lock, and written for as long as it is of use`(
    control: String, fresh: Double, stale: Double
  ) async throws {
    let server = try TieredFixture(
      StubFetcher(fields: [.cacheControl: control, .contentType: "image/jpeg"]))
    server.tier.answer(.make(server.lock))
    _ = try await server.load()
    let write = try #require(server.tier.writes.first)

    #expect(write.lock == server.lock)
    #expect(write.generation == server.generation)
    #expect(write.key == server.key)
    #expect(write.value.body == SampleImages.photo)
    #expect(write.value.response.fields[.contentType] == "image/jpeg")
    #expect(write.value.freshUntil == server.fixture.clock.now + fresh)
    #expect(write.value.staleUntil == server.fixture.clock.now + stale)
    #expect(server.tier.writes.count == 1)
    #expect(!server.tier.calls.contains("release t"))
  }

  static let answers: [(bytes: [UInt8], fields: HTTPFields, room: Int, isWritten: Bool)] = [
    (SampleImages.photo, [.cacheControl: "max-age=100"], 0, true),
    (SampleImages.photo, [.cacheControl: "max-age=100"], -1, false),
    (SampleImages.photo, [.cacheControl: "private, max-age=100"], 0, false),
    (SampleImages.photo, [.cacheControl: "max-age=100", .vary: "Accept"], 0, false),
    (Array("not an image".utf8), [.cacheControl: "max-age=100"], 0, false),
  ]

  @Test(arguments: answers.indices)
  func `too long, for this server alone or not an image is not written`(index: Int) async throws {
    let (bytes, fields, room, isWritten) = Self.answers[index]
    let server = try TieredFixture(
      StubFetcher(returning: bytes, fields: fields), maximumByteCount: bytes.count + room)
    server.tier.answer(.make(server.lock))

    _ = try? await server.load()

    #expect(server.tier.calls == ["turn", isWritten ? "write" : "release t"])
  }

  @Test(arguments: [(404, true), (410, true), (403, false), (500, false)])
  func `that the origin refuses for good is written as that, and no other failure`(
    status: Int, isWritten: Bool
  ) async throws {
    let server = try TieredFixture(StubFetcher { _ in throw StubFetcher.failure(status) })
    server.tier.answer(.make(server.lock))

    #expect(await server.error()?.status == status)
    #expect(server.tier.calls == ["turn", isWritten ? "write" : "release t"])
    if let write = server.tier.writes.first {
      #expect(write.value.response.status == status)
      #expect(write.value.body == [])
      #expect(write.value.freshUntil > server.fixture.clock.now)
      #expect(write.value.staleUntil == write.value.freshUntil)
      #expect(write.lock == server.lock)
    }
  }

  @Test func `that a caller reloads is fetched without a turn, and written`() async throws {
    let server = try TieredFixture()
    server.tier.confirm(.unknown, server.generation)
    _ = try await server.load { $0.cache.policy = .reload }

    #expect(server.tier.calls == ["write"])
    #expect(server.tier.writes.first?.generation == server.generation)
    #expect(server.tier.writes.first?.lock == nil)
  }

  @Test func `on disk is fetched again if another server has purged it`() async throws {
    let server = try TieredFixture()
    _ = try await server.load()
    server.tier.confirm(.purged)
    let response = try await server.load()

    #expect(response.source == .network)
    #expect(server.fetcher.count == 2)
    #expect(server.tier.calls == ["turn", "confirm", "turn"])
  }

  @Test func `on disk is not served in place of a purged one that the origin lost`() async throws {
    let server = try TieredFixture()
    _ = try await server.load()
    server.tier.confirm(.purged)
    server.fetcher.become { _ in throw StubFetcher.failure(500) }

    #expect(await server.error()?.status == 500)
    #expect(await server.fixture.cache?.variations(of: TieredFixture.url).isEmpty == true)
  }

  @Test(arguments: [false, true])
  func `on disk answers where the tier cannot tell, and is fetched again if it lost it`(
    isKnown: Bool
  ) async throws {
    let server = try TieredFixture()
    _ = try await server.load()
    server.tier.confirm(isKnown ? .unknown : .unrelated(server.generation), server.generation)

    #expect(try await server.load().source == .disk)
    if !isKnown { await Condition.until { server.fetcher.count == 2 } }
    await server.fixture.pipeline.close()
    #expect(server.fetcher.count == (isKnown ? 1 : 2))
  }

  @Test func `lost with many others by its own directory is taken from the tier again`()
    async throws
  {
    let server = try TieredFixture()
    server.tier.answer(
      .use(server.value(tags: ["day-20200616"]), server.generation),
      .use(server.value(), server.generation))
    let first = try await server.load()
    // Its tags are those of the other server, whose groups it does not join.
    #expect(first.original.groups.isEmpty)
    #expect(CacheTag.all(of: first.original).map(\.name).contains("day-20200616"))
    // Like `rm` without the tier, for more URLs than are remembered individually.
    let many = (0..<200).map { "https://test.invalid/\($0).jpg" }
    server.fixture.clock.advance(by: 1)
    try await server.fixture.cache?.purge(CachePurge(urls: many + [TieredFixture.url]))
    server.fixture.clock.advance(by: 1)

    let again = try await server.load()
    #expect(again.source == .sharedTier && again.storeFailure == nil)
    server.tier.confirm(.current(server.generation))
    #expect(try await server.load().source == .disk)
    #expect(server.fetcher.count == 0)
  }

  @Test func `requested with fields that it may depend on is not shared`() async throws {
    let server = try TieredFixture()
    let response = try await server.load { $0.network.headers[.accept] = "image/webp" }

    #expect(response.source == .network)
    #expect(server.tier.calls == [])
  }

  @Test func `of a day is written with the tag of the day`() async throws {
    let server = try TieredFixture()
    server.tier.answer(.make(server.lock))
    _ = try await server.load { $0.storage.groups = ["day:20200616"] }

    #expect(server.tier.writes.first?.value.tags.contains("day-20200616") == true)
  }
}
