import Foundation
import ImagePipeline
import Testing

@testable import ImageFeeds

/// The library in ten lines, as README shows it.
private func example(directory: String, url: String) async throws -> ThumbnailResponse {
  let cache = try DiskCache(DiskCache.Configuration(directory: directory))
  var configuration = ImagePipeline.Configuration(fetcher: try HTTPFetcher(example))
  configuration.diskCache = cache
  let pipeline = try ImagePipeline(configuration)

  let request = ImageRequest(url: url)
  let original = try await pipeline.data(for: request)
  print("\(original.byteCount) bytes from \(original.source)")

  let recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200), fit: .cover)
  let thumbnail = try await pipeline.thumbnail(of: original, recipe, for: request)
  print(thumbnail.size, thumbnail.path ?? "not kept")
  return thumbnail
}

@Suite struct `The example in README` {
  @Test func `it does what it says`() async throws {
    let scratch = try Scratch()
    let picture = try ImageCodecs.encodeJPEG(
      PixelBuffer(clear: PixelSize(width: 320, height: 240)), quality: 80)
    let origin = try LoopbackServer { _ in LoopbackResponse(status: 200, body: picture) }
    defer { origin.stop() }

    let thumbnail = try await example(
      directory: scratch / "cache", url: origin.origin + "/a.jpg")

    #expect(thumbnail.size == PixelSize(width: 200, height: 200))
    #expect(thumbnail.path.map { FileManager.default.fileExists(atPath: $0) } == true)
  }
}

/// The example's origin is this machine, which a fetcher refuses unless it is told otherwise.
private let example: HTTPFetcher.Configuration = {
  var configuration = HTTPFetcher.Configuration()
  configuration.hostGuard.allowsPrivateNetworks = true
  return configuration
}()
