import ImageCodecs
import ImageModel

/// Images as a contact sheet shows them: they fill their places, and are opaque.
struct SheetImages: Sendable {
  private let recipe: ThumbnailRecipe
  private let limits: ImageLimits
  private let quality: Int

  /// - Parameters:
  ///   - size: The pixels of each image.
  ///   - shade: The colour under transparent pixels.
  init(size: PixelSize, shade: PixelColor, quality: Int, limits: ImageLimits) {
    var recipe = ThumbnailRecipe(size: size)
    recipe.enlarges = true
    recipe.background = shade
    self.recipe = recipe
    self.limits = limits
    self.quality = quality
  }

  func image(_ bytes: [UInt8]) throws(ImageError) -> PixelBuffer {
    try ImageCodecs.pixels(of: bytes.span.bytes, recipe: recipe, limits: limits)
  }

  func info(_ bytes: [UInt8]) throws(ImageError) -> ImageInfo {
    try ImageCodecs.info(of: bytes.span.bytes, limits: limits)
  }

  func jpeg(_ image: PixelBuffer?) throws(ImageError) -> [UInt8]? {
    guard let image else { return nil }
    return try ImageCodecs.encodeJPEG(image, options: .init(quality: quality))
  }

  /// - Throws: ``ImageError`` with code `invalidArgument` when the file is not an image.
  func placeholder(_ path: String) throws(ImageError) -> PixelBuffer {
    let bytes = try InputFile.read(
      path, maximum: limits.maximumByteCount, namedBy: "--placeholder")
    do throws(ImageError) {
      return try image(bytes)
    } catch {
      throw ImageError(
        .invalidArgument, "the placeholder \(path) cannot be used: \(error.message)")
    }
  }
}
