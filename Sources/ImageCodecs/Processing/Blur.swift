public import ImageModel

/// Blurs an image with nearly a Gaussian.
public struct Blur: ImageProcessing, Hashable {
  /// The standard deviation in pixels.
  public let radius: Double

  /// Creates a step.
  public init(radius: Double) {
    self.radius = radius
  }

  /// For example `blur(4.0)`.
  public var identity: String { "blur(\(radius))" }

  /// Throws `ImageError` with code `invalidArgument` for a radius that is negative, above 1000, or
  /// no number.
  public func check() throws(ImageError) {
    guard radius.isFinite, (0...1000).contains(radius) else {
      throw ImageError(.invalidArgument, "a blur of \(radius) pixels; it must be 0 to 1000")
    }
  }

  /// Blurs the image, colours weighed by alpha. A radius of 0 returns it unchanged.
  ///
  /// From a deviation of 2 on three box filters approximate the Gaussian. Source: Kovesi, "Fast Almost-Gaussian Filtering",
  /// 2010.
  ///
  /// - Throws: `ImageError` as ``check()``.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    try check()
    guard radius > 0 else { return image }
    var result = image
    guard PixelKernels.blur(&result, deviation: radius) else {
      throw ImageError(.outOfMemory, "no memory to blur \(image.size) pixels")
    }
    return result
  }
}

extension ImageProcessing where Self == Blur {
  /// A ``Blur`` with a standard deviation in pixels.
  public static func blur(radius: Double) -> Blur { Blur(radius: radius) }
}
