public import ImageModel

/// The description of a thumbnail. Equal recipes make equal bytes of equal originals.
public struct ThumbnailRecipe: Sendable, Hashable {
  /// The box to fit. One side may be 0: it then follows from the other.
  public var size: PixelSize
  /// How the image fits the box. Default: ``FitMode/cover``.
  public var fit: FitMode
  /// The format of the file. Default: `nil`, JPEG for an opaque image and PNG for one with alpha.
  ///
  /// A format with animations gets all frames with their timing, unless ``frame`` names one.
  public var format: ImageFormat?
  /// Whether a ``format`` of `nil` keeps PNG and GIF, an animated one with all frames, where the
  /// original is of that format. Default: no.
  public var followsSource = false
  /// The quality of a lossy format, 1 through 100. Default: 80.
  public var quality = 80
  /// Whether every pixel is kept exactly, where the format can, as WebP. Default: no.
  public var isLossless = false
  /// The frame of an animation, from 0. Default: `nil`, all for a format with animations, else the
  /// first.
  public var frame: Int?
  /// Whether a small image is enlarged to the box. Default: no.
  public var enlarges = false
  /// The point that `cover` keeps. Default: the middle.
  public var focus = FocalPoint.center
  /// Whether `cover` keeps the most interesting part, in place of ``focus``. Default: no.
  ///
  /// A crop of less than a sixteenth of the image is made around the focus regardless.
  public var focusesOnAttention = false
  /// The colour under transparent pixels and beside the image. Default: none; white in a JPEG.
  public var background: PixelColor?
  /// The filter. Default: ``ResamplingFilter/lanczos3``.
  public var filter = ResamplingFilter.lanczos3
  /// The treatment of the colour profile. Default: ``ProfileTreatment/convert``.
  public var profile = ProfileTreatment.convert
  /// The longest side of a result. It decides what is refused, not what is made, so it is not part
  /// of ``identity``. Default: any.
  public var maximumSide = Int.max

  /// Creates a recipe; set what else differs from the defaults.
  public init(size: PixelSize, fit: FitMode = .cover, format: ImageFormat? = nil) {
    self.size = size
    self.fit = fit
    self.format = format
  }

  /// Incremented when equal recipes begin to make other bytes.
  private static let version = 3

  /// - Throws: `ImageError` as ``FitGeometry``, and `limitExceeded` for a side above
  /// ``maximumSide``.
  func geometry(of source: PixelSize, limits: ImageLimits) throws(ImageError) -> FitGeometry {
    let geometry = try FitGeometry(
      source: source, box: size, fit: fit, enlarges: enlarges, focus: focus, limits: limits)
    try checkSides(of: geometry.canvas)
    return geometry
  }

  /// Checks the values that do not depend on the format, without an image.
  func checkGeometry(limits: ImageLimits) throws(ImageError) {
    try FitGeometry.check(size, limits: limits)
    let isPadded = fit == .contain && size.width > 0 && size.height > 0
    // Otherwise a small image makes a smaller result.
    if isPadded || enlarges && fit != .inside { try checkSides(of: size) }
  }

  private func checkSides(of canvas: PixelSize) throws(ImageError) {
    guard max(canvas.width, canvas.height) <= maximumSide else {
      throw ImageError(
        .limitExceeded, "a thumbnail of \(canvas) has more than \(maximumSide) pixels a side")
    }
  }

  /// The same without ``followsSource``, for an original of a format: what is made of it is stored
  /// under this recipe. Unchanged where the format is not known.
  package func following(_ source: ImageFormat?) -> ThumbnailRecipe {
    guard followsSource, format == nil, let source else { return self }
    var recipe = self
    recipe.followsSource = false
    // One frame of an animation is a still.
    if source == .png || (source == .gif && frame == nil) { recipe.format = source }
    return recipe
  }

  /// Whether the crop is looked for, which is so only where there is one.
  private var findsFocus: Bool {
    focusesOnAttention && fit == .cover && size.width > 0 && size.height > 0
  }

  /// The recipe as one word, the same for equal recipes at all times: the second half of a cache
  /// key.
  public var identity: String {
    [
      "thumb\(Self.version)", "\(size)", fit.rawValue,
      format?.rawValue ?? (followsSource ? "source" : "auto"),
      isLossless ? "q\(quality)+lossless" : "q\(quality)", frame.map { "frame\($0)" } ?? "f0",
      enlarges ? "enlarge" : "shrink",
      (findsFocus ? "attention1+" : "") + "at\(focus.x),\(focus.y)",
      background.map { "on\($0)" } ?? "on-", filter.rawValue, profile.rawValue,
    ].joined(separator: ":")
  }
}

/// The treatment of an image's colour profile when the image is encoded again: the embedded ICC
/// profile, or one of what a PNG says of its colours in cICP, cHRM and gAMA.
public enum ProfileTreatment: String, Sendable, CaseIterable, Codable {
  /// The samples become sRGB, by perceptual intent, and it is left out. One that cannot be used is
  /// left out alone.
  case convert
  /// It is embedded again. One of inks or gray, or for a format without profiles, is converted as by
  /// ``convert``.
  case keep
  /// It is left out; the samples stay as they are.
  case drop
}
