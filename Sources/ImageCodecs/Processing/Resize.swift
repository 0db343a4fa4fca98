public import ImageModel

/// Scales an image to fit a box.
public struct Resize: ImageProcessing, Hashable {
  /// The box. One side may be 0: it then follows from the other.
  public var size: PixelSize
  /// How the image fits the box. Default: ``FitMode/cover``.
  public var fit: FitMode
  /// The filter. Default: ``ResamplingFilter/lanczos3``.
  public var filter: ResamplingFilter
  /// Whether a small image is enlarged. Default: no.
  public var enlarges: Bool
  /// The point that `cover` keeps. Default: the middle.
  public var focus: FocalPoint
  /// The colour that `contain` pads with. Default: transparent.
  public var background: PixelColor

  /// Creates a step.
  public init(
    _ size: PixelSize, fit: FitMode = .cover, filter: ResamplingFilter = .lanczos3,
    enlarges: Bool = false, focus: FocalPoint = .center, background: PixelColor = .clear
  ) {
    self.size = size
    self.fit = fit
    self.filter = filter
    self.enlarges = enlarges
    self.focus = focus
    self.background = background
  }

  /// For example `resize(200x200,cover,lanczos3,false,0.5,0.5,00000000)`.
  public var identity: String {
    "resize(\(size),\(fit.rawValue),\(filter.rawValue),\(enlarges),\(focus.x),\(focus.y),\(background))"
  }

  /// Throws `ImageError` with code `invalidArgument` where both sides of the box are 0, or one is
  /// negative or above the limit.
  public func check() throws(ImageError) {
    try FitGeometry.check(size, limits: ImageLimits())
  }

  /// Scales the image.
  ///
  /// A side of the box that is 0 follows from the shape of the image, and nothing is cropped or
  /// padded. A source smaller than the box shrinks the box, keeping its shape, unless
  /// ``enlarges``; `contain` still pads to the full box, and `inside` never enlarges.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    let geometry = try FitGeometry(
      source: image.size, box: size, fit: fit, enlarges: enlarges, focus: focus)
    let content =
      geometry.content == image.size
      ? image
      : try image.resampled(geometry.region, to: geometry.content, filter: filter)
    return content.placed(
      on: geometry.canvas, left: geometry.offset.left, top: geometry.offset.top,
      background: background)
  }
}

extension ImageProcessing where Self == Resize {
  /// A ``Resize`` to a box in pixels. Of a box with one side the other follows, so that the image
  /// keeps its shape.
  public static func resize(
    width: Int = 0, height: Int = 0, fit: FitMode = .cover, enlarges: Bool = false
  ) -> Resize {
    Resize(PixelSize(width: width, height: height), fit: fit, enlarges: enlarges)
  }
}

/// The filter that weighs samples when an image is scaled.
public enum ResamplingFilter: String, Sendable, CaseIterable, Codable {
  /// Lanczos with three lobes: sharp.
  ///
  /// Source: Turkowski, "Filters for Common Resampling Tasks", 1990.
  case lanczos3
  /// The mean of the area under each pixel: softer, without halos.
  case area
}
