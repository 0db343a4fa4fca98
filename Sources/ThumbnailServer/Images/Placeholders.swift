import CachePolicies
import DiskCaching
import HTTPTypes
import ImageCodecs
import ImageModel
import ImagePipeline
import LoadScheduling
import NIOCore

/// Makes placeholders for unavailable images; no cache stores them as the image.
struct Placeholders: Sendable {
  let cache: DiskCache
  let executor: BlockingExecutor
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
    let size = source.recipe.size
    let made = try await decodes.run(
      priority: LivePriority(), pixelCount: size.pixelCount
    ) { try await executor.run { try make(source, image) } }
    memory.insert(.placeholder(made), for: key, byteCount: made.bytes.count)
    return made
  }

  /// The input of the placeholder for a request.
  private func source(of wanted: ThumbnailParameters, isKnown: Bool) async -> Source {
    var recipe = wanted.recipe ?? ThumbnailRecipe(size: PixelSize(width: 0, height: 0))
    let sides = [recipe.size.width, recipe.size.height].map { min($0, Self.maximumSide) }
    let free = max(sides[0], sides[1]) > 0 ? max(sides[0], sides[1]) : Self.defaultSide
    recipe.size = PixelSize(
      width: sides[0] > 0 ? sides[0] : free, height: sides[1] > 0 ? sides[1] : free)
    recipe.frame = 0
    if recipe.format == .gif { recipe.format = nil }
    recipe.followsSource = false
    guard !isKnown else { return Source(recipe: recipe) }
    recipe.enlarges = true
    let record = await cache.record(for: .original(url: wanted.url))
    return Source(
      recipe: recipe, thumbHash: record?.thumbHash ?? [], color: record?.dominantColor)
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
