import ImageCodecs
import ImageCodecs  // for RoundCorners
import ImageFeeds
import ImageModel
import ImagePipeline

/// The library in ten lines, as in README.
func readmeExample(
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

/// The day archive, as in README.
func readmeArchiveExample(
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
