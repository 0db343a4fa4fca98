/// Decoded pixels with their source's metadata: the value that the memory tier stores.
public struct DecodedImage: Sendable {
  /// The pixels, upright; of an animation the first frame.
  public var pixels: PixelBuffer
  /// The format of the original's bytes.
  public var format: ImageFormat?
  /// The size of the original as it is shown.
  public var originalSize: PixelSize
  /// Frames of the original, at least 1.
  public var frameCount: Int
  /// The time until which the image may be shown without a request to the origin.
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

extension DecodedImage: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "pixels": pixels, "format": format, "originalSize": originalSize, "frameCount": frameCount,
      "freshUntil": freshUntil, "url": url,
    ]
  }
}
