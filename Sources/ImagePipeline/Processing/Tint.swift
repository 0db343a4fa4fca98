/// Mixes a colour into a picture, for placeholders and dimmed pictures.
public struct Tint: ImageProcessing, Hashable {
  /// The colour; its alpha says how much of it.
  public let color: PixelColor

  /// Creates a step.
  public init(_ color: PixelColor) {
    self.color = color
  }

  /// For example `tint(ff000080)`.
  public var identity: String { "tint(\(color))" }

  /// Mixes the colour in; the alpha of the picture stays. A colour without alpha changes nothing.
  public func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    guard color.alpha > 0 else { return picture }
    var result = picture
    PixelKernels.tint(&result, with: color)
    return result
  }
}
