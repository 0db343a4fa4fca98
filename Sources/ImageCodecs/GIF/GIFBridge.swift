import CImageGIF
import ImageModel

/// The frames of a GIF: where they lie, and a decoder that draws them one by one.
final class GIFFrames: FrameSequence {
  let info: ImageInfo
  /// The reason why the blocks end before the trailer; the frames of ``info`` are complete
  /// nevertheless.
  let fault: ImageError?
  /// Bytes between blocks that belong to none and were skipped.
  private let strayByteCount: Int
  /// Whether the blocks end with a trailer.
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
    info = Self.info(summary, table: table)
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
    return FrameDescription(
      left: Int(entry.left), top: Int(entry.top),
      size: PixelSize(width: Int(entry.width), height: Int(entry.height)),
      disposal: FrameDisposal(gif: Int(entry.disposal)), replacesArea: !entry.has_transparency,
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

  private static func info(_ summary: imgc_gif_summary, table: OpaquePointer) -> ImageInfo {
    var info = ImageInfo(
      format: .gif, size: PixelSize(width: Int(summary.width), height: Int(summary.height)),
      colorModel: .palette)
    info.bitDepth = 8
    info.hasAlpha = summary.has_alpha
    info.isProgressive = summary.interlaced
    info.iccProfileByteCount = summary.has_icc ? Int(clamping: summary.icc_size) : nil
    info.loopCount = Int(summary.loop_count)
    let count = max(1, summary.frames)
    info.rawDelays = (0..<count).map { index in
      .milliseconds(10 * Int(imgc_gif_table_entry(table, index).pointee.centiseconds))
    }
    return info
  }
}

extension FrameDisposal {
  /// The values of a GIF; 4 is treated as 3, as browsers do, and the rest as 0.
  fileprivate init(gif value: Int) {
    switch value {
    case 2: self = .clear
    case 3, 4: self = .restore
    default: self = .keep
    }
  }
}

/// A GIF that is being written; freed with the last reference.
final class GIFWriter {
  private let handle: OpaquePointer

  /// - Throws: `invalidArgument` where a side is not 1 through 65,535, or memory is exhausted.
  init(size: PixelSize, loopCount: Int, hasGlobalPalette: Bool) throws(ImageError) {
    var options = imgc_gif_options()
    options.width = UInt32(clamping: size.width)
    options.height = UInt32(clamping: size.height)
    options.loop_count = UInt32(clamping: loopCount)
    options.global_palette = hasGlobalPalette
    guard let handle = imgc_gif_writer_open(&options) else {
      throw ImageError(.invalidArgument, "GIF: cannot write a canvas of \(size) pixels")
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

  func finish() throws(ImageError) -> [UInt8] {
    try CodecBridge.bytes("GIF") { imgc_gif_writer_finish(handle, &$0, &$1) }
  }
}
