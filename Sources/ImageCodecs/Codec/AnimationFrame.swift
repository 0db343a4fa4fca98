public import ImageModel

/// One frame of an animation, as the whole canvas, and its delay.
public struct AnimationFrame: Sendable, Hashable {
  /// The whole canvas with this frame on it.
  public var pixels: PixelBuffer
  /// The delay that the file states; see `ImageInfo.shownDelay(for:)`.
  public var delay: Duration

  /// Creates a frame.
  public init(pixels: PixelBuffer, delay: Duration) {
    self.pixels = pixels
    self.delay = delay
  }
}
