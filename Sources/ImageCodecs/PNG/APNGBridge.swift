import CImageAPNG
import ImageModel

/// The positions of the frames in an animated PNG, and each frame as a separate PNG.
final class APNGTable {
  /// One frame, before its pixels are decoded.
  struct Frame {
    var left: Int
    var top: Int
    var size: PixelSize
    var disposal: FrameDisposal
    var blends: Bool
    var delay: Duration
  }

  /// The number of frames.
  let count: Int
  /// How many times they play; 0 is for ever.
  let playCount: Int
  private let table: OpaquePointer

  /// - Returns: `nil` where the PNG has no animation.
  init?(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    var bounds = CodecBridge.limits(limits)
    var made: OpaquePointer?
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      try CodecBridge.call("PNG") { failure in
        made = imgc_apng_table_make(base, raw.count, &bounds, &failure)
        return failure.status
      }
    }
    guard let made else { return nil }
    table = made
    count = Int(imgc_apng_table_frames(made))
    playCount = Int(imgc_apng_table_plays(made))
  }

  deinit { imgc_apng_table_free(table) }

  /// A frame's place and manner; `index` is below ``count``.
  subscript(index: Int) -> Frame {
    let entry = imgc_apng_table_entry(table, UInt32(index)).pointee
    let denominator = entry.delay_denominator == 0 ? 100 : Int(entry.delay_denominator)
    return Frame(
      left: Int(entry.left), top: Int(entry.top),
      size: PixelSize(width: Int(entry.width), height: Int(entry.height)),
      disposal: [.keep, .clear, .restore][min(2, Int(entry.disposal))],
      blends: entry.blend == 1,
      delay: .microseconds(Int(entry.delay_numerator) * 1_000_000 / denominator))
  }

  /// The frame as a separate file.
  func file(_ index: Int, of bytes: RawSpan) throws(ImageError) -> [UInt8] {
    let entry = imgc_apng_table_entry(table, UInt32(index))
    var out = imgc_buffer()
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      try CodecBridge.call("PNG") { imgc_apng_frame(base, raw.count, entry, &out, &$0) }
    }
    return CodecBridge.take(&out)
  }
}
