/// What can be shown before a picture comes: kept with its cache record.
public struct PicturePlaceholder: Sendable, Hashable {
  /// The picture in some twenty bytes.
  public let thumbHash: ThumbHash
  /// The colour that most of it is near to.
  public let dominantColor: PixelColor
}

extension ImageCodecs {
  /// Makes the placeholder of a file; a JPEG is decoded at a fraction of its size for it.
  ///
  /// - Throws: As ``thumbnail(of:recipe:limits:)``.
  public static func placeholder(
    of bytes: RawSpan, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> PicturePlaceholder {
    var recipe = ThumbnailRecipe(size: PixelSize(width: 100, height: 100), fit: .inside)
    recipe.filter = .area
    let info = try info(of: bytes, limits: limits)
    let geometry = try FitGeometry(
      source: info.size, box: recipe.size, fit: recipe.fit, limits: limits)
    let small = try Thumbnailer(info: info, geometry: geometry, recipe: recipe, limits: limits)
      .picture(of: bytes)
    return PicturePlaceholder(
      thumbHash: try ThumbHash(of: small), dominantColor: try DominantColor.of(small))
  }
}
