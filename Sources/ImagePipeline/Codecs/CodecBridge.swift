import CImageCodecs

/// The one door to `CImageCodecs`: everything C is turned into the words of this module here.
enum CodecBridge {
  /// Runs a call that reports through an `imgc_error`, and throws what it reports.
  static func call(
    _ subject: String, _ body: (inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    var error = imgc_error()
    let status = body(&error)
    guard let code = code(for: status) else { return }
    throw ImageError(code, describe(error, subject: subject))
  }

  /// What a status means for a program; `nil` is success.
  static func code(for status: imgc_status) -> ImageError.Code? {
    switch status {
    case .ok: nil
    case .argument: .invalidArgument
    case .memory: .outOfMemory
    case .limit: .limitExceeded
    case .truncated: .truncated
    case .corrupt: .corrupt
    case .unsupported: .unsupportedFormat
    }
  }

  private static func describe(_ error: imgc_error, subject: String) -> String {
    let words = withUnsafeBytes(of: error.message) { raw in
      String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    return error.offset > 0
      ? "\(subject): \(words) (at byte \(error.offset))" : "\(subject): \(words)"
  }

  /// Lends pixels to C for one call; a picture without pixels is an argument that C would refuse.
  static func withImage(
    _ pixels: PixelBuffer, _ body: (imgc_image) -> imgc_status
  ) -> imgc_status {
    pixels.bytes.withUnsafeBufferPointer { raw in
      guard let base = raw.baseAddress, raw.count > 0 else { return .argument }
      return body(
        imgc_image(
          bytes: base, byte_count: raw.count, bytes_per_row: pixels.bytesPerRow,
          width: UInt32(clamping: pixels.width), height: UInt32(clamping: pixels.height)))
    }
  }

  /// Moves what C allocated into an array.
  static func take(_ buffer: inout imgc_buffer) -> [UInt8] {
    defer { imgc_buffer_free(&buffer) }
    return [UInt8](UnsafeBufferPointer(start: buffer.bytes, count: buffer.count))
  }
}

// MARK: writing

extension CodecBridge {
  static func encodeJPEG(
    _ pixels: PixelBuffer, isGray: Bool, options: JPEGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    var error: ImageError?
    (options.iccProfile ?? []).withUnsafeBufferPointer { profile in
      var settings = imgc_jpeg_options()
      settings.quality = Int32(options.quality)
      settings.full_chroma = options.chroma == .full
      settings.progressive = options.isProgressive
      settings.optimised = options.isOptimised
      settings.gray = isGray
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      do throws(ImageError) {
        try call("JPEG") { failure in
          withImage(pixels) { imgc_jpeg_encode($0, &settings, &out, &failure) }
        }
      } catch let thrown { error = thrown }
    }
    if let error { throw error }
    return take(&out)
  }

  static func encodePNG(
    _ pixels: PixelBuffer, options: PNGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    var error: ImageError?
    (options.iccProfile ?? []).withUnsafeBufferPointer { profile in
      var settings = imgc_png_options()
      settings.level = Int32(options.level)
      settings.every_filter = options.triesEveryFilter
      settings.may_use_palette = options.mayUsePalette
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      do throws(ImageError) {
        try call("PNG") { failure in
          withImage(pixels) { imgc_png_encode($0, &settings, &out, &failure) }
        }
      } catch let thrown { error = thrown }
    }
    if let error { throw error }
    return take(&out)
  }
}

/// A GIF that is being written; freed with the last reference.
final class GIFWriter {
  private let handle: OpaquePointer

  /// - Throws: `invalidArgument` where a side is not 1 through 65,535, or there is no memory.
  init(size: PixelSize, loopCount: Int, hasGlobalPalette: Bool) throws(ImageError) {
    var options = imgc_gif_options()
    options.width = UInt32(clamping: size.width)
    options.height = UInt32(clamping: size.height)
    options.loop_count = UInt32(clamping: loopCount)
    options.global_palette = hasGlobalPalette
    guard let handle = imgc_gif_writer_open(&options) else {
      throw ImageError(.invalidArgument, "GIF: a canvas of \(size) cannot be written")
    }
    self.handle = handle
  }

  deinit { imgc_gif_writer_close(handle) }

  /// Whether no colour has been changed so far.
  var isExact: Bool { imgc_gif_writer_is_exact(handle) }

  /// Counts the colours of a frame towards the global palette.
  func survey(_ frame: PixelBuffer) throws(ImageError) {
    try CodecBridge.call("GIF") { failure in
      CodecBridge.withImage(frame) { imgc_gif_writer_survey(handle, $0, &failure) }
    }
  }

  /// Adds a frame that shows for `centiseconds` hundredths of a second.
  func add(_ frame: PixelBuffer, centiseconds: UInt16) throws(ImageError) {
    try CodecBridge.call("GIF") { failure in
      CodecBridge.withImage(frame) { imgc_gif_writer_add(handle, $0, centiseconds, &failure) }
    }
  }

  /// Ends the file.
  func finish() throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    try CodecBridge.call("GIF") { imgc_gif_writer_finish(handle, &out, &$0) }
    return CodecBridge.take(&out)
  }
}
