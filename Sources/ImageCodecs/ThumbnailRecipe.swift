public import ImageModel

/// The description of a thumbnail. Equal recipes make equal bytes of equal originals.
///
/// After the orientation of the EXIF, ``crop`` and ``orient`` take effect first, then the box, then
/// ``sharpening``, ``blurring``, ``isGray``, ``watermark`` and ``cornerRadius``, in this order and on
/// every frame of an animation.
public struct ThumbnailRecipe: Sendable, Hashable {
  /// The box to fit. One side may be 0: it then follows from the other.
  public var size: PixelSize
  /// How the image fits the box. Default: ``FitMode/cover``.
  public var fit: FitMode
  /// The format of the file. Default: `nil`, JPEG for an opaque image and PNG for one with alpha.
  ///
  /// A format with animations gets all frames with their timing, unless ``frame`` names one.
  public var format: ImageFormat?
  /// The formats for originals of some formats, in place of ``format``: `[.png: .png, .gif: .gif]`
  /// keeps those two, an animated GIF with all frames. Not for a ``frame`` of a GIF or WebP, which is
  /// a still. Default: none.
  public var formatsBySource: [ImageFormat: ImageFormat] = [:]
  /// The quality of a lossy format on the scale of JPEG, 1 through 100. Default: 80.
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
  /// What is kept of an original's EXIF and IPTC. Default: ``MetadataTreatment/copyright``.
  public var metadata = MetadataTreatment.copyright
  /// The part of the upright original that is used. Default: `nil`, all of it.
  public var crop: CropRectangle?
  /// The rotation and flip of that part. Default: none.
  public var orient = Orient(1)
  /// The standard deviation of ``Sharpen`` in pixels of the result, 0.3 through 100. Default: 0,
  /// none.
  public var sharpening = 0.0
  /// The standard deviation of ``Blur`` in pixels of the result, 0.3 through 100. Default: 0, none.
  public var blurring = 0.0
  /// Whether the result is gray, as by ``Grayscale``. Default: no.
  public var isGray = false
  /// What is drawn over the result. Default: `nil`, nothing.
  public var watermark: Watermark?
  /// The radius of transparent corners in pixels of the result; more than half the shorter side
  /// counts as half. Default: 0, none.
  public var cornerRadius = 0.0
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
  private static let version = 5

  /// Returns how the cropped and turned original fits the box.
  ///
  /// - Throws: `ImageError` as ``FitGeometry``, and `limitExceeded` for a side above
  /// ``maximumSide``.
  func geometry(of turned: PixelSize, limits: ImageLimits) throws(ImageError) -> FitGeometry {
    let geometry = try FitGeometry(
      source: turned, box: size, fit: fit, enlarges: enlarges, focus: focus, limits: limits)
    try checkSides(of: geometry.canvas)
    return geometry
  }

  /// Returns what becomes of a result of a size after the scaling.
  func effects(on size: PixelSize) throws(ImageError) -> [any ImageProcessing] {
    var effects: [any ImageProcessing] = []
    if sharpening > 0 { effects.append(Sharpen(radius: sharpening)) }
    if blurring > 0 { effects.append(Blur(radius: blurring)) }
    if isGray { effects.append(Grayscale()) }
    if let watermark { effects.append(try watermark.overlay(on: size)) }
    if cornerRadius > 0 { effects.append(RoundCorners(.pixels(cornerRadius))) }
    return effects
  }

  /// Whether the result has the pixels of an original in sRGB, all of them and no others.
  func keepsPixels(of info: ImageInfo, limits: ImageLimits) -> Bool {
    let part = try? crop?.part(of: info.size)
    guard crop == nil || part?.size == info.size, orient.orientation == 1, info.orientation <= 1,
      background == nil,
      frame == nil || info.frameCount == 1,
      [.ycbcr, .rgb, .gray, .palette].contains(info.colorModel),
      let effects = try? effects(on: info.size), effects.isEmpty,
      let geometry = try? geometry(of: info.size, limits: limits)
    else { return false }
    return geometry.content == info.size && geometry.canvas == info.size
      && geometry.region == PixelRect(info.size)
  }

  /// Checks the values of the effects, without an image.
  func checkEffects() throws(ImageError) {
    for (name, deviation) in [("sharpening", sharpening), ("blur", blurring)] {
      guard deviation == 0 || (0.3...100).contains(deviation) else {
        throw ImageError(.invalidArgument, "a \(name) of \(deviation) pixels; it is 0.3 to 100")
      }
    }
    try RoundCorners(.pixels(cornerRadius)).check()
    try watermark?.check()
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

  /// The same with the format that ``formatsBySource`` has for an original: what is made of it is
  /// stored under this recipe. Unchanged where the format of the original is not known.
  package func following(_ source: ImageFormat?) -> ThumbnailRecipe {
    guard let source, !formatsBySource.isEmpty else { return self }
    var recipe = self
    recipe.formatsBySource = [:]
    let isFrame = frame != nil && [.gif, .webp].contains(source)
    if !isFrame { recipe.format = formatsBySource[source] ?? format }
    return recipe
  }

  /// Whether the result may have all frames of an animation.
  var mayMove: Bool {
    frame == nil
      && ([format].compactMap(\.self) + formatsBySource.values).contains {
        ImageCodecs.encodingTraits(of: $0)?.isAnimated == true
      }
  }

  private var isFree: Bool { size.width == 0 || size.height == 0 }

  /// Whether a point or the most interesting part decides what is kept.
  private var isCropped: Bool { fit == .cover && !isFree }

  /// The recipe as one word, the same for recipes that make the same at all times: the second half
  /// of a cache key. What has no effect, such as the focus of an image that is not cropped, is
  /// left out.
  public var identity: String {
    let hasQuality = format != .png && format != .gif
    let bySource = formatsBySource.map { "+\($0.rawValue)>\($1.rawValue)" }.sorted().joined()
    let attention = focusesOnAttention ? "attention1+" : ""
    var words = [
      "thumb\(Self.version)", size.description,
      isFree ? (fit == .inside ? "inside" : "free") : fit.rawValue,
      (format?.rawValue ?? "auto") + bySource,
    ]
    words += [
      hasQuality ? "q\(quality)\(isLossless ? "+lossless" : "")" : isLossless ? "lossless" : "q-",
      frame.map { "frame\($0)" } ?? (mayMove ? "frames" : "frame0"),
      enlarges && fit != .inside ? "enlarge" : "shrink",
      isCropped ? "\(attention)at\(focus.x),\(focus.y)" : "at-",
      background.map { "on\($0)" } ?? "on-", filter.rawValue, profile.rawValue,
      metadata.rawValue,
    ]
    if let crop, !crop.isWhole { words.append("crop\(crop)") }
    if orient.orientation != 1 { words.append(orient.identity) }
    if sharpening > 0 { words.append(Sharpen(radius: sharpening).identity) }
    if blurring > 0 { words.append(Blur(radius: blurring).identity) }
    if isGray { words.append("gray") }
    if let watermark { words.append(watermark.identity) }
    if cornerRadius > 0 { words.append(RoundCorners(.pixels(cornerRadius)).identity) }
    return words.joined(separator: ":")
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
