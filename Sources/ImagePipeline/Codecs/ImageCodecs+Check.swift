/// What is known of a file once it has been checked.
public struct CheckedImage: Sendable, Hashable {
  /// What the file says of itself.
  public let info: ImageInfo
  /// What can be shown before the picture; `nil` where its pixels were not looked at.
  public let placeholder: PicturePlaceholder?
}

extension ImageCodecs {
  /// Finds out whether the file is whole, as far as `level` looks. Bytes after its end are no fault, nor is a GIF
  /// that ends behind a whole frame and lacks the trailer alone.
  ///
  /// Memory stays bounded whatever the size: rows are thrown away as they come. Only a progressive
  /// JPEG needs its coefficients kept.
  ///
  /// - Parameter level: With ``ImageCheck/none`` as much as ``info(of:limits:)`` looks at.
  /// - Returns: What the file says of itself; with ``ImageCheck/decode`` also its placeholder, made of the rows that
  ///   pass by. An interlaced PNG of more than 4 megapixels has none: it would have to be held whole.
  /// - Throws: As ``info(of:limits:)``; `truncated` where the data ends too early.
  @discardableResult
  public static func check(
    _ bytes: RawSpan, level: ImageCheck, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> CheckedImage {
    let format: CodecBridge.StillFormat
    switch try decodableFormat(of: bytes, limits: limits) {
    case .gif: return try checkGIF(bytes, level: level, limits: limits)
    case .png: format = .png
    default: format = .jpeg
    }
    let info = try CodecBridge.scan(format, bytes, limits: limits, toEnd: level == .structure)
    guard level == .decode else { return CheckedImage(info: info, placeholder: nil) }
    let small = try SmallPicture(info: info, limits: limits).checking(bytes)
    return CheckedImage(info: info, placeholder: try small.map(PicturePlaceholder.init))
  }

  private static func checkGIF(
    _ bytes: RawSpan, level: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> CheckedImage {
    let frames = try GIFFrames(bytes, limits: limits)
    if level != .none, let fault = frames.fault { throw fault }
    guard level == .decode else { return CheckedImage(info: frames.info, placeholder: nil) }
    let hasRoom = 4 * frames.info.size.pixelCount <= limits.maximumMemoryByteCount
    var canvas = hasRoom ? PixelBuffer(clear: frames.info.size) : nil
    _ = try frames.draw(0, of: bytes, onto: &canvas)
    var nowhere: PixelBuffer?
    for index in 1..<max(1, frames.info.frameCount) {
      _ = try frames.draw(index, of: bytes, onto: &nowhere)
    }
    return CheckedImage(
      info: frames.info, placeholder: try canvas.map(PicturePlaceholder.init))
  }
}
