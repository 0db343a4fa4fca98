public import ImageModel

/// Mixes a colour into an image, for placeholders and dimmed images.
public struct Tint: ImageProcessing, Hashable {
  /// The colour; its alpha is the strength of the tint.
  public let color: PixelColor

  /// Creates a step.
  public init(_ color: PixelColor) {
    self.color = color
  }

  /// For example `tint(ff000080)`.
  public var identity: String { "tint(\(color))" }

  /// Mixes the colour in; the alpha of the image stays. A colour without alpha changes nothing.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    guard color.alpha > 0 else { return image }
    var result = image
    PixelKernels.tint(&result, with: color)
    return result
  }
}

extension ImageProcessing where Self == Tint {
  /// A ``Tint`` as strong as the alpha of a colour.
  public static func tint(_ color: PixelColor) -> Tint { Tint(color) }
}
