/// Cuts a part out of an image, around a focal point.
public struct Crop: ImageProcessing, Hashable {
  /// The size of the part; a side beyond the image is as long as the image.
  public let size: PixelSize
  /// What stays as near the middle as it can. Default: the middle.
  public let focus: FocalPoint

  /// Creates a step.
  public init(_ size: PixelSize, focus: FocalPoint = .center) {
    self.size = size
    self.focus = focus
  }

  /// For example `crop(100x50,0.5,0.25)`.
  public var identity: String { "crop(\(size),\(focus.x),\(focus.y))" }

  /// Cuts the part out; pixels stay as they are.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` where a side is not positive.
  public func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    guard size.width > 0, size.height > 0 else {
      throw ImageError(.invalidArgument, "cannot crop to \(size): it has no pixels")
    }
    let part = PixelSize(
      width: min(size.width, picture.width), height: min(size.height, picture.height))
    var result = PixelBuffer(clear: part)
    PixelKernels.draw(
      picture, on: &result, left: -Self.start(focus.x, picture.width, part.width),
      top: -Self.start(focus.y, picture.height, part.height), blends: false)
    return result
  }

  private static func start(_ share: Double, _ whole: Int, _ part: Int) -> Int {
    let ideal = Int((Double(whole) * share - Double(part) / 2).rounded())
    return min(max(0, ideal), whole - part)
  }
}
