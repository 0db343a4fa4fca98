import CImageWebP
import ImageModel

/// WebP by libwebp: lossy, lossless, with alpha, and animations.
struct WebPCodec: ImageCodec {
  let format = ImageFormat.webp

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("RIFF....WEBP").recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let frames = try WebPFrames(bytes, limits: limits)
    if check == .structure, let fault = frames.fault { throw fault }
    return frames.info
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
    let frames = try WebPFrames(bytes, limits: limits)
    return frames.isAnimation ? frames : nil
  }

  func previews(eighths: Int, limits: ImageLimits) throws(ImageError) -> (any PreviewDecoding)? {
    try WebPStream(limits: limits)
  }

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try WebPFrames(bytes, limits: limits).profile(of: bytes)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: true, hasProfile: true, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    let deadline = ProcessorDeadline(after: options.maximumProcessorTime)
    var settings = imgc_webp_options()
    settings.quality = Float(QualityScale.webp[options.quality])
    // Of animations the third step of effort doubles the time for 4 % of the size.
    settings.method = Int32(options.effort ?? (frames.count > 1 ? 2 : 3))
    settings.lossless = options.isLossless
    settings.loop_count = UInt32(clamping: options.loopCount)
    settings.max_cpu_nanoseconds = deadline.nanoseconds
    let profile = options.iccProfile ?? []
    return try profile.withUnsafeBufferPointer { (profile) throws(ImageError) in
      settings.icc = profile.baseAddress
      settings.icc_size = profile.count
      if frames.count > 1 { return try Self.write(frames, settings, deadline) }
      return try CodecBridge.bytes("WebP") { out, failure in
        CodecBridge.withImage(frames[0].pixels) {
          imgc_webp_encode($0, &settings, &out, &failure)
        }
      }
    }
  }

  private static func write(
    _ frames: [AnimationFrame], _ settings: imgc_webp_options, _ deadline: ProcessorDeadline
  ) throws(ImageError) -> [UInt8] {
    var settings = settings
    let size = frames[0].pixels.size
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
    return try CodecBridge.bytes("WebP") { imgc_webp_writer_finish(writer, &$0, &$1) }
  }
}

final class WebPFrames: FrameSequence {
  let info: ImageInfo
  let fault: ImageError?
  let isAnimation: Bool
  let count: Int
  private let table: OpaquePointer
  private let profileRange: Range<Int>
  private let limits: ImageLimits
  private var spent = Duration.zero

  /// - Throws: Where the file breaks off before the header of a still or before the first frame is
  ///   whole, or is damaged.
  init(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    self.limits = limits
    var bounds = CodecBridge.limits(limits)
    table = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      CodecBridge.report(.header, raw)
      return try CodecBridge.open("WebP", raw) { imgc_webp_table_make($0, $1, &bounds, &$2) }
    }
    let summary = imgc_webp_table_summary(table).pointee
    isAnimation = summary.info.has_animation
    count = Int(summary.frames)
    fault = CodecBridge.error(summary.fault, subject: "WebP")
    let start = Int(clamping: summary.icc)
    profileRange = start..<start + (summary.info.has_icc ? Int(clamping: summary.info.icc_size) : 0)
    var info = CodecBridge.info(summary.info, format: .webp)
    if isAnimation {
      info.orientation = 1
      info.size = PixelSize(width: Int(summary.info.width), height: Int(summary.info.height))
      info.loopCount = Int(summary.loop_count)
      info.rawDelays = (0..<max(1, summary.frames)).map { [table] index in
        guard index < summary.frames else { return .zero }
        return .milliseconds(Int(imgc_webp_table_entry(table, index).pointee.milliseconds))
      }
    }
    self.info = info
  }

  deinit { imgc_webp_table_free(table) }

  func profile(of bytes: RawSpan) -> [UInt8]? {
    guard !profileRange.isEmpty, profileRange.upperBound <= bytes.byteCount else { return nil }
    return bytes.withUnsafeBytes { [UInt8]($0[profileRange]) }
  }

  subscript(index: Int) -> FrameDescription {
    let entry = imgc_webp_table_entry(table, UInt32(index)).pointee
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
    let entry = imgc_webp_table_entry(table, UInt32(index))
    try CodecBridge.draw("WebP", of: bytes, onto: &canvas) {
      imgc_webp_draw($0, $1, entry, $2, &bounds, &$3)
    }
    return false
  }
}

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
