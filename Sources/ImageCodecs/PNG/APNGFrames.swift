import CImageAPNG
import ImageModel
import TextEncodings

/// The frames of an animated PNG, each of which is a separate PNG once its chunks are combined.
///
/// Source: W3C Portable Network Graphics (Third Edition), 11.3.6.2.
final class APNGFrames: FrameSequence {
  let info: ImageInfo
  let count: Int
  private let table: OpaquePointer
  private let limits: ImageLimits
  private var spent = Duration.zero

  /// - Returns: `nil` where the PNG has no animation.
  init?(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    var bounds = CodecBridge.limits(limits)
    var made: OpaquePointer?
    try CodecBridge.call("PNG", on: bytes) { base, count, failure in
      made = imgc_apng_table_make(base, count, &bounds, &failure)
      return failure.status
    }
    guard let made else { return nil }
    var info: ImageInfo
    do throws(ImageError) {
      info = try PNGCodec().info(of: bytes, check: .none, limits: limits)
    } catch {
      imgc_apng_table_free(made)
      throw error
    }
    count = Int(imgc_apng_table_frames(made))
    info.rawDelays = (0..<count).map {
      Self.delay(of: imgc_apng_table_entry(made, UInt32($0)).pointee)
    }
    info.loopCount = Int(imgc_apng_table_plays(made))
    info.hasAlpha = true
    (self.info, table, self.limits) = (info, made, limits)
  }

  deinit { imgc_apng_table_free(table) }

  subscript(index: Int) -> FrameDescription {
    let entry = imgc_apng_table_entry(table, UInt32(index)).pointee
    return FrameDescription(
      left: Int(entry.left), top: Int(entry.top),
      size: PixelSize(width: Int(entry.width), height: Int(entry.height)),
      disposal: [.keep, .clear, .restore][min(2, Int(entry.disposal))], replacesArea: false,
      delay: Self.delay(of: entry))
  }

  private static func delay(of entry: imgc_apng_entry) -> Duration {
    let denominator = entry.delay_denominator == 0 ? 100 : Int(entry.delay_denominator)
    return .microseconds(Int(entry.delay_numerator) * 1_000_000 / denominator)
  }

  func restartClock() { spent = .zero }

  func draw(
    _ index: Int, of bytes: RawSpan, onto canvas: inout PixelBuffer?
  ) throws(ImageError) -> Bool {
    // Each frame is a decode of its own, but the limit applies to all of them.
    let start = ThreadTime.now
    defer { spent += ThreadTime.now - start }
    var frameLimits = limits
    frameLimits.maximumProcessorTime -= spent
    guard frameLimits.maximumProcessorTime > .zero else { throw tooSlow }
    let entry = imgc_apng_table_entry(table, UInt32(index))
    var out = imgc_buffer()
    try CodecBridge.call("PNG", on: bytes) { imgc_apng_frame($0, $1, entry, &out, &$2) }
    let file = CodecBridge.bytes(freeing: &out)
    let image: PixelBuffer
    do throws(ImageError) {
      image = try file.span.bytes.withUnsafeBytes { (raw) throws(ImageError) in
        try StillDecoder(orientation: 1, isLenient: false, limits: frameLimits)
          .decode(try PNGCodec().rows(of: raw, request: RowRequest(), limits: frameLimits)).pixels
      }
    } catch
      where error.code == .limitExceeded
      && ThreadTime.now - start >= frameLimits.maximumProcessorTime
    {
      // The codec knows only the time that the earlier frames have left.
      throw tooSlow
    }
    canvas?.draw(
      image, left: Int(entry.pointee.left), top: Int(entry.pointee.top),
      blends: entry.pointee.blend == 1)
    return false
  }

  private var tooSlow: ImageError {
    ImageError(
      .limitExceeded,
      "PNG: decoding takes more than \(limits.maximumProcessorTime.readable) of processor time")
  }
}
