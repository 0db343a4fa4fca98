import ImageModel

/// Reads the images of a file in turn, each whole as it is to be seen; holds one canvas.
///
/// The bytes stay with the caller, which passes the same ones to each call.
public final class FrameReader {
  /// What the file says of itself. Frames that are cut are not counted.
  public let info: ImageInfo
  /// Why the images end too early, where partial ones were asked for.
  public private(set) var fault: ImageError?
  /// Oddities that are not errors, as text.
  public private(set) var warnings: [String] = []

  private enum Source {
    case still(StillSource)
    case animation(any FrameCompositor)
  }

  private let source: Source
  private let options: DecodingOptions
  private var isAtEnd = false

  /// Reads the header.
  ///
  /// - Throws: ``ImageError``; see ``ImageCodecs/info(of:limits:)``. Without
  ///   ``DecodingOptions/allowsPartial`` a GIF whose blocks break off is refused here.
  public init(
    _ bytes: RawSpan, limits: ImageLimits = ImageLimits(), options: DecodingOptions = .init()
  ) throws(ImageError) {
    self.options = options
    switch try ImageCodecs.decodableFormat(of: bytes, limits: limits) {
    case .gif:
      let frames = try GIFFrames(bytes, limits: limits)
      try Self.checkMemory(frames.info.size, limits: limits)
      info = frames.info
      source = .animation(GIFCompositor(frames))
      if frames.strayByteCount > 0 {
        warnings.append("\(frames.strayByteCount) stray bytes between blocks")
      }
      if let fault = frames.fault {
        try accept(fault, of: frames)
      } else if !frames.hasTrailer {
        warnings.append("the trailer is missing")
      }
    case .png:
      let still = try CodecBridge.scan(.png, bytes, limits: limits, toEnd: false)
      if options.animatesPNG, let frames = try APNGFrames(bytes, limits: limits) {
        try Self.checkMemory(still.size, limits: limits)
        info = Self.animated(still, frames)
        source = .animation(APNGCompositor(frames, size: still.size, limits: limits))
      } else {
        info = still
        source = .still(StillSource(format: .png, info: still, limits: limits, options: options))
      }
    default:
      info = try CodecBridge.scan(.jpeg, bytes, limits: limits, toEnd: false)
      source = .still(StillSource(format: .jpeg, info: info, limits: limits, options: options))
    }
  }

  /// Decodes the next image; `nil` after the last.
  ///
  /// - Parameter bytes: The bytes that the reader was made with.
  public func next(of bytes: RawSpan) throws(ImageError) -> AnimationFrame? {
    guard !isAtEnd else { return nil }
    switch source {
    case .animation(let compositor): return try next(compositor, bytes)
    case .still(let still):
      isAtEnd = true
      let result = try still.decode(bytes, warnings: &warnings)
      fault = result.fault
      return AnimationFrame(pixels: result.pixels, delay: .zero)
    }
  }

  private func next(
    _ compositor: any FrameCompositor, _ bytes: RawSpan
  ) throws(ImageError) -> AnimationFrame? {
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
    return AnimationFrame(pixels: compositor.canvas, delay: compositor.delay(of: index))
  }

  /// Decides what becomes of a GIF whose blocks end before the trailer.
  private func accept(_ fault: ImageError, of frames: GIFFrames) throws(ImageError) {
    if frames.lacksOnlyTrailer {
      warnings.append("the trailer is missing")
    } else if options.allowsPartial {
      self.fault = fault
    } else {
      throw fault
    }
  }

  private static func animated(_ still: ImageInfo, _ frames: APNGFrames) -> ImageInfo {
    var info = still
    info.rawDelays = (0..<frames.count).map { frames[$0].delay }
    info.loopCount = frames.playCount
    info.hasAlpha = true
    return info
  }

  /// A canvas and the copy that disposal needs must fit.
  private static func checkMemory(_ size: PixelSize, limits: ImageLimits) throws(ImageError) {
    guard 8 * size.pixelCount <= limits.maximumMemoryByteCount else {
      throw ImageError(
        .limitExceeded,
        "a canvas of \(size) takes more than the \(limits.maximumMemoryByteCount) bytes allowed")
    }
  }
}
