import CImagePNG
import ImageModel

/// The only importer of `CImagePNG`.
enum PNGBridge {
  /// Reads the header, and with `toEnd` the structure up to the end of the file.
  static func scan(
    _ bytes: RawSpan, limits: ImageLimits, toEnd: Bool
  ) throws(ImageError) -> ImageInfo {
    try CodecBridge.info(of: bytes, as: .png, "PNG", limits: limits) {
      imgc_png_scan($0, $1, &$2, toEnd, &$3, &$4)
    }
  }

  /// The colours as browsers read them: by cICP, else the ICC profile, else sRGB, else cHRM and
  /// gAMA; `nil` for none of these, or none that is whole. Source: W3C Portable Network Graphics
  /// (Third Edition), section 4.3.
  static func profile(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    let colors = bytes.withUnsafeBytes { raw in
      raw.baseAddress.map {
        imgc_png_find_colors($0.assumingMemoryBound(to: UInt8.self), raw.count)
      } ?? imgc_png_colors()
    }
    var numbers = ColorNumbers()
    if colors.primaries > 0 {
      (numbers.primaries, numbers.transfer) = (colors.primaries, colors.transfer)
      return ColorBridge.profile(of: numbers)
    }
    if colors.has_icc {
      return try CodecBridge.profile(of: bytes, "PNG", limits: limits) {
        imgc_png_icc($0, $1, &$2, &$3, &$4)
      }
    }
    numbers.gamma = Double(colors.gamma) / 100_000
    numbers.chromaticities = withUnsafeBytes(of: colors.chromaticities) {
      $0.bindMemory(to: UInt32.self).map { Double($0) / 100_000 }
    }
    return colors.has_srgb || numbers.isEmpty ? nil : ColorBridge.profile(of: numbers)
  }

  /// Decodes every pixel of the default image and keeps none.
  static func check(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    bytes.withUnsafeBytes { CodecBridge.report(.decode, $0) }
    var bounds = CodecBridge.limits(limits)
    try CodecBridge.call("PNG", on: bytes) { imgc_png_check($0, $1, &bounds, &$2) }
  }

  /// Writes a file.
  static func encode(
    _ pixels: PixelBuffer, options: PNGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    try withOptions(options) { settings, failure in
      CodecBridge.withImage(pixels) { imgc_png_encode($0, &settings, &out, &failure) }
    }
    return CodecBridge.take(&out)
  }

  /// Writes a file row by row.
  static func write(
    _ pixels: PixelBuffer, to descriptor: Int32, options: PNGEncodingOptions
  ) throws(ImageError) {
    try withOptions(options) { settings, failure in
      CodecBridge.withImage(pixels) { imgc_png_encode_to($0, &settings, descriptor, &failure) }
    }
  }

  private static func withOptions(
    _ options: PNGEncodingOptions,
    _ body: (inout imgc_png_options, inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    var failure = imgc_error()
    (options.iccProfile ?? []).withUnsafeBufferPointer { profile in
      var settings = imgc_png_options()
      settings.level = Int32(options.level)
      settings.every_filter = options.triesEveryFilter
      settings.may_use_palette = options.mayUsePalette
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      failure.status = body(&settings, &failure)
    }
    if let error = CodecBridge.error(failure, subject: "PNG") { throw error }
  }
}

/// Decodes the rows of a PNG's default image; the bytes are borrowed as in ``JPEGRowReader``.
final class PNGRowReader: RowReading {
  let size: PixelSize
  /// Whether it is interlaced.
  let isWhole: Bool
  private let handle: OpaquePointer

  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    CodecBridge.report(.decode, bytes)
    var bounds = CodecBridge.limits(limits)
    handle = try CodecBridge.open("PNG", bytes) { imgc_png_reader_open($0, $1, &bounds, &$2) }
    size = PixelSize(
      width: Int(imgc_png_reader_width(handle)), height: Int(imgc_png_reader_height(handle)))
    isWhole = imgc_png_reader_is_interlaced(handle)
  }

  deinit { imgc_png_reader_close(handle) }

  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
  {
    try CodecBridge.read("PNG", size, count, room, &done) {
      imgc_png_reader_read(handle, $0, &$1, &$2)
    }
  }
}
