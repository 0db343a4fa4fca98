import DiskCaching
import Foundation
import ImageCodecs
import ImageFetching
import ImageModel
import ImagePipeline
import Testing

@testable import ImageFeeds
@testable import SampleFeed

@Suite struct `The example in README` {
  @Test func `loads and shows images as README states`() async throws {
    let scratch = try Scratch()
    let picture = try ImageCodecs.encodeJPEG(
      PixelBuffer(clear: PixelSize(width: 320, height: 240)), quality: 80)
    let origin = try LoopbackServer { _ in LoopbackResponse(status: 200, body: picture) }
    defer { origin.stop() }
    let (drawn, drawing) = AsyncStream<PixelBuffer?>.makeStream()

    let (response, slot) = try await readmeExample(
      directory: scratch / "cache", url: origin.origin + "/a.jpg"
    ) { drawing.yield($0) }
    var sizes: [PixelSize?] = []
    for await pixels in drawn {
      sizes.append(pixels?.size)
      if pixels?.size.width == 320 { break }
    }

    #expect(response.image.size == PixelSize(width: 200, height: 200))
    // The whole image was decoded before, and its original is stored.
    #expect(response.source != .memory)
    #expect(sizes.last == PixelSize(width: 320, height: 240))
    #expect(slot.content.pixels != nil)
  }

  @Test func `the day archive stores a day and exports its files`() async throws {
    let scratch = try Scratch()
    let origin = try FeedOrigin(images: ["a", "b"])
    defer { origin.stop() }
    let feed = origin.rss("/feed.xml", [("a", "2020-06-17"), ("b", "2020-06-17")])
    var configuration = ImagePipeline.Configuration(fetcher: try HTTPFetcher(example))
    configuration.diskCache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))

    let result = try await readmeArchiveExample(
      ImagePipeline(configuration), feed: .url(feed), folder: scratch / "days")

    #expect(result.isComplete && result.downloaded == 2)
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch / "days/20200617")
    #expect(files.count == 4 && files.contains("index.json") && files.contains("index.html"))
  }
}

/// The example's origin is on loopback, which a fetcher refuses by default.
let example: HTTPFetcher.Configuration = {
  var configuration = HTTPFetcher.Configuration()
  configuration.hostGuard.allowsPrivateNetworks = true
  return configuration
}()
