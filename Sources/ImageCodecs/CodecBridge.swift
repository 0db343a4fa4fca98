import CImageCodecs
import ImageModel
import Synchronization

/// Processor time of the calling thread.
enum ThreadTime {
  static var now: Duration { .nanoseconds(imgc_cpu_now()) }
}

/// The only importer of `CImageCodecs`, except for the calls for GIF: turns what C reports of
/// files, JPEG and PNG into Swift values.
enum CodecBridge {
  /// Runs a call that reports through an `imgc_error`, and throws what it reports.
  static func call(
    _ subject: String, _ body: (inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    var failure = imgc_error()
    failure.status = body(&failure)
    if let error = error(failure, subject: subject) { throw error }
  }

  /// What C reports, in our words; `nil` is success.
  static func error(_ failure: imgc_error, subject: String) -> ImageError? {
    code(for: failure.status).map { ImageError($0, describe(failure, subject: subject)) }
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
    case .write: .storeFailed
    }
  }

  private static func describe(_ error: imgc_error, subject: String) -> String {
    let words = withUnsafeBytes(of: error.message) { raw in
      String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    return error.offset > 0
      ? "\(subject): \(words) (at byte \(error.offset))" : "\(subject): \(words)"
  }

  /// Lends pixels to C for one call; an image without pixels is an argument that C would refuse.
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

// MARK: what tests count

/// Work on a file that should be done once.
enum CodecEvent: Sendable {
  /// Its header was read, by itself.
  case header
  /// A decode of its pixels began.
  case decode
}

extension CodecBridge {
  private static let isObserved = Atomic(false)
  private static let observer =
    Locked<(@Sendable (CodecEvent, UnsafeRawBufferPointer) -> Void)?>(nil)

  /// Sets what hears of the work on all files of this process; for a test that counts it.
  static func setObserver(_ observer: (@Sendable (CodecEvent, UnsafeRawBufferPointer) -> Void)?) {
    self.observer.withLock { $0 = observer }
    isObserved.store(observer != nil, ordering: .relaxed)
  }

  static func report(_ event: CodecEvent, _ bytes: UnsafeRawBufferPointer) {
    if isObserved.load(ordering: .relaxed) { observer.withLock { $0 }?(event, bytes) }
  }
}

// MARK: limits and headers

extension CodecBridge {
  /// The limits as C wants them.
  static func limits(_ limits: ImageLimits) -> imgc_limits {
    let time = limits.maximumProcessorTime.components
    let nanoseconds = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return imgc_limits(
      max_pixels: UInt64(clamping: limits.maximumPixels),
      max_animation_pixels: UInt64(clamping: limits.maximumAnimationPixels),
      max_memory: UInt64(clamping: limits.maximumMemoryByteCount),
      max_cpu_nanoseconds: nanoseconds.overflow
        ? .max : UInt64(clamping: nanoseconds.partialValue + time.attoseconds / 1_000_000_000),
      max_chunk_bytes: UInt64(clamping: limits.maximumChunkByteCount),
      max_side: UInt32(clamping: limits.maximumSide),
      max_frames: UInt32(clamping: limits.maximumFrames),
      max_scans: UInt32(clamping: limits.maximumProgressiveScans))
  }

  /// A kind of file whose header C reads the same way for all.
  enum StillFormat: String {
    case jpeg = "JPEG"
    case png = "PNG"
  }

  /// Reads the header, and with `toEnd` the structure up to the end of the file.
  static func scan(
    _ format: StillFormat, _ bytes: RawSpan, limits: ImageLimits, toEnd: Bool
  ) throws(ImageError) -> ImageInfo {
    bytes.withUnsafeBytes { report(.header, $0) }
    var found = imgc_info()
    var bounds = Self.limits(limits)
    try call(format.rawValue, on: bytes) { base, count, failure in
      switch format {
      case .jpeg: imgc_jpeg_scan(base, count, &bounds, toEnd, &found, &failure)
      case .png: imgc_png_scan(base, count, &bounds, toEnd, &found, &failure)
      }
    }
    return info(found, format: format)
  }

  /// Decodes every pixel of a PNG and keeps none.
  static func checkPNG(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    bytes.withUnsafeBytes { report(.decode, $0) }
    var bounds = Self.limits(limits)
    try call("PNG", on: bytes) { imgc_png_check($0, $1, &bounds, &$2) }
  }

  /// Runs a call on bytes that are lent to it.
  private static func call(
    _ subject: String, on bytes: RawSpan,
    _ body: (UnsafePointer<UInt8>, Int, inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        throw ImageError(.truncated, "\(subject): no data")
      }
      try call(subject) { body(base, raw.count, &$0) }
    }
  }

  private static func info(_ found: imgc_info, format: StillFormat) -> ImageInfo {
    let orientation = Int(found.orientation)
    let stored = PixelSize(width: Int(found.width), height: Int(found.height))
    var info = ImageInfo(
      format: format == .jpeg ? .jpeg : .png,
      size: orientation >= 5 ? PixelSize(width: stored.height, height: stored.width) : stored,
      colorModel: colorModel(found.color))
    info.orientation = orientation
    info.bitDepth = Int(found.bit_depth)
    info.hasAlpha = found.has_alpha
    info.isProgressive = found.progressive
    info.iccProfileByteCount = found.has_icc ? Int(clamping: found.icc_size) : nil
    return info
  }

  private static func colorModel(_ color: imgc_color) -> ImageInfo.ColorModel {
    switch color {
    case .gray: .gray
    case .rgb: .rgb
    case .palette: .palette
    case .ycbcr: .ycbcr
    case .cmyk: .cmyk
    case .ycck: .ycck
    }
  }

  /// The ICC profile of a file; `nil` where there is none that is whole.
  static func profile(
    _ format: StillFormat, _ bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> [UInt8]? {
    var out = imgc_buffer()
    var bounds = Self.limits(limits)
    try call(format.rawValue, on: bytes) { base, count, failure in
      switch format {
      case .jpeg: imgc_jpeg_icc(base, count, &bounds, &out, &failure)
      case .png: imgc_png_icc(base, count, &bounds, &out, &failure)
      }
    }
    let profile = take(&out)
    return profile.isEmpty ? nil : profile
  }
}

// MARK: rows

/// Decodes the rows of a JPEG. The bytes it reads from are borrowed: it must not outlive the
/// closure that lends them.
final class JPEGRowReader: RowReading {
  let size: PixelSize
  let isInterlaced = false
  private let handle: OpaquePointer
  private let bounds: UnsafeMutablePointer<imgc_limits>

  /// - Parameters:
  ///   - eighths: The scale, 1 through 8 eighths; sizes are rounded up.
  ///   - isLenient: Whether it goes on after damage.
  ///   - isStrict: Whether damage counts from which no pixel suffers.
  ///   - keepsInks: Whether a file of four inks gives those, in place of the colours they show.
  init(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits, eighths: Int = 8, isLenient: Bool = false,
    isStrict: Bool = false, keepsInks: Bool = false
  ) throws(ImageError) {
    CodecBridge.report(.decode, bytes)
    let bounds = UnsafeMutablePointer<imgc_limits>.allocate(capacity: 1)
    bounds.initialize(to: CodecBridge.limits(limits))
    let request = imgc_jpeg_request(
      eighths: UInt32(eighths), lenient: isLenient, strict: isStrict, inks: keepsInks)
    do throws(ImageError) {
      handle = try CodecBridge.open("JPEG", bytes) {
        imgc_jpeg_reader_open($0, $1, bounds, request, &$2)
      }
    } catch {
      bounds.deallocate()
      throw error
    }
    self.bounds = bounds
    size = PixelSize(
      width: Int(imgc_jpeg_reader_width(handle)), height: Int(imgc_jpeg_reader_height(handle)))
  }

  deinit {
    imgc_jpeg_reader_close(handle)
    bounds.deallocate()
  }

  /// What the library first warned of; `nil` for nothing.
  var warning: String? {
    let words = String(cString: imgc_jpeg_reader_warning(handle))
    return words.isEmpty ? nil : words
  }

  /// Damage that was passed over, where the reader is lenient.
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

/// Decodes the rows of a PNG's default image; the bytes are borrowed as in ``JPEGRowReader``.
final class PNGRowReader: RowReading {
  let size: PixelSize
  let isInterlaced: Bool
  let damage: ImageError? = nil
  let warning: String? = nil
  private let handle: OpaquePointer
  private let bounds: UnsafeMutablePointer<imgc_limits>

  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    CodecBridge.report(.decode, bytes)
    let bounds = UnsafeMutablePointer<imgc_limits>.allocate(capacity: 1)
    bounds.initialize(to: CodecBridge.limits(limits))
    do throws(ImageError) {
      handle = try CodecBridge.open("PNG", bytes) { imgc_png_reader_open($0, $1, bounds, &$2) }
    } catch {
      bounds.deallocate()
      throw error
    }
    self.bounds = bounds
    size = PixelSize(
      width: Int(imgc_png_reader_width(handle)), height: Int(imgc_png_reader_height(handle)))
    isInterlaced = imgc_png_reader_is_interlaced(handle)
  }

  deinit {
    imgc_png_reader_close(handle)
    bounds.deallocate()
  }

  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
  {
    try CodecBridge.read("PNG", size, count, room, &done) {
      imgc_png_reader_read(handle, $0, &$1, &$2)
    }
  }
}

extension CodecBridge {
  /// Opens what reads from borrowed bytes, and throws where it cannot.
  static func open(
    _ subject: String, _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafePointer<UInt8>, Int, inout imgc_error) -> OpaquePointer?
  ) throws(ImageError) -> OpaquePointer {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw ImageError(.truncated, "\(subject): no data")
    }
    var made: OpaquePointer?
    try call(subject) { failure in
      made = body(base, bytes.count, &failure)
      return failure.status
    }
    guard let made else { throw ImageError(.outOfMemory, "\(subject): out of memory") }
    return made
  }

  fileprivate static func read(
    _ subject: String, _ size: PixelSize, _ count: Int, _ room: UnsafeMutableRawBufferPointer,
    _ done: inout Int, _ body: (imgc_pixels, inout UInt32, inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    guard let base = room.baseAddress else { return }
    var written: UInt32 = 0
    defer { done = Int(written) }
    let pixels = imgc_pixels(
      bytes: base.assumingMemoryBound(to: UInt8.self), byte_count: room.count,
      bytes_per_row: 4 * size.width, width: UInt32(size.width), height: UInt32(count))
    try call(subject) { body(pixels, &written, &$0) }
  }
}

// MARK: writing

extension CodecBridge {
  static func encodeJPEG(
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
      failure.status = withImage(pixels) { imgc_jpeg_encode($0, &settings, &out, &failure) }
    }
    if let error = error(failure, subject: "JPEG") { throw error }
    return take(&out)
  }

  static func encodePNG(
    _ pixels: PixelBuffer, options: PNGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    try withPNGOptions(options) { settings, failure in
      withImage(pixels) { imgc_png_encode($0, &settings, &out, &failure) }
    }
    return take(&out)
  }

  static func writePNG(
    _ pixels: PixelBuffer, to descriptor: Int32, options: PNGEncodingOptions
  ) throws(ImageError) {
    try withPNGOptions(options) { settings, failure in
      withImage(pixels) { imgc_png_encode_to($0, &settings, descriptor, &failure) }
    }
  }

  private static func withPNGOptions(
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
    if let error = error(failure, subject: "PNG") { throw error }
  }
}

// MARK: rows that come while the file does

/// Decodes a JPEG whose bytes come in pieces, each byte once.
final class JPEGStream {
  private let handle: OpaquePointer
  private(set) var progress = imgc_jpeg_progress()

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
  var scanCount: Int { progress.has_scans ? Int(progress.scans) : 0 }
  /// Whether the end of the image was reached.
  var isAtEnd: Bool { progress.ended }
  /// Whether there is only one scan, and so nothing to preview.
  var isSequential: Bool { progress.width > 0 && !progress.has_scans }
  /// How the image is stored.
  var orientation: Int { Int(progress.orientation) }

  /// Takes more bytes.
  func feed(_ bytes: RawSpan) throws(ImageError) {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      try CodecBridge.call("JPEG") {
        imgc_jpeg_stream_feed(handle, base, raw.count, &progress, &$0)
      }
    }
  }

  /// The image as far as it has come, as it is stored.
  func image() throws(ImageError) -> PixelBuffer {
    let size = PixelSize(width: Int(progress.width), height: Int(progress.height))
    return try PixelBuffer(
      size: size,
      overwrittenBy: { (room) throws(ImageError) in
        guard let base = room.baseAddress else { return }
        let pixels = imgc_pixels(
          bytes: base.assumingMemoryBound(to: UInt8.self), byte_count: room.count,
          bytes_per_row: 4 * size.width, width: progress.width, height: progress.height)
        try CodecBridge.call("JPEG") { imgc_jpeg_stream_show(handle, pixels, &$0) }
      })
  }
}
