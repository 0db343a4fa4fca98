public import ImageModel

/// Makes the corners of an image transparent.
public struct RoundCorners: ImageProcessing, Hashable {
  /// How far the corners are rounded.
  public enum Radius: Sendable, Hashable {
    /// In pixels; more than half the shorter side counts as half.
    case pixels(Double)
    /// The middle square becomes a circle.
    case circle
  }

  /// How far.
  public let radius: Radius

  /// Creates a step.
  public init(_ radius: Radius) {
    self.radius = radius
  }

  /// For example `round(12.0)` or `round(circle)`.
  public var identity: String {
    switch radius {
    case .pixels(let value): "round(\(value))"
    case .circle: "round(circle)"
    }
  }

  /// Throws `ImageError` with code `invalidArgument` for a radius that is negative or no number.
  public func check() throws(ImageError) {
    if case .pixels(let value) = radius, !value.isFinite || value < 0 {
      throw ImageError(.invalidArgument, "cannot round corners by \(value) pixels")
    }
  }

  /// Rounds the corners; edges are smooth. A radius of 0 returns the image unchanged.
  ///
  /// - Throws: `ImageError` as ``check()``.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    try check()
    switch radius {
    case .pixels(let value):
      guard value > 0 else { return image }
      var result = image
      PixelKernels.roundCorners(&result, radius: value)
      return result
    case .circle:
      let side = min(image.width, image.height)
      var result = try Crop(PixelSize(width: side, height: side)).process(image)
      PixelKernels.roundCorners(&result, radius: Double(side) / 2)
      return result
    }
  }
}

extension ImageProcessing where Self == RoundCorners {
  /// A ``RoundCorners`` by a radius in pixels.
  public static func roundCorners(_ radius: Double) -> RoundCorners {
    RoundCorners(.pixels(radius))
  }

  /// A ``RoundCorners`` that makes the middle square a circle.
  public static var circle: RoundCorners { RoundCorners(.circle) }
}
