import CImageCodecs
import ImageModel
import Synchronization
import TextEncodings

enum ThreadTime {
  static var now: Duration { .nanoseconds(imgc_cpu_now()) }
}

/// A limit on the processor time of the calling thread, from its creation on.
struct ProcessorDeadline {
  private let limit: Duration?
  private let start = ThreadTime.now

  init(after limit: Duration?) { self.limit = limit }

  /// The limit for C; 0 is none.
  var nanoseconds: UInt64 {
    limit.map { UInt64(max(1, $0.nanoseconds)) } ?? 0
  }

  func check(_ subject: String, _ work: String = "writing") throws(ImageError) {
    guard let limit, ThreadTime.now - start > limit else { return }
    throw ImageError(
      .limitExceeded,
      "\(subject): \(work) takes more than \(limit.readable) of processor time")
  }
}

/// Turns what the C of the formats reports into Swift values.
enum CodecBridge {
  static func call(
    _ subject: String, _ body: (inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    var failure = imgc_error()
    failure.status = body(&failure)
    if let error = error(failure, subject: subject) { throw error }
  }

  /// The error that C reports, with the library's messages; `nil` is success.
  static func error(_ failure: imgc_error, subject: String) -> ImageError? {
    code(for: failure.status).map { ImageError($0, describe(failure, subject: subject)) }
  }

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
    var words = withUnsafeBytes(of: error.message) { raw in
      String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    if words.isEmpty, error.status == .argument { words = "the image has no pixels" }
    return error.offset > 0
      ? "\(subject): \(words) (at byte \(error.offset))" : "\(subject): \(words)"
  }

  /// Lends pixels to C for one call; an image without pixels is an `argument` error without words.
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

  /// Lends the bytes of a file to C for one frame, and the canvas to draw it on, if there is one.
  static func draw(
    _ subject: String, of bytes: RawSpan, onto canvas: inout PixelBuffer?,
    _ body: (
      UnsafePointer<UInt8>, Int, UnsafeMutablePointer<imgc_pixels>?, inout imgc_error
    ) -> imgc_status
  ) throws(ImageError) {
    let size = canvas?.size
    try call(subject, on: bytes) { base, count, failure in
      guard let size else { return body(base, count, nil, &failure) }
      return canvas?.withMutableBytes { room in
        guard let start = room.baseAddress else { return .argument }
        var target = pixels(at: start, room.count, size)
        return body(base, count, &target, &failure)
      } ?? .argument
    }
  }

  /// Runs a call that fills a buffer of C, and returns the bytes.
  static func bytes(
    _ subject: String, _ body: (inout imgc_buffer, inout imgc_error) -> imgc_status
  ) throws(ImageError) -> [UInt8] {
    var out = imgc_buffer()
    try call(subject) { body(&out, &$0) }
    return bytes(freeing: &out)
  }

  static func bytes(freeing buffer: inout imgc_buffer) -> [UInt8] {
    defer { imgc_buffer_free(&buffer) }
    return [UInt8](UnsafeBufferPointer(start: buffer.bytes, count: buffer.count))
  }

  private static let isObserved = Atomic(false)
  private static let observer = Locked(Observer())
  private struct Observer: Sendable {
    var report: (@Sendable (CodecEvent, UnsafeRawBufferPointer) -> Void)?
  }

  static func setObserver(_ observer: (@Sendable (CodecEvent, UnsafeRawBufferPointer) -> Void)?) {
    self.observer.withLock { $0.report = observer }
    isObserved.store(observer != nil, ordering: .relaxed)
  }

  static func report(_ event: CodecEvent, _ bytes: UnsafeRawBufferPointer) {
    if isObserved.load(ordering: .relaxed) { observer.withLock { $0.report }?(event, bytes) }
  }

  // MARK: Limits and headers

  static func limits(_ limits: ImageLimits) -> imgc_limits {
    imgc_limits(
      max_pixels: UInt64(clamping: limits.maximumPixels),
      max_animation_pixels: UInt64(clamping: limits.maximumAnimationPixels),
      max_memory: UInt64(clamping: limits.maximumMemoryByteCount),
      max_cpu_nanoseconds: UInt64(clamping: limits.maximumProcessorTime.nanoseconds),
      max_chunk_bytes: UInt64(clamping: limits.maximumChunkByteCount),
      max_side: UInt32(clamping: limits.maximumSide),
      max_frames: UInt32(clamping: limits.maximumFrames),
      max_scans: UInt32(clamping: limits.maximumProgressiveScans))
  }

  static func call(
    _ subject: String, on bytes: RawSpan,
    _ body: (UnsafePointer<UInt8>, Int, inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in try call(subject, on: raw, body) }
  }

  private static func call(
    _ subject: String, on bytes: UnsafeRawBufferPointer,
    _ body: (UnsafePointer<UInt8>, Int, inout imgc_error) -> imgc_status
  ) throws(ImageError) {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw ImageError(.truncated, "\(subject): no data")
    }
    try call(subject) { body(base, bytes.count, &$0) }
  }

  static func info(_ found: imgc_info, format: ImageFormat) -> ImageInfo {
    let orientation = Int(found.orientation)
    let stored = PixelSize(width: Int(found.width), height: Int(found.height))
    var info = ImageInfo(
      format: format,
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

  static func info(
    of bytes: RawSpan, as format: ImageFormat, _ subject: String, limits: ImageLimits,
    _ scan: (
      UnsafePointer<UInt8>, Int, inout imgc_limits, inout imgc_info, inout imgc_error
    ) -> imgc_status
  ) throws(ImageError) -> ImageInfo {
    bytes.withUnsafeBytes { report(.header, $0) }
    var found = imgc_info()
    var bounds = self.limits(limits)
    try call(subject, on: bytes) { scan($0, $1, &bounds, &found, &$2) }
    return info(found, format: format)
  }

  /// Reads the ICC profile of a file; `nil` where there is none that is whole.
  static func profile(
    of bytes: RawSpan, _ subject: String, limits: ImageLimits,
    _ read: (
      UnsafePointer<UInt8>, Int, inout imgc_limits, inout imgc_buffer, inout imgc_error
    ) -> imgc_status
  ) throws(ImageError) -> [UInt8]? {
    var out = imgc_buffer()
    var bounds = self.limits(limits)
    try call(subject, on: bytes) { read($0, $1, &bounds, &out, &$2) }
    let profile = Self.bytes(freeing: &out)
    return profile.isEmpty ? nil : profile
  }

  static func open(
    _ subject: String, _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafePointer<UInt8>, Int, inout imgc_error) -> OpaquePointer?
  ) throws(ImageError) -> OpaquePointer {
    var made: OpaquePointer?
    try call(subject, on: bytes) { base, count, failure in
      made = body(base, count, &failure)
      return failure.status
    }
    guard let made else { throw ImageError(.outOfMemory, "\(subject): out of memory") }
    return made
  }

  /// Memory for pixels as a C struct; rows follow each other without a gap.
  static func pixels(
    at base: UnsafeMutableRawPointer, _ byteCount: Int, _ size: PixelSize
  ) -> imgc_pixels {
    imgc_pixels(
      bytes: base.assumingMemoryBound(to: UInt8.self), byte_count: byteCount,
      bytes_per_row: 4 * size.width, width: UInt32(size.width), height: UInt32(size.height))
  }
}

enum CodecEvent: Sendable {
  case header
  /// A decode of its pixels began.
  case decode
}

/// The bytes that it reads from are borrowed: it must not outlive the closure that lends them.
class CodecRows: RowReading {
  struct Calls: Sendable {
    let width, height: @Sendable (OpaquePointer) -> UInt32
    let read:
      @Sendable (
        OpaquePointer, imgc_pixels, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<imgc_error>
      ) -> imgc_status
    let close: @Sendable (OpaquePointer?) -> Void
  }

  let size: PixelSize
  let isWhole: Bool
  let handle: OpaquePointer
  private let subject: String
  private let calls: Calls

  init(
    _ subject: String, _ bytes: UnsafeRawBufferPointer, limits: ImageLimits, _ calls: Calls,
    isWhole: (OpaquePointer) -> Bool = { _ in false },
    open: (UnsafePointer<UInt8>, Int, inout imgc_limits, inout imgc_error) -> OpaquePointer?
  ) throws(ImageError) {
    CodecBridge.report(.decode, bytes)
    var bounds = CodecBridge.limits(limits)
    let handle = try CodecBridge.open(subject, bytes) { open($0, $1, &bounds, &$2) }
    (self.handle, self.subject, self.calls) = (handle, subject, calls)
    self.isWhole = isWhole(handle)
    size = PixelSize(width: Int(calls.width(handle)), height: Int(calls.height(handle)))
  }

  deinit { calls.close(handle) }

  var warning: String? { nil }
  var damage: ImageError? { nil }
  func narrow(to columns: Range<Int>) throws(ImageError) {}

  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
  {
    guard let base = room.baseAddress else { return }
    var written: UInt32 = 0
    defer { done = Int(written) }
    let rows = CodecBridge.pixels(
      at: base, room.count, PixelSize(width: size.width, height: count))
    try CodecBridge.call(subject) { calls.read(handle, rows, &written, &$0) }
  }
}
