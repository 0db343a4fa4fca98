import CachePolicies
import DiskCaching
import HTTPListening
import HTTPTypes
import ImageCodecs
import ImageModel
import ImagePipeline
import LoadScheduling
import NIOCore

struct Placeholders: Sendable {
  let cache: DiskCache
  let pipeline: ImagePipeline
  /// Bounds them like other images: when it is saturated, there is no placeholder.
  let decodes: DecodeGate
  let memory: ResponseCache

  /// The input of a placeholder; equal sources make equal placeholders.
  private struct Source: Hashable {
    var recipe: ThumbnailRecipe
    var thumbHash: [UInt8] = []
    var color: UInt32?
  }

  /// The maximum side; a larger one would show nothing more.
  private static let maximumSide = 1024
  private static let defaultSide = 256
  private static let color = PixelColor(red: 226, green: 231, blue: 237)

  /// The placeholder for a request, in the requested size and format; `nil` if it cannot be made
  /// now.
  ///
  /// - Parameter image: The encoded placeholder; `nil` for one computed from the image's metadata
  ///   in the cache, else a grey one.
  func answer(for wanted: ThumbnailParameters, from image: [UInt8]?) async -> Answer? {
    guard let encoded = try? await placeholder(for: wanted, image) else { return nil }
    return Answer(
      fields: [
        .contentType: encoded.format.mediaType, .cacheControl: "no-store",
        .cacheStatus: "imgcache; detail=placeholder",
      ], body: .bytes(ByteBuffer(bytes: encoded.bytes)))
  }

  private func placeholder(
    for wanted: ThumbnailParameters, _ image: [UInt8]?
  ) async throws -> EncodedImage {
    let source = await source(of: wanted, isKnown: image != nil)
    let key = MemoryKey(source)
    if case .placeholder(let image)? = memory.value(for: key) { return image }
    let longer = max(source.recipe.size.width, source.recipe.size.height)
    let made = try await decodes.run(
      priority: LivePriority(), pixelCount: longer * longer
    ) { try await pipeline.onOwnThreads { try make(source, image) } }
    memory.insert(.placeholder(made), for: key, byteCount: made.bytes.count)
    return made
  }

  private func source(of wanted: ThumbnailParameters, isKnown: Bool) async -> Source {
    var recipe = wanted.recipe ?? ThumbnailRecipe(size: PixelSize(width: 0, height: 0))
    recipe.frame = 0
    if recipe.format == .gif { recipe.format = nil }
    recipe.formatsBySource = [:]
    let record = isKnown ? nil : await cache.record(for: .image(at: wanted.url))
    if !isKnown { recipe.enlarges = true }
    recipe.size = Self.size(recipe.size, hasShape: record?.thumbHash.isEmpty == false)
    return Source(
      recipe: recipe, thumbHash: record?.thumbHash ?? [], color: record?.dominantColor)
  }

  /// - Parameter hasShape: Whether a side that is free follows from what is drawn; else it is as
  /// long as the other one.
  static func size(_ wanted: PixelSize, hasShape: Bool) -> PixelSize {
    let (width, height) = (min(wanted.width, maximumSide), min(wanted.height, maximumSide))
    let longer = max(width, height)
    if longer == 0 { return PixelSize(width: defaultSide, height: defaultSide) }
    if hasShape { return PixelSize(width: width, height: height) }
    return PixelSize(width: width > 0 ? width : longer, height: height > 0 ? height : longer)
  }

  private func make(_ source: Source, _ image: [UInt8]?) throws -> EncodedImage {
    if let image {
      return try ImageCodecs.thumbnail(of: image.span.bytes, recipe: source.recipe)
    }
    let known = ImagePlaceholder.remembered(otherwise: .color(Self.color))
      .pixels(thumbHash: source.thumbHash, dominantColor: source.color)
    guard let pixels = known else { throw ImageError(.corrupt, "the placeholder has no pixels") }
    let png = try ImageCodecs.encodePNG(pixels)
    return try ImageCodecs.thumbnail(of: png.span.bytes, recipe: source.recipe)
  }
}
