/// What is shown until a picture comes.
public indirect enum ImagePlaceholder: Sendable, Hashable {
  /// Nothing.
  case none
  /// This picture.
  case picture(PixelBuffer)
  /// One colour: a picture of a single pixel.
  case color(PixelColor)
  /// The picture that a ThumbHash stands for, 32 pixels on its longer side.
  case thumbHash(ThumbHash)
  /// What the cache remembers of the URL: its ThumbHash, or its main colour; else another.
  case remembered(otherwise: ImagePlaceholder)

  /// The picture to show.
  ///
  /// - Parameters:
  ///   - thumbHash: What the cache remembers; empty for nothing.
  ///   - dominantColor: The same, as 0xRRGGBB.
  package func picture(thumbHash: [UInt8] = [], dominantColor: UInt32? = nil) -> PixelBuffer? {
    switch self {
    case .none: return nil
    case .picture(let pixels): return pixels
    case .color(let color):
      return PixelBuffer(
        size: PixelSize(width: 1, height: 1),
        bytes: [color.red, color.green, color.blue, color.alpha])
    case .thumbHash(let hash): return hash.picture()
    case .remembered(let other):
      if let hash = ThumbHash(bytes: thumbHash) { return hash.picture() }
      guard let rgb = dominantColor else { return other.picture() }
      let color = PixelColor(
        red: UInt8(rgb >> 16 & 255), green: UInt8(rgb >> 8 & 255), blue: UInt8(rgb & 255))
      return ImagePlaceholder.color(color).picture()
    }
  }

  /// Whether the cache has to be asked for it.
  var asksCache: Bool {
    if case .remembered = self { true } else { false }
  }
}
