public import ImageModel

/// Crops an image around a focal point.
public struct Crop: ImageProcessing, Hashable {
  /// The size of the result; a side longer than that of the image is shortened to it.
  public let size: PixelSize
  /// The point that is kept as near the middle as possible. Default: the middle.
  public let focus: FocalPoint

  /// Creates a step.
  public init(_ size: PixelSize, focus: FocalPoint = .center) {
    self.size = size
    self.focus = focus
  }

  /// For example `crop(100x50,0.5,0.25)`.
  public var identity: String { "crop(\(size),\(focus.x),\(focus.y))" }

  /// Throws `ImageError` with code `invalidArgument` where a side is not positive.
  public func check() throws(ImageError) {
    guard size.width > 0, size.height > 0 else {
      throw ImageError(.invalidArgument, "cannot crop to \(size): it has no pixels")
    }
  }

  /// Crops the image; pixels stay as they are.
  ///
  /// - Throws: `ImageError` as ``check()``.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    try check()
    let part = PixelSize(
      width: min(size.width, image.width), height: min(size.height, image.height))
    var result = PixelBuffer(clear: part)
    PixelKernels.draw(
      image, on: &result, left: -Self.start(focus.x, image.width, part.width),
      top: -Self.start(focus.y, image.height, part.height), blends: false)
    return result
  }

  private static func start(_ share: Double, _ whole: Int, _ part: Int) -> Int {
    let ideal = Int((Double(whole) * share - Double(part) / 2).rounded())
    return min(max(0, ideal), whole - part)
  }
}

extension ImageProcessing where Self == Crop {
  /// A ``Crop`` around a point. Default: the middle.
  public static func crop(width: Int, height: Int, focus: FocalPoint = .center) -> Crop {
    Crop(PixelSize(width: width, height: height), focus: focus)
  }
}

/// The point of an image that cropping keeps, in shares of its sides: 0 is left or top, 1 right or
/// bottom.
public struct FocalPoint: Sendable, Hashable {
  /// The distance from the left edge.
  public let x: Double
  /// The distance from the upper edge.
  public let y: Double

  /// Creates a point; values outside are clamped, and NaN is the middle.
  public init(x: Double, y: Double) {
    self.x = x.isNaN ? 0.5 : min(max(x, 0), 1)
    self.y = y.isNaN ? 0.5 : min(max(y, 0), 1)
  }

  /// Reads `X,Y`, each from 0 to 1; `nil` for anything else.
  public init?(text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let x = parts[0], let y = parts[1], (0...1).contains(x),
      (0...1).contains(y)
    else { return nil }
    self.init(x: x, y: y)
  }

  /// The middle.
  public static let center = FocalPoint(x: 0.5, y: 0.5)
}
