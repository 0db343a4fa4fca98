import Foundation
import ImagePipeline
import Testing

@testable import SampleFeed

/// The library in ten lines, as README shows it.
private func example(
  directory: String, url: String, draw: @escaping @Sendable (PixelBuffer?) -> Void
) async throws -> (ImageResponse, ImageSlot) {
  var configuration = ImagePipeline.Configuration(fetcher: try HTTPFetcher(example))
  configuration.memory = MemoryCache()
  configuration.diskCache = try DiskCache(DiskCache.Configuration(directory: directory))
  let pipeline = try ImagePipeline(configuration)

  var request = ImageRequest(url: url)
  request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 200, height: 200), fit: .cover)
  request.processors = [RoundCorners(.pixels(12))]
  let response = try await pipeline.image(for: request)
  print("\(response.image.size) from \(response.source), \(response.freshness)")

  let slot = ImageSlot(pipeline) { content in draw(content.pixels) }
  slot.set(url: url, placeholder: .remembered(otherwise: .color(.white)))
  return (response, slot)
}

@Suite struct `The example in README` {
  @Test func `it does what it says`() async throws {
    let scratch = try Scratch()
    let picture = try ImageCodecs.encodeJPEG(
      PixelBuffer(clear: PixelSize(width: 320, height: 240)), quality: 80)
    let origin = try LoopbackServer { _ in LoopbackResponse(status: 200, body: picture) }
    defer { origin.stop() }
    let (drawn, drawing) = AsyncStream<PixelBuffer?>.makeStream()

    let (response, slot) = try await example(
      directory: scratch / "cache", url: origin.origin + "/a.jpg"
    ) { drawing.yield($0) }
    var sizes: [PixelSize?] = []
    for await pixels in drawn {
      sizes.append(pixels?.size)
      if pixels?.size.width == 320 { break }
    }

    #expect(response.image.size == PixelSize(width: 200, height: 200))
    #expect(response.source == .network)
    #expect(sizes.last == PixelSize(width: 320, height: 240))
    #expect(slot.content.pixels != nil)
  }
}

/// The example's origin is this machine, which a fetcher refuses unless it is told otherwise.
private let example: HTTPFetcher.Configuration = {
  var configuration = HTTPFetcher.Configuration()
  configuration.hostGuard.allowsPrivateNetworks = true
  return configuration
}()
