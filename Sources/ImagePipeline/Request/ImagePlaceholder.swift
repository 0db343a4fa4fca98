public import ImageCodecs
public import ImageModel

/// The content to show until an image has loaded.
public indirect enum ImagePlaceholder: Sendable, Hashable {
  /// Nothing.
  case none
  /// This image.
  case image(PixelBuffer)
  /// One colour: an image of a single pixel.
  case color(PixelColor)
  /// The image that a ThumbHash describes, 32 pixels on its longer side.
  case thumbHash(ThumbHash)
  /// The ThumbHash or main colour that the cache has for the URL; else another placeholder.
  case remembered(otherwise: ImagePlaceholder)

  /// The pixels to show; `nil` for ``none``.
  ///
  /// - Parameters:
  ///   - thumbHash: The one in the cache; empty for none.
  ///   - dominantColor: The same, as 0xRRGGBB.
  public func pixels(thumbHash: [UInt8] = [], dominantColor: UInt32? = nil) -> PixelBuffer? {
    switch self {
    case .none: return nil
    case .image(let pixels): return pixels
    case .color(let color):
      return PixelBuffer(PixelSize(width: 1, height: 1), filledWith: color)
    case .thumbHash(let hash): return hash.pixels()
    case .remembered(let other):
      if let hash = ThumbHash(bytes: thumbHash) { return hash.pixels() }
      guard let rgb = dominantColor else { return other.pixels() }
      let color = PixelColor(
        red: UInt8(rgb >> 16 & 255), green: UInt8(rgb >> 8 & 255), blue: UInt8(rgb & 255))
      return ImagePlaceholder.color(color).pixels()
    }
  }

  var asksCache: Bool {
    if case .remembered = self { true } else { false }
  }
}
