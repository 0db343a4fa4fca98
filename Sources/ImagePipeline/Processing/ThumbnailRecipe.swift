/// What a thumbnail is to be; two equal recipes make equal bytes of equal originals.
public struct ThumbnailRecipe: Sendable, Hashable {
  /// The kind of file that is made.
  public enum Format: String, Sendable, CaseIterable, Codable {
    /// JPEG for an opaque picture, PNG for one with alpha.
    case auto
    case jpeg, png
    /// All frames, with their timing; a still has one.
    case gif
  }

  /// The box to fit; a side of 0 is free, both are not.
  public var size: PixelSize
  /// How the picture fits the box. Default: ``FitMode/cover``.
  public var fit: FitMode
  /// The kind of file. Default: ``Format/auto``.
  public var format = Format.auto
  /// The quality of a JPEG, 1 through 100. Default: 80.
  public var quality = 80
  /// Which frame of an animation, from 0; not used for ``Format/gif``. Default: 0.
  public var frame = 0
  /// Whether a small picture is enlarged to the box. Default: no.
  public var enlarges = false
  /// What `cover` keeps. Default: the middle.
  public var focus = FocalPoint.center
  /// What lies under transparent pixels and beside the picture. Default: nothing; in a JPEG white.
  public var background: PixelColor?
  /// How samples are weighed. Default: ``ResamplingFilter/lanczos3``.
  public var filter = ResamplingFilter.lanczos3
  /// What becomes of an embedded ICC profile. Default: ``ProfileTreatment/drop``.
  public var profile = ProfileTreatment.drop
  /// The longest side that may be made, also where a side is free. It says what is refused and not what is made, so it
  /// is no part of ``identity``. Default: any side.
  public var maximumSide = Int.max

  /// Creates a recipe; set what else differs from the defaults.
  public init(size: PixelSize, fit: FitMode = .cover) {
    self.size = size
    self.fit = fit
  }

  /// Changes when equal recipes begin to make other bytes.
  private static let version = 1

  /// What goes where when a picture of a size is made to this.
  ///
  /// - Throws: ``ImageError`` as ``FitGeometry``; `limitExceeded` also for a side above ``maximumSide``.
  func geometry(of source: PixelSize, limits: ImageLimits) throws(ImageError) -> FitGeometry {
    let geometry = try FitGeometry(
      source: source, box: size, fit: fit, enlarges: enlarges, focus: focus, limits: limits)
    guard max(geometry.canvas.width, geometry.canvas.height) <= maximumSide else {
      throw ImageError(
        .limitExceeded,
        "a thumbnail of \(geometry.canvas) has more than \(maximumSide) pixels a side")
    }
    return geometry
  }

  /// The recipe as one word that never changes for equal recipes: the second half of a cache key.
  public var identity: String {
    [
      "thumb\(Self.version)", "\(size)", fit.rawValue, format.rawValue, "q\(quality)", "f\(frame)",
      enlarges ? "enlarge" : "shrink", "at\(focus.x),\(focus.y)",
      background.map { "on\($0)" } ?? "on-", filter.rawValue, profile.rawValue,
    ].joined(separator: ":")
  }
}
