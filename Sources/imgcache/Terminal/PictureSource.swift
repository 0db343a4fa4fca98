import ImagePipeline

/// The frames of one image at whatever size they are wanted.
struct PictureSource: Sendable {
  let bytes: [UInt8]
  let limits: ImageLimits
  private let player: AnimationPlayer

  /// - Throws: ``ImageError`` for what is no image, or too much of one.
  init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
    self.bytes = bytes
    self.limits = limits
    player = try AnimationPlayer(
      bytes, content: "shown", budget: FrameBudget(maximumByteCount: 32 << 20), limits: limits)
  }

  /// What the file says of itself.
  var info: ImageInfo { player.info }

  /// A frame, stretched to a size.
  ///
  /// A still is decoded at that size at once, so that a large one needs little memory.
  ///
  /// - Throws: ``ImageError``: `invalidArgument` for a frame that is not there, or what is wrong with the file.
  func frame(_ index: Int, scaledTo size: PixelSize) throws(ImageError) -> PixelBuffer {
    if info.frameCount == 1, index == 0 {
      var recipe = ThumbnailRecipe(size: size, fit: .fill)
      recipe.enlarges = true
      return try ImageCodecs.small(bytes.span.bytes, recipe: recipe, limits: limits)
    }
    return try Resize(size, fit: .fill, enlarges: true).process(player.frame(at: index))
  }
}
