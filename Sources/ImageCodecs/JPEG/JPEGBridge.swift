import CImageJPEG
import ImageModel

/// The only importer of `CImageJPEG`.
enum JPEGBridge {
  /// Reads the header, and with `toEnd` the structure up to the end of the file.
  static func scan(
    _ bytes: RawSpan, limits: ImageLimits, toEnd: Bool
  ) throws(ImageError) -> ImageInfo {
    try CodecBridge.info(of: bytes, as: .jpeg, "JPEG", limits: limits) {
      imgc_jpeg_scan($0, $1, &$2, toEnd, &$3, &$4)
    }
  }

  /// The ICC profile; `nil` where there is none that is whole.
  static func profile(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try CodecBridge.profile(of: bytes, "JPEG", limits: limits) {
      imgc_jpeg_icc($0, $1, &$2, &$3, &$4)
    }
  }

  /// Writes a file.
  static func encode(
    _ pixels: PixelBuffer, isGray: Bool, options: JPEGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    var failure = imgc_error()
    (options.iccProfile ?? []).withUnsafeBufferPointer { profile in
      var settings = imgc_jpeg_options()
      settings.quality = Int32(options.quality)
      settings.full_chroma = options.chroma == .full
      settings.progressive = options.isProgressive
      settings.optimised = options.isOptimised
      settings.gray = isGray
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      failure.status = CodecBridge.withImage(pixels) {
        imgc_jpeg_encode($0, &settings, &out, &failure)
      }
    }
    if let error = CodecBridge.error(failure, subject: "JPEG") { throw error }
    return CodecBridge.take(&out)
  }
}

/// Decodes the rows of a JPEG. The bytes it reads from are borrowed: it must not outlive the
/// closure that lends them.
final class JPEGRowReader: RowReading {
  let size: PixelSize
  private let handle: OpaquePointer

  init(
    _ bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) {
    CodecBridge.report(.decode, bytes)
    var bounds = CodecBridge.limits(limits)
    let request = imgc_jpeg_request(
      eighths: UInt32(request.eighths), lenient: request.isLenient, strict: request.isStrict,
      inks: request.keepsInks)
    handle = try CodecBridge.open("JPEG", bytes) {
      imgc_jpeg_reader_open($0, $1, &bounds, request, &$2)
    }
    size = PixelSize(
      width: Int(imgc_jpeg_reader_width(handle)), height: Int(imgc_jpeg_reader_height(handle)))
  }

  deinit { imgc_jpeg_reader_close(handle) }

  /// The first warning of the library; `nil` for none.
  var warning: String? {
    let words = String(cString: imgc_jpeg_reader_warning(handle))
    return words.isEmpty ? nil : words
  }

  /// Damage that a lenient reader ignored.
  var damage: ImageError? {
    imgc_jpeg_reader_is_damaged(handle)
      ? ImageError(.corrupt, "JPEG: some of the data is damaged") : nil
  }

  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
  {
    try CodecBridge.read("JPEG", size, count, room, &done) {
      imgc_jpeg_reader_read(handle, $0, &$1, &$2)
    }
  }
}

/// Decodes a JPEG whose bytes come in pieces, each byte once.
final class JPEGStream: PreviewDecoding {
  private let handle: OpaquePointer
  private var progress = imgc_jpeg_progress()

  /// - Parameter eighths: The scale of previews, 1 through 8 eighths.
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

  /// Takes more bytes.
  func feed(_ bytes: RawSpan) throws(ImageError) {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      try CodecBridge.call("JPEG") {
        imgc_jpeg_stream_feed(handle, base, raw.count, &progress, &$0)
      }
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
