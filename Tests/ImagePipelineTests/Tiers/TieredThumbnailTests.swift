import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `A thumbnail behind a shared tier` {
  private static let small: [UInt8] =
    (try? ImageCodecs.encodeJPEG(SampleImages.gradient(16, 12))) ?? []
  private let server: TieredFixture

  init() throws { server = try TieredFixture() }

  private var request: ImageRequest {
    var request = ImageRequest(url: TieredFixture.url)
    request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 16, height: 12))
    request.storage.rule = .both
    return request
  }

  private var tier: StubTier { server.tier }
  private var fixture: PipelineFixture { server.fixture }
  private var generation: TierGeneration { server.generation }
  private var key: TierKey { TierKey(url: TieredFixture.url, variant: request.resultIdentity) }
  private func lock(_ key: TierKey, _ token: String) -> TierLock { server.lock(key, token) }

  @Test func `is taken from it as it is, without its original`() async throws {
    tier.answer(.use(server.value(Self.small), generation))
    let response = try await fixture.pipeline.data(for: request)

    #expect(try response.bytes() == Self.small)
    #expect(response.source == .sharedTier)
    #expect(fixture.fetcher.count == 0)
    #expect(tier.writes.isEmpty)
    tier.confirm(.current(generation))
    #expect(try await fixture.pipeline.data(for: request).source == .disk)
  }

  @Test(arguments: [("not an image", 200), ("", 404)])
  func `replaces what is useless in the tier`(text: String, status: Int) async throws {
    tier.answer(
      .use(server.value(Array(text.utf8), status: status), generation), .make(lock(key.source, "o"))
    )
    let response = try await fixture.pipeline.data(for: request)
    let write = try #require(tier.writes.first { $0.key == key })

    #expect(response.source == .network)
    #expect(write.generation == generation)
    #expect(write.lock == nil)
    #expect(try response.bytes() == write.value.body)
  }

  @Test func `is made under its lock, from an original fetched under another`() async throws {
    tier.answer(.make(lock(key, "t")), .make(lock(key.source, "o")))
    let response = try await fixture.pipeline.data(for: request)

    #expect(tier.writes.map(\.lock?.token) == ["o", "t"])
    #expect(tier.writes.map(\.key) == [key.source, key])
    #expect(tier.writes.map(\.generation) == [generation, generation])
    #expect(tier.writes.first?.value.body == SampleImages.photo)
    #expect(try tier.writes.last?.value.body == response.bytes())
    #expect(!tier.calls.contains { $0.hasPrefix("release") })
  }

  @Test func `releases its lock where its original cannot be fetched`() async throws {
    fixture.fetcher.become { _ in throw StubFetcher.failure(500) }
    tier.answer(.make(lock(key, "t")), .make(lock(key.source, "o")))
    #expect(await imageError { try await fixture.pipeline.data(for: request) }?.status == 500)
    #expect(tier.calls == ["turn", "turn", "release o", "release t"])
  }

  @Test func `is made and not written where its original has no generation`() async throws {
    // The servers failed between the two.
    tier.answer(.make(lock(key, "t")), .makeAlone)
    _ = try await fixture.pipeline.data(for: request)

    #expect(tier.writes.isEmpty)
    #expect(tier.calls == ["turn", "turn", "release t"])
  }

  @Test func `of another's original is dated by its origin response`() async throws {
    let original = server.value()
    tier.answer(.make(lock(key, "t")), .use(original, generation))
    fixture.clock.advance(by: 5)
    let response = try await fixture.pipeline.data(for: request)
    let write = try #require(tier.writes.first)

    #expect(response.isNew && response.source == .sharedTier)
    #expect(write.key == key && write.value.currentAt == original.currentAt)
    #expect(write.value.response.responseTime == fixture.clock.now)
  }
}
