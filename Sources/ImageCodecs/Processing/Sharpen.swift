public import ImageModel

/// Sharpens an image by an unsharp mask: what a blur would remove is added once more.
public struct Sharpen: ImageProcessing, Hashable {
  /// The standard deviation of the blur in pixels.
  public let radius: Double

  /// Creates a step.
  public init(radius: Double) {
    self.radius = radius
  }

  /// For example `sharpen(1.0)`.
  public var identity: String { "sharpen(\(radius))" }

  /// Throws `ImageError` with code `invalidArgument` as ``Blur/check()``.
  public func check() throws(ImageError) { try Blur(radius: radius).check() }

  /// Sharpens the image; alpha stays. A radius of 0 returns it unchanged.
  ///
  /// - Throws: `ImageError` as ``check()``.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    let blurred = try Blur(radius: radius).process(image)
    var result = image
    PixelKernels.sharpen(&result, against: blurred)
    return result
  }
}

extension ImageProcessing where Self == Sharpen {
  /// A ``Sharpen`` with the standard deviation of its blur in pixels.
  public static func sharpen(radius: Double) -> Sharpen { Sharpen(radius: radius) }
}

/// Makes an image gray, by the luminance of its colours as sRGB.
///
/// Source: ITU-R BT.709 for the weights, IEC 61966-2-1 for linear light.
public struct Grayscale: ImageProcessing, Hashable {
  /// Creates a step.
  public init() {}

  /// `gray`.
  public var identity: String { "gray" }

  /// Makes the image gray; alpha stays.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    var result = image
    PixelKernels.gray(&result)
    return result
  }
}

extension ImageProcessing where Self == Grayscale {
  /// A ``Grayscale``.
  public static var grayscale: Grayscale { Grayscale() }
}
