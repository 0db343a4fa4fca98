import ImageModel

extension ImageCodecs {
  /// Writes a JPEG. Metadata is not kept but for the profile in the options.
  ///
  /// Alpha is ignored: blend with a background first. A gray image is written with one component.
  ///
  /// - Parameters:
  ///   - pixels: At most 65,500 pixels a side.
  ///   - quality: 1 through 100 (default: 80).
  /// - Throws: ``ImageError`` with code `invalidArgument` for an image too large for the format.
  public static func encodeJPEG(
    _ pixels: PixelBuffer, quality: Int = 80
  ) throws(ImageError) -> [UInt8] {
    try encodeJPEG(pixels, options: JPEGEncodingOptions(quality: quality))
  }

  /// Writes a JPEG as the options say. See ``encodeJPEG(_:quality:)``.
  public static func encodeJPEG(
    _ pixels: PixelBuffer, options: JPEGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    try CodecBridge.encodeJPEG(
      pixels, isGray: options.iccProfile == nil && PixelKernels.isGray(pixels), options: options)
  }

  /// Writes a PNG in the smallest layout that keeps every pixel.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for an image without pixels.
  public static func encodePNG(
    _ pixels: PixelBuffer, options: PNGEncodingOptions = PNGEncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    try CodecBridge.encodePNG(pixels, options: options)
  }

  /// Writes a PNG to an open file, row by row: the file is never whole in memory.
  ///
  /// - Throws: ``ImageError`` with code `storeFailed` where the file cannot be written.
  public static func writePNG(
    _ pixels: PixelBuffer, to descriptor: Int32, options: PNGEncodingOptions = PNGEncodingOptions()
  ) throws(ImageError) {
    try CodecBridge.writePNG(pixels, to: descriptor, options: options)
  }

  /// Writes a GIF, animated where there is more than one frame; their timing is kept to 10 ms.
  ///
  /// Each frame is the whole image as it is to be seen; what did not change is left out of the
  /// file. Alpha under 128 becomes transparent. More than 255 colours a palette are reduced.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for no frame, frames of several sizes, or
  ///   more than 65,535 pixels a side.
  public static func encodeGIF(
    _ frames: [AnimationFrame], options: GIFEncodingOptions = GIFEncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    switch options.palette {
    case .global: return try write(frames, options, isGlobal: true).bytes
    case .perFrame: return try write(frames, options, isGlobal: false).bytes
    case .automatic:
      let separate = try write(frames, options, isGlobal: false)
      let shared = try write(frames, options, isGlobal: true)
      if separate.isExact && !shared.isExact { return separate.bytes }
      return shared.bytes.count < separate.bytes.count ? shared.bytes : separate.bytes
    }
  }

  private static func write(
    _ frames: [AnimationFrame], _ options: GIFEncodingOptions, isGlobal: Bool
  ) throws(ImageError) -> (bytes: [UInt8], isExact: Bool) {
    let writer = try GIFWriter(
      size: frames.first?.pixels.size ?? PixelSize(width: 0, height: 0),
      loopCount: options.loopCount, hasGlobalPalette: isGlobal)
    if isGlobal {
      for frame in frames { try writer.survey(frame.pixels) }
    }
    for frame in frames {
      try writer.add(frame.pixels, centiseconds: centiseconds(frame.delay))
    }
    let bytes = try writer.finish()
    return (bytes, writer.isExact)
  }

  private static func centiseconds(_ delay: Duration) -> UInt16 {
    let hundredths = (delay / .milliseconds(10)).rounded()
    return UInt16(min(max(hundredths, 0), 65_535))
  }
}
