import HTTPTypes
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

@Suite struct `Several sizes of one image` {
  private func request(_ side: Int) -> ImageRequest {
    with(ImageRequest(url: url)) {
      $0.thumbnail = ThumbnailRecipe(size: PixelSize(width: side, height: side))
    }
  }

  @Test func `are one download, one after the other and after a restart`() async throws {
    let scratch = try Scratch()
    let fetcher = StubFetcher(fields: [.cacheControl: "max-age=60"])
    let fixture = try PipelineFixture(fetcher, in: scratch)

    var first: [PixelBuffer] = []
    for side in [8, 12, 16] {
      first.append(try await fixture.pipeline.image(for: request(side)).image)
    }
    let restarted = try PipelineFixture(fetcher, in: scratch)
    var later: [ImageResponse] = []
    for side in [8, 12, 16] {
      later.append(try await restarted.pipeline.image(for: request(side)))
    }

    #expect(fetcher.count == 1)
    #expect(later.allSatisfy { $0.source == .disk })
    #expect(later.map(\.image) == first)
  }

  @Test func `are encoded once each`() async throws {
    let scratch = try Scratch()
    let fetcher = StubFetcher(fields: [.cacheControl: "max-age=60"])
    let fixture = try PipelineFixture(fetcher, in: scratch)

    let made = try await fixture.pipeline.data(for: request(8))
    _ = try await fixture.pipeline.data(for: request(12))
    let again = try await fixture.pipeline.data(for: request(8))

    #expect(made.isNew && !again.isNew)
    #expect(try made.bytes() == again.bytes())
    #expect(fetcher.count == 1)
  }
}
