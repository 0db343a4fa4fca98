import CImageGIF
import ImageModel

/// GIF by giflib's structures and a table of frames; each file is an animation, if only of one
/// frame.
struct GIFCodec: ImageCodec {
  let format = ImageFormat.gif

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageRecognition(of: head, among: [ImageSignature("GIF87a"), ImageSignature("GIF89a")])
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let frames = try GIFFrames(bytes, limits: limits)
    if check != .none, let fault = frames.fault { throw fault }
    return frames.info
  }

  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? {
    try GIFFrames(bytes, limits: limits)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: true, hasProfile: false, isLossless: false)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    let deadline = ProcessorDeadline(after: options.maximumProcessorTime)
    func write(isGlobal: Bool) throws(ImageError) -> (bytes: [UInt8], isExact: Bool) {
      try Self.write(frames, options, deadline, isGlobal: isGlobal)
    }
    if options.palette == .global { return try write(isGlobal: true).bytes }
    let separate = try write(isGlobal: false)
    guard options.palette == .automatic else { return separate.bytes }
    let shared = try write(isGlobal: true)
    if separate.isExact && !shared.isExact { return separate.bytes }
    return shared.bytes.count < separate.bytes.count ? shared.bytes : separate.bytes
  }

  private static func write(
    _ frames: [AnimationFrame], _ options: EncodingOptions, _ deadline: ProcessorDeadline,
    isGlobal: Bool
  ) throws(ImageError) -> (bytes: [UInt8], isExact: Bool) {
    let size = frames.first?.pixels.size ?? PixelSize(width: 0, height: 0)
    var settings = imgc_gif_options()
    settings.width = UInt32(clamping: size.width)
    settings.height = UInt32(clamping: size.height)
    settings.loop_count = UInt32(clamping: min(options.loopCount, 65_536))
    settings.global_palette = isGlobal
    guard let writer = imgc_gif_writer_open(&settings) else {
      throw ImageError(.invalidArgument, "GIF: cannot write a canvas of \(size) pixels")
    }
    defer { imgc_gif_writer_close(writer) }
    func each(
      _ body: (imgc_image, AnimationFrame, inout imgc_error) -> imgc_status
    ) throws(ImageError) {
      for frame in frames {
        try CodecBridge.call("GIF") { failure in
          CodecBridge.withImage(frame.pixels) { body($0, frame, &failure) }
        }
        try deadline.check("GIF")
      }
    }
    // The colours of all frames count towards the global palette.
    if isGlobal { try each { imgc_gif_writer_survey(writer, $0, &$2) } }
    var delays = DelayRounding()
    try each { imgc_gif_writer_add(writer, $0, delays.next($1.delay), &$2) }
    let bytes = try CodecBridge.bytes("GIF") { imgc_gif_writer_finish(writer, &$0, &$1) }
    return (bytes, imgc_gif_writer_is_exact(writer))
  }
}

/// Rounds delays to hundredths of a second; what one loses or gains, the next one has.
private struct DelayRounding {
  private var rest = 0.0

  mutating func next(_ delay: Duration) -> UInt16 {
    let exact = delay / .milliseconds(10)
    // One hundredth is shown as ten; a delay that is longer must not become one.
    guard delay > .milliseconds(10) else { return UInt16(max(0, exact).rounded()) }
    let rounded = min(max((exact + rest).rounded(), 2), 65_535)
    rest = min(max(exact + rest - rounded, -0.5), 0.5)
    return UInt16(rounded)
  }
}

final class GIFFrames: FrameSequence {
  let info: ImageInfo
  /// The reason why the blocks end before the trailer; the frames of ``info`` are complete
  /// nevertheless.
  let fault: ImageError?
  /// Bytes between blocks that belong to none and were skipped.
  private let strayByteCount: Int
  private let hasTrailer: Bool
  let hasPartialFrame: Bool
  var isFaultHarmless: Bool { fault?.code == .truncated && !hasPartialFrame }
  /// Frames that are whole; 0 where the only one is cut.
  let count: Int
  var warnings: [String] {
    let lacksTrailer = isFaultHarmless || (fault == nil && !hasTrailer)
    return (strayByteCount > 0 ? ["\(strayByteCount) stray bytes between blocks"] : [])
      + (lacksTrailer ? ["the trailer is missing"] : [])
  }
  private let table: OpaquePointer
  private let decoder: OpaquePointer
  private var limits: imgc_limits

  init(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    var bounds = CodecBridge.limits(limits)
    let table = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      try CodecBridge.open("GIF", raw) { imgc_gif_table_make($0, $1, &bounds, &$2) }
    }
    guard let decoder = imgc_gif_decoder_make() else {
      imgc_gif_table_free(table)
      throw ImageError(.outOfMemory, "GIF: out of memory")
    }
    self.table = table
    self.decoder = decoder
    self.limits = bounds
    let summary = imgc_gif_table_summary(table).pointee
    var info = ImageInfo(
      format: .gif, size: PixelSize(width: Int(summary.width), height: Int(summary.height)),
      colorModel: .palette)
    info.bitDepth = 8
    info.hasAlpha = summary.has_alpha
    info.isProgressive = summary.interlaced
    info.iccProfileByteCount = summary.has_icc ? Int(clamping: summary.icc_size) : nil
    info.loopCount = Int(summary.loop_count)
    info.rawDelays = (0..<max(1, summary.frames)).map { index in
      .milliseconds(10 * Int(imgc_gif_table_entry(table, index).pointee.centiseconds))
    }
    self.info = info
    fault = CodecBridge.error(summary.fault, subject: "GIF")
    hasTrailer = summary.has_trailer
    strayByteCount = Int(clamping: summary.stray_bytes)
    hasPartialFrame = summary.has_partial_frame
    count = Int(summary.frames)
  }

  deinit {
    imgc_gif_table_free(table)
    imgc_gif_decoder_free(decoder)
  }

  subscript(index: Int) -> FrameDescription {
    let entry = imgc_gif_table_entry(table, UInt32(index)).pointee
    // 4 is treated as 3, as browsers do, and what has no meaning as 0.
    let disposal: FrameDisposal =
      switch entry.disposal {
      case 2: .clear
      case 3, 4: .restore
      default: .keep
      }
    return FrameDescription(
      left: Int(entry.left), top: Int(entry.top),
      size: PixelSize(width: Int(entry.width), height: Int(entry.height)),
      disposal: disposal, replacesArea: !entry.has_transparency,
      delay: .milliseconds(10 * Int(entry.centiseconds)))
  }

  func restartClock() { imgc_gif_decoder_restart_clock(decoder) }

  func draw(_ index: Int, of bytes: RawSpan, onto canvas: inout PixelBuffer?) throws(ImageError)
    -> Bool
  {
    if index == 0 { bytes.withUnsafeBytes { CodecBridge.report(.decode, $0) } }
    let entry = imgc_gif_table_entry(table, UInt32(index))
    var isMissing = false
    try CodecBridge.draw("GIF", of: bytes, onto: &canvas) {
      imgc_gif_decoder_draw(decoder, $0, $1, entry, $2, &limits, &isMissing, &$3)
    }
    return isMissing
  }
}
