import CImagePNG
import ImageModel

/// PNG: a decoder of its own for complete images of 8 bits, libpng for the others, and the frames
/// of an animated PNG on request.
struct PNGCodec: ImageCodec {
  let format = ImageFormat.png

  /// The default image is what a PNG shows; see ``DecodingOptions/animatesPNG``.
  var showsFrames: Bool { false }

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    try CodecBridge.info(of: bytes, as: .png, "PNG", limits: limits) {
      imgc_png_scan($0, $1, &$2, check == .structure, &$3, &$4)
    }
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    try CodecRows(
      "PNG", bytes, limits: limits, Self.calls, isWhole: imgc_png_reader_is_interlaced
    ) { imgc_png_reader_open($0, $1, &$2, &$3) }
  }

  private static let calls = CodecRows.Calls(
    width: imgc_png_reader_width, height: imgc_png_reader_height, read: imgc_png_reader_read,
    close: imgc_png_reader_close)

  var checksWithoutPixels: Bool { true }

  func checkPixels(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    bytes.withUnsafeBytes { CodecBridge.report(.decode, $0) }
    var bounds = CodecBridge.limits(limits)
    try CodecBridge.call("PNG", on: bytes) { imgc_png_check($0, $1, &bounds, &$2) }
  }

  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? {
    try APNGFrames(bytes, limits: limits)
  }

  /// The colours as browsers read them: by cICP, else the ICC profile, else sRGB, else cHRM and
  /// gAMA; `nil` for none of these, or none that is whole. Source: W3C Portable Network Graphics
  /// (Third Edition), section 4.3.
  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
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

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: false, hasProfile: true, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    try CodecBridge.bytes("PNG") { out, failure in
      Self.write(frames[0].pixels, options) { imgc_png_encode($0, &$1, &out, &failure) }
    }
  }

  /// Writes a file row by row.
  static func write(
    _ pixels: PixelBuffer, to descriptor: Int32, options: EncodingOptions
  ) throws(ImageError) {
    try CodecBridge.call("PNG") { failure in
      write(pixels, options) { imgc_png_encode_to($0, &$1, descriptor, &failure) }
    }
  }

  private static func write(
    _ pixels: PixelBuffer, _ options: EncodingOptions,
    _ body: (imgc_image, inout imgc_png_options) -> imgc_status
  ) -> imgc_status {
    (options.iccProfile ?? []).withUnsafeBufferPointer { profile in
      var settings = imgc_png_options()
      settings.level = Int32(options.level)
      settings.every_filter = options.level >= 6
      settings.may_use_palette = options.mayUsePalette
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      return CodecBridge.withImage(pixels) { body($0, &settings) }
    }
  }
}
