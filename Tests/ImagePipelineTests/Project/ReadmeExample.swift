import Foundation
import ImagePipeline
import Testing

@testable import ImageFeeds
@testable import SampleFeed

/// The library in ten lines, as README shows it.
private func example(
  directory: String, url: String, draw: @escaping @Sendable (PixelBuffer?) -> Void
) async throws -> (ImageResponse, ImageSlot) {
  let pipeline = try ImagePipeline(directory: directory, fetching: example)
  let image = try await pipeline.image(for: url).image
  print("\(image.width)x\(image.height)")

  var request = ImageRequest(url: url)
  request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 200, height: 200), fit: .cover)
  request.processors = [RoundCorners(.pixels(12))]
  let response = try await pipeline.image(for: request)
  print("\(response.image.size) from \(response.source), \(response.freshness)")

  let slot = ImageSlot(pipeline) { content in draw(content.pixels) }
  slot.set(url: url, placeholder: .remembered(otherwise: .color(.white)))
  return (response, slot)
}

/// The archive of days, as README shows it.
private func archiveExample(
  _ pipeline: ImagePipeline, feed: FeedSource, folder: String
) async throws -> PrefetchProgress {
  let archive = DayArchive(pipeline, feed: feed)  // for example .zhihuDaily
  let result = try await archive.prefetch([.latest]) { event, progress in
    guard case .image(let image) = event else { return }
    print("\(progress.images) of \(progress.total): \(image.url)")
  }
  try await archive.export(result.days.map { .day($0) }, to: DayExport(folder))
  return result
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
    // The whole image was decoded before, its original is stored.
    #expect(response.source != .memory)
    #expect(sizes.last == PixelSize(width: 320, height: 240))
    #expect(slot.content.pixels != nil)
  }

  @Test func `the archive of days keeps a day and places its files`() async throws {
    let scratch = try Scratch()
    let origin = try FeedOrigin(images: ["a", "b"])
    defer { origin.stop() }
    let feed = origin.rss("/feed.xml", [("a", "2020-06-17"), ("b", "2020-06-17")])
    var configuration = ImagePipeline.Configuration(fetcher: try HTTPFetcher(example))
    configuration.diskCache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))

    let result = try await archiveExample(
      ImagePipeline(configuration), feed: .url(feed), folder: scratch / "days")

    #expect(result.isComplete && result.downloaded == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch / "days/20200617").count == 3)
  }
}

/// The example's origin is this machine, which a fetcher refuses unless it is told otherwise.
private let example: HTTPFetcher.Configuration = {
  var configuration = HTTPFetcher.Configuration()
  configuration.hostGuard.allowsPrivateNetworks = true
  return configuration
}()
