public import ImageModel

extension ImageCodecs {
  /// Writes a JPEG. Metadata is not kept but for the profile in the options.
  ///
  /// Alpha is ignored: blend with a background first. A gray image is written with one component.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for more than 65,500 pixels a side.
  public static func encodeJPEG(
    _ pixels: PixelBuffer, options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    try JPEGCodec().encode([AnimationFrame(pixels: pixels, delay: .zero)], options: options)
  }

  /// Writes a PNG in the smallest layout that keeps every pixel.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an image without pixels.
  public static func encodePNG(
    _ pixels: PixelBuffer, options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    try PNGCodec().encode([AnimationFrame(pixels: pixels, delay: .zero)], options: options)
  }

  /// Writes a PNG to an open file, row by row: the file is never whole in memory.
  ///
  /// - Throws: `ImageError` with code `storeFailed` where the file cannot be written.
  public static func writePNG(
    _ pixels: PixelBuffer, to descriptor: Int32, options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) {
    try PNGCodec.write(pixels, to: descriptor, options: options)
  }

  /// Writes a GIF, animated where there is more than one frame; their timing is kept to 10 ms.
  ///
  /// Each frame is the complete image as displayed; unchanged areas are omitted from the file.
  /// Alpha under 128 becomes transparent. More than 255 colours a palette are reduced.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for no frame, frames of several sizes, or
  ///   more than 65,535 pixels a side.
  public static func encodeGIF(
    _ frames: [AnimationFrame], options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    guard !frames.isEmpty else { throw ImageError(.invalidArgument, "GIF: no frame to write") }
    return try GIFCodec().encode(frames, options: options)
  }

  /// Writes a WebP, animated where there is more than one frame; their timing is kept to 1 ms.
  ///
  /// Frames that do not differ from the one before become one frame with it. The default effort of
  /// an animation is 3, too.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for frames of several sizes, or more than
  ///   16,383 pixels a side.
  public static func encodeWebP(
    _ frames: [AnimationFrame], options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    guard !frames.isEmpty else { throw ImageError(.invalidArgument, "WebP: no frame to write") }
    var options = options
    options.effort = options.effort ?? 3
    return try WebPCodec().encode(frames, options: options)
  }

  /// Writes an image as a WebP.
  public static func encodeWebP(
    _ pixels: PixelBuffer, options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) -> [UInt8] {
    try encodeWebP([AnimationFrame(pixels: pixels, delay: .zero)], options: options)
  }
}
