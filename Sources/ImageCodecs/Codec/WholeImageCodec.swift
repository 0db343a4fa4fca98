public import ImageModel

/// A format of stills that is decoded as a whole, which takes the fewest methods: a signature, the
/// size by the header, the pixels.
///
/// Twice the memory of the pixels is needed while one is decoded; a format of large images is
/// better an ``ImageCodec`` with rows. All else of ``ImageCodec`` has its defaults.
public protocol WholeImageCodec: ImageCodec {
  /// Returns the size by the header. It is compared with the limits before ``decode(_:)`` is called.
  ///
  /// - Throws: `ImageError` with code `truncated`, `corrupt` or `unsupportedFormat`.
  func size(of bytes: RawSpan) throws(ImageError) -> PixelSize

  /// Decodes an image of ``size(of:)``, upright and in sRGB.
  ///
  /// - Parameter bytes: The whole file, which is not trusted.
  /// - Throws: `ImageError` with code `truncated` where the file ends early, or `corrupt`.
  func decode(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer
}

extension WholeImageCodec {
  /// Returns the size, and that pixels may be transparent; ``ImageCheck/structure`` decodes them.
  public func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let size = try checkedSize(of: bytes, limits)
    if check == .structure { _ = try pixels(of: bytes, limits) }
    var info = ImageInfo(format: format, size: size, colorModel: .rgb)
    info.hasAlpha = true
    return info
  }

  /// Returns the rows of the decoded image.
  public func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    WholeImageRows(size: try checkedSize(of: bytes.bytes, limits)) { () throws(ImageError) in
      try pixels(of: bytes.bytes, limits)
    }
  }

  private func checkedSize(
    of bytes: RawSpan, _ limits: ImageLimits
  ) throws(ImageError) -> PixelSize {
    let size = try size(of: bytes)
    try limits.check(size)
    return size
  }

  private func pixels(of bytes: RawSpan, _ limits: ImageLimits) throws(ImageError) -> PixelBuffer {
    let size = try checkedSize(of: bytes, limits)
    // They are copied once.
    try limits.checkCanvas(of: size)
    let pixels = try decode(bytes)
    guard pixels.size == size else {
      throw ImageError(.corrupt, "\(pixels.size) pixels in an image of \(size)")
    }
    return pixels
  }
}

private final class WholeImageRows: RowReading {
  let size: PixelSize
  let isWhole = true
  private let decode: () throws(ImageError) -> PixelBuffer

  init(size: PixelSize, decode: @escaping () throws(ImageError) -> PixelBuffer) {
    self.size = size
    self.decode = decode
  }

  func read(
    _ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int
  ) throws(ImageError) {
    room.copyBytes(from: try decode().bytes)
    done = size.height
  }
}
