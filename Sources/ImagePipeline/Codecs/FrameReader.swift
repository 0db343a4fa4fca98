/// Reads the pictures of a file in turn, each whole as it is to be seen; holds one canvas.
///
/// The bytes stay with the caller, who passes the same ones to each call.
public final class FrameReader {
  /// What the file says of itself. Frames that are cut are not counted.
  public let info: ImageInfo
  /// Why the pictures end too early, where partial ones were asked for.
  public private(set) var fault: ImageError?
  /// Oddities that are no fault, in words.
  public private(set) var warnings: [String] = []

  private enum Source {
    case still(CodecBridge.StillFormat)
    case gif(GIFCompositor)
  }

  private let source: Source
  private let limits: ImageLimits
  private let options: DecodingOptions
  private var isAtEnd = false

  /// Reads the header.
  ///
  /// - Throws: ``ImageError``; see ``ImageCodecs/info(of:limits:)``. Without
  ///   ``DecodingOptions/allowsPartial`` a GIF whose blocks break off is refused here.
  public init(
    _ bytes: RawSpan, limits: ImageLimits = ImageLimits(), options: DecodingOptions = .init()
  ) throws(ImageError) {
    self.limits = limits
    self.options = options
    switch try ImageCodecs.decodableFormat(of: bytes, limits: limits) {
    case .gif:
      let frames = try GIFFrames(bytes, limits: limits)
      try Self.checkMemory(frames.info.size, limits: limits)
      info = frames.info
      source = .gif(GIFCompositor(frames))
      if let fault = frames.fault { try accept(fault, of: frames) }
    case .png:
      info = try CodecBridge.scan(.png, bytes, limits: limits, toEnd: false)
      source = .still(.png)
    default:
      info = try CodecBridge.scan(.jpeg, bytes, limits: limits, toEnd: false)
      source = .still(.jpeg)
    }
  }

  /// Decodes the next picture; `nil` after the last.
  ///
  /// - Parameter bytes: The bytes that the reader was made with.
  public func next(of bytes: RawSpan) throws(ImageError) -> AnimationFrame? {
    guard !isAtEnd else { return nil }
    switch source {
    case .gif(let compositor):
      return try next(compositor, bytes)
    case .still(let format):
      isAtEnd = true
      let rows = try decodeStill(format, bytes)
      fault = rows.fault
      return AnimationFrame(pixels: rows.pixels, delay: .zero)
    }
  }

  private func decodeStill(
    _ format: CodecBridge.StillFormat, _ bytes: RawSpan
  ) throws(ImageError) -> StillDecoder.Result {
    let isLenient = options.allowsPartial
    // EXIF in a PNG is not asked for its orientation: what shows PNGs does not ask either.
    let decoder = StillDecoder(
      orientation: format == .jpeg ? info.orientation : 1, isLenient: isLenient, limits: limits)
    return try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      switch format {
      case .jpeg:
        try decoder.decode(try JPEGRowReader(raw, limits: limits, isLenient: isLenient))
      case .png:
        try decoder.decode(try PNGRowReader(raw, limits: limits))
      }
    }
  }

  private func next(_ compositor: GIFCompositor, _ bytes: RawSpan) throws(ImageError)
    -> AnimationFrame?
  {
    let index = compositor.nextIndex
    let isPartial = index == compositor.frames.info.frameCount || compositor.isFirstCut
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
      if !isPartial || fault == nil { fault = error }
    }
    return AnimationFrame(pixels: compositor.canvas, delay: compositor.frames[index].delay)
  }

  /// Decides what becomes of a GIF whose blocks end before the trailer.
  private func accept(_ fault: ImageError, of frames: GIFFrames) throws(ImageError) {
    if fault.code == .truncated, !frames.hasPartialFrame {
      warnings.append("the trailer is missing")
    } else if options.allowsPartial {
      self.fault = fault
    } else {
      throw fault
    }
  }

  /// A canvas and the copy that disposal needs must fit.
  private static func checkMemory(_ size: PixelSize, limits: ImageLimits) throws(ImageError) {
    guard 8 * size.pixelCount <= limits.maximumMemoryByteCount else {
      throw ImageError(
        .limitExceeded,
        "GIF: a canvas of \(size) takes more than the \(limits.maximumMemoryByteCount) bytes allowed"
      )
    }
  }
}
