import CImageWebP
import ImageModel

/// WebP by libwebp: lossy, lossless, with alpha, and animations. The only importer of `CImageWebP`.
struct WebPCodec: ImageCodec {
  let format = ImageFormat.webp

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("RIFF....WEBP").recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let table = try WebPTable(bytes, limits: limits)
    if check == .structure, let fault = table.fault { throw fault }
    return table.info
  }

  /// Half the size, which spares the conversion of three quarters of the pixels to RGB.
  func scales(of info: ImageInfo) -> [Int] {
    info.colorModel == .ycbcr && !info.hasAlpha ? [4] : []
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    // At full size libwebp writes all rows to the memory of the caller.
    let isHalf = request.eighths == 4
    return try CodecRows("WebP", bytes, limits: limits, Self.calls, isWhole: { _ in !isHalf }) {
      imgc_webp_reader_open($0, $1, &$2, isHalf, request.isLenient, &$3)
    }
  }

  private static let calls = CodecRows.Calls(
    width: imgc_webp_reader_width, height: imgc_webp_reader_height, read: imgc_webp_reader_read,
    close: imgc_webp_reader_close)

  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? {
    let table = try WebPTable(bytes, limits: limits)
    return table.isAnimation ? WebPFrames(table, limits: limits) : nil
  }

  func previews(eighths: Int, limits: ImageLimits) throws(ImageError) -> (any PreviewDecoding)? {
    try WebPStream(limits: limits)
  }

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try WebPTable(bytes, limits: limits).profile(of: bytes)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: true, hasProfile: true, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var settings = WebPEncodingOptions(quality: options.quality)
    settings.isLossless = options.isLossless
    // Of animations the third step of effort doubles the time for 4 % of the size.
    if frames.count > 1 { settings.effort = 2 }
    settings.loopCount = options.loopCount
    settings.iccProfile = options.iccProfile
    return try WebPWriter.encode(
      frames, options: settings,
      deadline: ProcessorDeadline(after: options.maximumProcessorTime))
  }
}

/// The chunks of a WebP: its properties, and where its frames lie. Immutable.
final class WebPTable {
  let info: ImageInfo
  /// The reason why the chunks end too early; `nil` for a complete file.
  let fault: ImageError?
  let isAnimation: Bool
  fileprivate let handle: OpaquePointer
  private let profileRange: Range<Int>

  /// - Throws: Where the file breaks off before the header of a still or before the first frame is
  ///   whole, or is damaged.
  init(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    bytes.withUnsafeBytes { CodecBridge.report(.header, $0) }
    var bounds = CodecBridge.limits(limits)
    handle = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      try CodecBridge.open("WebP", raw) { imgc_webp_table_make($0, $1, &bounds, &$2) }
    }
    let summary = imgc_webp_table_summary(handle).pointee
    isAnimation = summary.info.has_animation
    fault = CodecBridge.error(summary.fault, subject: "WebP")
    let start = Int(clamping: summary.icc)
    profileRange = start..<start + (summary.info.has_icc ? Int(clamping: summary.info.icc_size) : 0)
    var info = CodecBridge.info(summary.info, format: .webp)
    if isAnimation {
      info.orientation = 1
      info.size = PixelSize(width: Int(summary.info.width), height: Int(summary.info.height))
      info.loopCount = Int(summary.loop_count)
      info.rawDelays = (0..<max(1, summary.frames)).map { [handle] index in
        guard index < summary.frames else { return .zero }
        return .milliseconds(Int(imgc_webp_table_entry(handle, index).pointee.milliseconds))
      }
    }
    self.info = info
    frameCount = Int(summary.frames)
  }

  deinit { imgc_webp_table_free(handle) }

  /// Frames of an animation that are whole.
  let frameCount: Int

  fileprivate func entry(_ index: Int) -> UnsafePointer<imgc_webp_frame> {
    imgc_webp_table_entry(handle, UInt32(index))
  }

  func profile(of bytes: RawSpan) -> [UInt8]? {
    guard !profileRange.isEmpty, profileRange.upperBound <= bytes.byteCount else { return nil }
    return bytes.withUnsafeBytes { [UInt8]($0[profileRange]) }
  }
}

/// The frames of an animated WebP.
final class WebPFrames: FrameSequence {
  private let table: WebPTable
  private let limits: ImageLimits
  /// Processor time of the frames so far.
  private var spent = Duration.zero

  init(_ table: WebPTable, limits: ImageLimits) {
    self.table = table
    self.limits = limits
  }

  var info: ImageInfo { table.info }
  var count: Int { table.frameCount }
  var fault: ImageError? { table.fault }

  subscript(index: Int) -> FrameDescription {
    let entry = table.entry(index).pointee
    return FrameDescription(
      left: Int(entry.left), top: Int(entry.top),
      size: PixelSize(width: Int(entry.width), height: Int(entry.height)),
      disposal: entry.clears ? .clear : .keep, replacesArea: !entry.blends || !entry.has_alpha,
      delay: .milliseconds(Int(entry.milliseconds)))
  }

  func restartClock() { spent = .zero }

  func draw(
    _ index: Int, of bytes: RawSpan, onto canvas: inout PixelBuffer?
  ) throws(ImageError) -> Bool {
    if index == 0 { bytes.withUnsafeBytes { CodecBridge.report(.decode, $0) } }
    let start = ThreadTime.now
    defer { spent += ThreadTime.now - start }
    var left = limits
    left.maximumProcessorTime = max(.zero, limits.maximumProcessorTime - spent)
    var bounds = CodecBridge.limits(left)
    let entry = table.entry(index)
    try CodecBridge.draw("WebP", of: bytes, onto: &canvas) {
      imgc_webp_draw($0, $1, entry, $2, &bounds, &$3)
    }
    return false
  }
}

/// Decodes a still whose bytes come in pieces.
final class WebPStream: PreviewDecoding {
  /// Previews of the whole height, at most.
  private static let stages = 16
  private let handle: OpaquePointer
  private var progress = imgc_webp_progress()

  init(limits: ImageLimits) throws(ImageError) {
    var bounds = CodecBridge.limits(limits)
    guard let handle = imgc_webp_stream_make(&bounds) else {
      throw ImageError(.outOfMemory, "WebP: out of memory for a preview")
    }
    self.handle = handle
  }

  deinit { imgc_webp_stream_free(handle) }

  var stage: Int {
    progress.height > 0 ? Int(progress.rows) * Self.stages / Int(progress.height) : 0
  }
  var isOver: Bool { progress.ended }

  func feed(_ bytes: RawSpan) throws(ImageError) {
    guard bytes.byteCount > 0 else { return }
    try CodecBridge.call("WebP", on: bytes) {
      imgc_webp_stream_feed(handle, $0, $1, &progress, &$2)
    }
  }

  func image() throws(ImageError) -> PixelBuffer {
    let size = PixelSize(width: Int(progress.width), height: Int(progress.height))
    return try PixelBuffer(
      size: size,
      filledBy: { (room) throws(ImageError) in
        guard let base = room.baseAddress else { return }
        let pixels = CodecBridge.pixels(at: base, room.count, size)
        try CodecBridge.call("WebP") { imgc_webp_stream_show(handle, pixels, &$0) }
      })
  }
}

enum WebPWriter {
  static func encode(
    _ frames: [AnimationFrame], options: WebPEncodingOptions, deadline: ProcessorDeadline
  ) throws(ImageError) -> [UInt8] {
    var settings = imgc_webp_options()
    settings.quality = Int32(options.quality)
    settings.method = Int32(options.effort)
    settings.lossless = options.isLossless
    settings.loop_count = UInt32(clamping: options.loopCount)
    settings.max_cpu_nanoseconds = deadline.nanoseconds
    let profile = options.iccProfile ?? []
    return try profile.withUnsafeBufferPointer { (profile) throws(ImageError) in
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      guard frames.count == 1 else { return try write(frames, settings, deadline) }
      var out = imgc_buffer()
      try CodecBridge.call("WebP") { failure in
        CodecBridge.withImage(frames[0].pixels) {
          imgc_webp_encode($0, &settings, &out, &failure)
        }
      }
      return CodecBridge.bytes(freeing: &out)
    }
  }

  private static func write(
    _ frames: [AnimationFrame], _ settings: imgc_webp_options, _ deadline: ProcessorDeadline
  ) throws(ImageError) -> [UInt8] {
    var settings = settings
    let size = frames.first?.pixels.size ?? PixelSize(width: 0, height: 0)
    var writer: OpaquePointer?
    try CodecBridge.call("WebP") { failure in
      writer = imgc_webp_writer_open(
        UInt32(clamping: size.width), UInt32(clamping: size.height), &settings, &failure)
      return failure.status
    }
    guard let writer else { throw ImageError(.outOfMemory, "WebP: out of memory") }
    defer { imgc_webp_writer_close(writer) }
    for frame in frames {
      // The library joins equal frames: their delays have to add up to what is shown.
      let rounded = ImageInfo.shownDelay(for: frame.delay) + .microseconds(500)
      let milliseconds = UInt32(clamping: rounded.nanoseconds / 1_000_000)
      try CodecBridge.call("WebP") { failure in
        CodecBridge.withImage(frame.pixels) {
          imgc_webp_writer_add(writer, $0, milliseconds, &failure)
        }
      }
      try deadline.check("WebP")
    }
    var out = imgc_buffer()
    try CodecBridge.call("WebP") { imgc_webp_writer_finish(writer, &out, &$0) }
    return CodecBridge.bytes(freeing: &out)
  }
}
