import CImageJPEG
import ImageModel

/// JPEG by libjpeg-turbo: sequential and progressive, gray, YCbCr, CMYK and YCCK.
struct JPEGCodec: ImageCodec {
  let format = ImageFormat.jpeg

  /// The third byte is 0xff, unless stray bytes precede the first marker; no other format begins
  /// so.
  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature([0xff, 0xd8]).recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    try CodecBridge.info(of: bytes, as: .jpeg, "JPEG", limits: limits) {
      imgc_jpeg_scan($0, $1, &$2, check == .structure, &$3, &$4)
    }
  }

  func scales(of info: ImageInfo) -> [Int] { [1, 2, 4] }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    let request = imgc_jpeg_request(
      eighths: UInt32(request.eighths), lenient: request.isLenient, strict: request.isStrict,
      inks: request.keepsInks)
    return try JPEGRows("JPEG", bytes, limits: limits, Self.calls) {
      imgc_jpeg_reader_open($0, $1, &$2, request, &$3)
    }
  }

  private static let calls = CodecRows.Calls(
    width: imgc_jpeg_reader_width, height: imgc_jpeg_reader_height, read: imgc_jpeg_reader_read,
    close: imgc_jpeg_reader_close)

  func previews(eighths: Int, limits: ImageLimits) throws(ImageError) -> (any PreviewDecoding)? {
    try JPEGStream(limits: limits, eighths: eighths)
  }

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try CodecBridge.profile(of: bytes, "JPEG", limits: limits) {
      imgc_jpeg_icc($0, $1, &$2, &$3, &$4)
    }
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: false, isAnimated: false, hasProfile: true, isLossless: false)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    let pixels = frames[0].pixels
    // A gray image is written with one component.
    let isGray = options.iccProfile == nil && PixelKernels.isGray(pixels)
    let pixelCount = pixels.size.pixelCount
    let isChoice = options.isProgressive == nil && Self.choicePixels.contains(pixelCount)
    let bytes = try encode(
      pixels, options, isGray: isGray, isProgressive: options.isProgressive ?? isChoice)
    // One of more bytes is smaller with several scans.
    guard isChoice, bytes.count < pixelCount / 8 else { return bytes }
    let baseline = try encode(pixels, options, isGray: isGray, isProgressive: false)
    return baseline.count <= max(bytes.count, Self.baselineByteCount) ? baseline : bytes
  }

  /// What has no more bytes is shown at once.
  private static let baselineByteCount = 10_000
  /// Smaller images are mostly larger with several scans, whatever they have, and of larger ones all
  /// coefficients take more memory than a thumbnail is worth.
  private static let choicePixels = 1 << 16...1 << 24

  private func encode(
    _ pixels: PixelBuffer, _ options: EncodingOptions, isGray: Bool, isProgressive: Bool
  ) throws(ImageError) -> [UInt8] {
    try CodecBridge.bytes("JPEG") { out, failure in
      (options.iccProfile ?? []).withUnsafeBufferPointer { profile in
        var settings = imgc_jpeg_options()
        settings.quality = Int32(options.quality)
        settings.full_chroma = options.chroma == .full
        settings.progressive = isProgressive
        settings.gray = isGray
        settings.icc = profile.baseAddress
        settings.icc_size = profile.count
        return CodecBridge.withImage(pixels) { imgc_jpeg_encode($0, &settings, &out, &failure) }
      }
    }
  }
}

private final class JPEGRows: CodecRows {
  override func narrow(to columns: Range<Int>) throws(ImageError) {
    try CodecBridge.call("JPEG") {
      imgc_jpeg_reader_narrow(
        handle, UInt32(columns.lowerBound), UInt32(columns.count), &$0)
    }
  }

  override var warning: String? {
    let words = String(cString: imgc_jpeg_reader_warning(handle))
    return words.isEmpty ? nil : words
  }

  override var damage: ImageError? {
    imgc_jpeg_reader_is_damaged(handle)
      ? ImageError(.corrupt, "JPEG: some of the data is damaged") : nil
  }
}

/// Decodes a JPEG whose bytes come in pieces, each byte once.
final class JPEGStream: PreviewDecoding {
  private let handle: OpaquePointer
  private var progress = imgc_jpeg_progress()

  init(limits: ImageLimits, eighths: Int) throws(ImageError) {
    var bounds = CodecBridge.limits(limits)
    guard let handle = imgc_jpeg_stream_make(&bounds, UInt32(eighths)) else {
      throw ImageError(.outOfMemory, "JPEG: out of memory for a preview")
    }
    self.handle = handle
  }

  deinit { imgc_jpeg_stream_free(handle) }

  /// Scans that are whole.
  var stage: Int { progress.has_scans ? Int(progress.scans) : 0 }
  /// Whether the end was reached, or there is only one scan and so nothing to preview.
  var isOver: Bool { progress.ended || (progress.width > 0 && !progress.has_scans) }

  func feed(_ bytes: RawSpan) throws(ImageError) {
    guard bytes.byteCount > 0 else { return }
    try CodecBridge.call("JPEG", on: bytes) {
      imgc_jpeg_stream_feed(handle, $0, $1, &progress, &$2)
    }
  }

  func image() throws(ImageError) -> PixelBuffer {
    let size = PixelSize(width: Int(progress.width), height: Int(progress.height))
    let stored = try PixelBuffer(
      size: size,
      overwrittenBy: { (room) throws(ImageError) in
        guard let base = room.baseAddress else { return }
        let pixels = CodecBridge.pixels(at: base, room.count, size)
        try CodecBridge.call("JPEG") { imgc_jpeg_stream_show(handle, pixels, &$0) }
      })
    return stored.upright(Orientation(Int(progress.orientation)))
  }
}
