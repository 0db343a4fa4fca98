public import ImageModel

/// Reads the images of a file in turn, each complete as displayed; holds one canvas.
///
/// The bytes stay with the caller, which passes the same ones to each call.
public final class FrameReader {
  /// The properties of the file. Frames that are truncated are not counted.
  public let info: ImageInfo
  /// The reason why the images end early, where partial images are allowed.
  public private(set) var fault: ImageError?
  /// Oddities that are not errors, as text.
  public private(set) var warnings: [String] = []

  private let codec: any ImageCodec
  private let compositor: FrameCompositor?
  private let limits: ImageLimits
  private let options: DecodingOptions
  private var isAtEnd = false
  /// `nil` until they were read.
  private var colors: SourceColors?

  /// Reads the header.
  ///
  /// - Throws: `ImageError`; see ``ImageCodecs/info(of:limits:)``. Without
  ///   ``DecodingOptions/allowsPartial`` an animation whose frames break off is refused here.
  public init(
    _ bytes: RawSpan, limits: ImageLimits = ImageLimits(), options: DecodingOptions = .init()
  ) throws(ImageError) {
    self.options = options
    self.limits = limits
    codec = try ImageCodecs.codec(of: bytes, limits: limits)
    let showsFrames = codec.showsFrames || options.animatesPNG
    guard showsFrames, let frames = try codec.frames(of: bytes, limits: limits) else {
      info = try codec.info(of: bytes, check: .none, limits: limits)
      compositor = nil
      return
    }
    info = frames.info
    try limits.checkCanvas(of: info.size)
    compositor = FrameCompositor(frames)
    warnings = frames.warnings
    if let fault = frames.fault, !frames.isFaultHarmless {
      guard options.allowsPartial else { throw fault }
      self.fault = fault
    }
  }

  /// Decodes the next image; `nil` after the last.
  ///
  /// - Parameter bytes: The bytes that the reader was made with.
  public func next(of bytes: RawSpan) throws(ImageError) -> AnimationFrame? {
    guard !isAtEnd else { return nil }
    guard let compositor else {
      isAtEnd = true
      return AnimationFrame(pixels: try still(bytes), delay: .zero)
    }
    let index = compositor.nextIndex
    guard index < compositor.frameCount else {
      isAtEnd = true
      return nil
    }
    do throws(ImageError) {
      if try compositor.advance(bytes) { warnings.append("frame \(index): pixels are missing") }
    } catch {
      isAtEnd = true
      guard options.allowsPartial, error.code == .truncated || error.code == .corrupt else {
        throw error
      }
      fault = fault ?? error
    }
    var pixels = compositor.canvas
    colors(of: bytes).convert(&pixels)
    return AnimationFrame(pixels: pixels, delay: compositor.frames[index].delay)
  }

  /// Decodes a still image upright, and to sRGB if the options request it.
  private func still(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    let colors = colors(of: bytes)
    guard colors.transform?.readsInks == true else {
      var pixels = try decode(bytes, keepsInks: false)
      colors.convert(&pixels)
      return pixels
    }
    let before = warnings
    var pixels = try decode(bytes, keepsInks: true)
    // Rows that are missing would be white in inks, and not transparent.
    guard fault == nil else {
      (fault, warnings) = (nil, before + ["the colours of inks are not converted"])
      return try decode(bytes, keepsInks: false)
    }
    colors.convert(&pixels)
    return pixels
  }

  /// What is done to the colours, as the options say; read once.
  private func colors(of bytes: RawSpan) -> SourceColors {
    if let colors { return colors }
    let read =
      options.color == .srgb
      ? SourceColors(of: bytes, info, codec, limits: limits) : SourceColors()
    if let warning = read.warning { warnings.append(warning) }
    colors = read
    return read
  }

  private func decode(_ bytes: RawSpan, keepsInks: Bool) throws(ImageError) -> PixelBuffer {
    var request = RowRequest()
    request.isLenient = options.allowsPartial
    request.keepsInks = keepsInks
    let decoder = StillDecoder(
      orientation: info.orientation, isLenient: options.allowsPartial, limits: limits)
    let result = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      try decoder.decode(try codec.rows(of: raw, request: request, limits: limits))
    }
    fault = result.fault
    if let warning = result.warning { warnings.append(warning) }
    return result.pixels
  }
}
