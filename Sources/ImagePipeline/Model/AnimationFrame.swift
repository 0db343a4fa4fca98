/// One picture of an animation, whole as it is seen, and how long it shows.
public struct AnimationFrame: Sendable, Hashable {
  /// The whole canvas with this frame on it.
  public var pixels: PixelBuffer
  /// How long it shows, as written in the file; see ``ImageInfo/shownDelay(for:)``.
  public var delay: Duration

  /// Creates a frame.
  public init(pixels: PixelBuffer, delay: Duration) {
    self.pixels = pixels
    self.delay = delay
  }
}
