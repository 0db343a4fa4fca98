import ImageModel

/// The frames of an animated PNG, each of which is a separate PNG once its chunks are combined.
///
/// Source: W3C Portable Network Graphics (Third Edition), 11.3.6.2.
final class APNGFrames: FrameSequence {
  let info: ImageInfo
  private let table: APNGTable
  private let limits: ImageLimits
  /// Processor time of the frames so far.
  private var spent = Duration.zero

  /// - Returns: `nil` where the PNG has no animation.
  init?(_ bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    guard let table = try APNGTable(bytes, limits: limits) else { return nil }
    var info = try PNGBridge.scan(bytes, limits: limits, toEnd: false)
    info.rawDelays = (0..<table.count).map { table[$0].delay }
    info.loopCount = table.playCount
    info.hasAlpha = true
    self.info = info
    self.table = table
    self.limits = limits
  }

  var count: Int { table.count }

  subscript(index: Int) -> FrameDescription {
    let frame = table[index]
    return FrameDescription(
      left: frame.left, top: frame.top, size: frame.size, disposal: frame.disposal,
      replacesArea: false, delay: frame.delay)
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
    let file = try table.file(index, of: bytes)
    let image: PixelBuffer
    do throws(ImageError) {
      image = try file.span.bytes.withUnsafeBytes { (raw) throws(ImageError) in
        try StillDecoder(orientation: 1, isLenient: false, limits: frameLimits)
          .decode(try PNGRowReader(raw, limits: frameLimits)).pixels
      }
    } catch
      where error.code == .limitExceeded
      && ThreadTime.now - start >= frameLimits.maximumProcessorTime
    {
      // The codec knows only the time that the earlier frames have left.
      throw tooSlow
    }
    guard canvas != nil else { return false }
    let frame = table[index]
    canvas?.draw(image, left: frame.left, top: frame.top, blends: frame.blends)
    return false
  }

  private var tooSlow: ImageError {
    ImageError(
      .limitExceeded,
      "PNG: decoding takes more than \(limits.maximumProcessorTime.readable) of processor time")
  }
}
