public import ImageModel

/// Draws one image over another.
///
/// The mark is scaled to fit a square whose side is a share of the shorter side of the image.
public struct Watermark: ImageProcessing, Hashable {
  /// The edges or the corner that the mark touches.
  public enum Position: String, Sendable, CaseIterable, Codable {
    /// The middle.
    case center
    /// The middle of an edge, or a corner.
    case north, northeast, east, southeast, south, southwest, west, northwest

    fileprivate var shares: (x: Double, y: Double) {
      switch self {
      case .center: (0.5, 0.5)
      case .north: (0.5, 0)
      case .northeast: (1, 0)
      case .east: (1, 0.5)
      case .southeast: (1, 1)
      case .south: (0.5, 1)
      case .southwest: (0, 1)
      case .west: (0, 0.5)
      case .northwest: (0, 0)
      }
    }
  }

  /// Default: ``Position/center``.
  public var position = Position.center
  /// The side of the square that the mark fits, as a share of the shorter side of the image: above
  /// 0, at most 1. Default: 0.25.
  public var scale = 0.25
  /// Multiplies the alpha of the mark, 0 through 1. Default: 0.7.
  public var opacity = 0.7
  private let mark: PixelBuffer
  private let hash: BlobHash

  /// The longest side that is kept of a mark.
  private static let maximumSide = 2048

  /// Decodes a mark, by its first frame; more than 2,048 pixels a side are scaled down.
  ///
  /// - Throws: `ImageError` as ``ImageCodecs/pixels(of:recipe:limits:)``.
  public init(of bytes: RawSpan, limits: ImageLimits = ImageLimits()) throws(ImageError) {
    let box = PixelSize(width: Self.maximumSide, height: Self.maximumSide)
    mark = try ImageCodecs.pixels(
      of: bytes, recipe: ThumbnailRecipe(size: box, fit: .inside), limits: limits)
    hash = bytes.withUnsafeBytes { SHA256.hash(of: $0) }
  }

  /// Returns the mark placed as `POSITION[,SCALE[,OPACITY]]` says, the default for what is left
  /// out; `nil` for another text.
  public func placed(_ text: String) -> Watermark? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let position = Position(rawValue: String(parts[0])) else {
      return nil
    }
    var result = self
    result.position = position
    if parts.count > 1 {
      guard let scale = Double(parts[1]) else { return nil }
      result.scale = scale
    }
    if parts.count > 2 {
      guard let opacity = Double(parts[2]) else { return nil }
      result.opacity = opacity
    }
    do throws(ImageError) { try result.check() } catch { return nil }
    return result
  }

  /// The SHA-256 of the mark's file and its place, for example `watermark(9f86…,center,0.25,0.7)`.
  public var identity: String { "watermark(\(hash),\(position.rawValue),\(scale),\(opacity))" }

  /// Throws `ImageError` with code `invalidArgument` for a scale or an opacity out of its range.
  public func check() throws(ImageError) {
    guard scale > 0, scale <= 1, (0...1).contains(opacity) else {
      throw ImageError(
        .invalidArgument,
        "a watermark of scale \(scale) and opacity \(opacity); they are above 0 to 1, and 0 to 1")
    }
  }

  /// Draws the mark.
  ///
  /// - Throws: `ImageError` as ``check()``.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    try overlay(on: image.size).process(image)
  }

  /// The mark as it is drawn on images of one size.
  func overlay(on size: PixelSize) throws(ImageError) -> any ImageProcessing {
    try check()
    let side = max(1, Int((scale * Double(min(size.width, size.height))).rounded()))
    let fitted = try FitGeometry(
      source: mark.size, box: PixelSize(width: side, height: side), fit: .contain, enlarges: true)
    var image = try mark.resampled(fitted.region, to: fitted.content, filter: .lanczos3)
    PixelKernels.fade(&image, opacity: opacity)
    let (x, y) = position.shares
    return Overlay(
      image: image, left: Int((Double(size.width - image.width) * x).rounded()),
      top: Int((Double(size.height - image.height) * y).rounded()))
  }

  private struct Overlay: ImageProcessing {
    let image: PixelBuffer
    let left: Int
    let top: Int
    var identity: String { "overlay" }

    func process(_ canvas: PixelBuffer) throws(ImageError) -> PixelBuffer {
      var result = canvas
      result.draw(image, left: left, top: top)
      return result
    }
  }

  /// Equal where the mark's file and its place are.
  public static func == (one: Watermark, other: Watermark) -> Bool {
    one.identity == other.identity
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
