import HTTPTypes
import ImagePipeline
import NIOCore

/// Stands in for pictures that cannot be had: never the picture, never kept by anybody.
struct Placeholders: Sendable {
  /// The encoded picture that stands in; `nil` for one made of what the cache remembers, else of plain grey.
  let picture: [UInt8]?
  let cache: DiskCache
  let executor: BlockingExecutor
  /// They are made like other pictures: where no more can be made, there is none.
  let decodes: DecodeGate
  /// Those that were made, ready for the next who asks.
  private let made: MemoryCache<Made>

  private final class Made: Sendable {
    let picture: EncodedImage
    init(_ picture: EncodedImage) { self.picture = picture }
  }
  /// Two equal ones make equal stand-ins.
  private struct Source: Hashable {
    var recipe: ThumbnailRecipe
    var thumbHash: [UInt8] = []
    var color: UInt32?
  }

  /// Larger stand-ins are not made: they say nothing more.
  private static let maximumSide = 1024
  private static let defaultSide = 256
  private static let color = PixelColor(red: 226, green: 231, blue: 237)
  private static let maximumMadeByteCount = 4 << 20

  init(
    picture: [UInt8]?, cache: DiskCache, executor: BlockingExecutor, decodes: DecodeGate
  ) {
    self.picture = picture
    self.cache = cache
    self.executor = executor
    self.decodes = decodes
    var memory = MemoryCacheConfiguration()
    memory.maximumByteCount = Self.maximumMadeByteCount
    memory.shardCount = 1
    made = MemoryCache(memory)
  }

  /// The stand-in for a request, in the size and format it asked for; `nil` when even that cannot be made now.
  func answer(for wanted: ThumbnailParameters) async -> Answer? {
    guard let encoded = try? await standIn(for: wanted) else { return nil }
    return Answer(
      fields: [
        .contentType: encoded.format.mediaType, .cacheControl: "no-store",
        .cacheStatus: "imgcache; detail=placeholder",
      ], body: .bytes(ByteBuffer(bytes: encoded.bytes)))
  }

  private func standIn(for wanted: ThumbnailParameters) async throws -> EncodedImage {
    let source: Source = try await executor.run { self.source(of: wanted) }
    let key = MemoryKey(source)
    if let kept = made.value(for: key) { return kept.picture }
    let size = source.recipe.size
    let picture = try await decodes.run(
      priority: LivePriority(), pixelCount: size.pixelCount
    ) { try await executor.run { try make(source) } }
    made.insert(Made(picture), for: key, byteCount: picture.bytes.count)
    return picture
  }

  /// What the stand-in for a request is made of.
  private func source(of wanted: ThumbnailParameters) -> Source {
    var recipe = wanted.recipe ?? ThumbnailRecipe(size: PixelSize(width: 0, height: 0))
    let sides = [recipe.size.width, recipe.size.height].map { min($0, Self.maximumSide) }
    let free = max(sides[0], sides[1]) > 0 ? max(sides[0], sides[1]) : Self.defaultSide
    recipe.size = PixelSize(
      width: sides[0] > 0 ? sides[0] : free, height: sides[1] > 0 ? sides[1] : free)
    recipe.frame = 0
    if recipe.format == .gif { recipe.format = .auto }
    guard picture == nil else { return Source(recipe: recipe) }
    recipe.enlarges = true
    let record = cache.record(for: .original(url: wanted.url))
    return Source(
      recipe: recipe, thumbHash: record?.thumbHash ?? [], color: record?.dominantColor)
  }

  private func make(_ source: Source) throws -> EncodedImage {
    if let picture {
      return try ImageCodecs.thumbnail(of: picture.span.bytes, recipe: source.recipe)
    }
    let known = ImagePlaceholder.remembered(otherwise: .color(Self.color))
      .picture(thumbHash: source.thumbHash, dominantColor: source.color)
    guard let pixels = known else { throw ImageError(.corrupt, "a placeholder has a pixel") }
    let png = try ImageCodecs.encodePNG(pixels)
    return try ImageCodecs.thumbnail(of: png.span.bytes, recipe: source.recipe)
  }
}
