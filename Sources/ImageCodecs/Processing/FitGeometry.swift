import ImageModel

/// How an image is made to fit a box of another shape.
public enum FitMode: String, Sendable, CaseIterable, Codable {
  /// Fills the box; what exceeds it is cropped, the same amount on both sides.
  case cover
  /// Fits inside the box; the rest of the box is padded.
  case contain
  /// Fills the box; the image is stretched to its shape.
  case fill
  /// Fits inside the box; the result is as large as the scaled image.
  case inside
}

/// Which part of an image is scaled to which size to fit a box.
struct FitGeometry: Sendable, Hashable {
  var region: PixelRect
  var content: PixelSize
  /// Larger than the content where it is padded.
  var canvas: PixelSize
  var offset: (left: Int, top: Int) {
    ((canvas.width - content.width) / 2, (canvas.height - content.height) / 2)
  }

  /// For the rules see ``Resize/process(_:)``. `cover` keeps the focus as near the middle as it can.
  ///
  /// - Throws: `ImageError`: `invalidArgument` where both sides are 0, or a side is negative or
  ///   above the limit; `limitExceeded` where the result is above the limits.
  init(
    source: PixelSize, box: PixelSize, fit: FitMode, enlarges: Bool = false,
    focus: FocalPoint = .center, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try Self.check(box, limits: limits)
    guard source.width > 0, source.height > 0 else {
      throw ImageError(.invalidArgument, "an image of \(source) has no pixels")
    }
    let width = Double(source.width)
    let height = Double(source.height)
    let across = Double(box.width) / width
    let down = Double(box.height) / height
    let isFree = box.width == 0 || box.height == 0
    region = PixelRect(source)

    if isFree || fit == .inside || fit == .contain {
      var scale = isFree ? max(across, down) : min(across, down)
      if !enlarges || fit == .inside { scale = min(scale, 1) }
      content = Self.rounded(width * scale, height * scale)
      // The side that was asked for is met exactly, whatever rounding makes of the other.
      if scale == across { content.width = box.width }
      if scale == down { content.height = box.height }
      canvas = fit == .contain && !isFree ? box : content
    } else if fit == .fill {
      let shrink = enlarges ? 1 : min(1, 1 / across, 1 / down)
      content = Self.rounded(Double(box.width) * shrink, Double(box.height) * shrink)
      canvas = content
    } else {
      let scale = max(across, down)
      let shrink = enlarges ? 1 : min(1, 1 / scale)
      content = Self.rounded(Double(box.width) * shrink, Double(box.height) * shrink)
      canvas = content
      let shown = max(scale * shrink, 1e-9)
      region.width = min(width, Double(content.width) / shown)
      region.height = min(height, Double(content.height) / shown)
      region.left = min(max(0, width * focus.x - region.width / 2), width - region.width)
      region.top = min(max(0, height * focus.y - region.height / 2), height - region.height)
    }
    try limits.check(canvas, of: "a result")
  }

  /// Checks a box without an image.
  static func check(_ box: PixelSize, limits: ImageLimits) throws(ImageError) {
    guard box.width >= 0, box.height >= 0, max(box.width, box.height) > 0 else {
      throw ImageError(
        .invalidArgument, "a size of \(box) has no pixels; at most one side may be 0")
    }
    guard max(box.width, box.height) <= limits.maximumSide else {
      throw ImageError(
        .invalidArgument, "a size of \(box) is more than \(limits.maximumSide) pixels a side")
    }
  }

  /// The same scale without the crop; `nil` where nothing is cropped, or so much that the whole is
  /// more than sixteen times the crop or above the limits.
  func uncropped(of source: PixelSize, limits: ImageLimits) -> FitGeometry? {
    guard region.width < Double(source.width) || region.height < Double(source.height) else {
      return nil
    }
    let scale = max(Double(content.width) / region.width, Double(content.height) / region.height)
    var whole = self
    whole.region = PixelRect(source)
    whole.content = Self.rounded(Double(source.width) * scale, Double(source.height) * scale)
    whole.content.width = max(whole.content.width, content.width)
    whole.content.height = max(whole.content.height, content.height)
    whole.canvas = whole.content
    let count = whole.content.pixelCount
    let fits =
      count <= content.pixelCount(times: 16) && count <= limits.maximumPixels
      && limits.allowsMemory(whole.content.pixelCount(times: 8))
      && max(whole.content.width, whole.content.height) <= limits.maximumSide
    return fits ? whole : nil
  }

  private static func rounded(_ width: Double, _ height: Double) -> PixelSize {
    // A side that no `Int` holds is above every limit.
    PixelSize(
      width: max(1, Int(exactly: width.rounded()) ?? .max),
      height: max(1, Int(exactly: height.rounded()) ?? .max))
  }
}
