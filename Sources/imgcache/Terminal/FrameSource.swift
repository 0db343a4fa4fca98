import ImageCodecs
import ImageModel

struct FrameSource: Sendable {
  let bytes: [UInt8]
  let limits: ImageLimits
  private let player: AnimationPlayer

  init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
    self.bytes = bytes
    self.limits = limits
    player = try AnimationPlayer(
      bytes, content: "shown", budget: FrameBudget(maximumByteCount: 32 << 20), limits: limits)
  }

  var info: ImageInfo { player.info }

  /// A still image is decoded at that size at once, so that a large one needs little memory.
  func frame(_ index: Int, scaledTo size: PixelSize) throws(ImageError) -> PixelBuffer {
    if info.frameCount == 1, index == 0 {
      var recipe = ThumbnailRecipe(size: size, fit: .fill)
      recipe.enlarges = true
      return try ImageCodecs.pixels(of: bytes.span.bytes, recipe: recipe, limits: limits)
    }
    return try Resize(size, fit: .fill, enlarges: true).process(player.frame(at: index))
  }
}
