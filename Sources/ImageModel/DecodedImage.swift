#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Pixels ready to be shown, and what is known of where they came from: what the memory tier keeps.
public struct DecodedImage: Sendable {
  /// The pixels, upright; of an animation the first frame.
  public var pixels: PixelBuffer
  /// What the original's bytes are.
  public var format: ImageFormat?
  /// The size of the original as it is shown.
  public var originalSize: PixelSize
  /// Frames of the original, at least 1.
  public var frameCount: Int
  /// Until when the image may be shown without asking the origin.
  public var freshUntil: Date
  /// The URL of the original as the cache spells it, by which the image is purged; `nil` where it is
  /// not known.
  public var url: String?

  /// Wraps pixels that are there already; set what else is known.
  public init(
    pixels: PixelBuffer, format: ImageFormat? = nil, originalSize: PixelSize? = nil,
    frameCount: Int = 1, freshUntil: Date = .distantPast, url: String? = nil
  ) {
    self.pixels = pixels
    self.format = format
    self.originalSize = originalSize ?? pixels.size
    self.frameCount = frameCount
    self.freshUntil = freshUntil
    self.url = url
  }

  /// Bytes of memory that the pixels take.
  public var byteCount: Int { pixels.bytes.count }
}
