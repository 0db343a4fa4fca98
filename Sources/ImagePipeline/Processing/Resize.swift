/// Scales a picture to fit a box.
public struct Resize: ImageProcessing, Hashable {
  /// The box; a side of 0 is free, both are not.
  public var size: PixelSize
  /// How the picture fits the box. Default: ``FitMode/cover``.
  public var fit: FitMode
  /// How samples are weighed. Default: ``ResamplingFilter/lanczos3``.
  public var filter: ResamplingFilter
  /// Whether a small picture is enlarged. Default: no.
  public var enlarges: Bool
  /// What `cover` keeps. Default: the middle.
  public var focus: FocalPoint
  /// What `contain` pads with. Default: nothing.
  public var background: PixelColor

  /// Creates a step; nothing is checked before a picture comes.
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

  /// Scales the picture; see ``FitGeometry`` for the rules.
  public func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    let geometry = try FitGeometry(
      source: picture.size, box: size, fit: fit, enlarges: enlarges, focus: focus)
    let content =
      geometry.content == picture.size
      ? picture
      : try picture.resampled(geometry.region, to: geometry.content, filter: filter)
    return content.placed(
      on: geometry.canvas, left: geometry.offset.left, top: geometry.offset.top,
      background: background)
  }
}
