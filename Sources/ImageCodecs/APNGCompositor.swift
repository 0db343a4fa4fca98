import ImageModel

/// Draws the frames of an animated PNG on a canvas, which begins transparent; a first frame cannot
/// be restored to what was before.
///
/// Source: W3C Portable Network Graphics (Third Edition), 11.3.6.2.
final class APNGCompositor: FrameCompositor {
  let frames: APNGFrames
  private let limits: ImageLimits
  /// Processor time of the frames so far.
  private var spent = Duration.zero
  var state: FrameCanvas

  init(_ frames: APNGFrames, size: PixelSize, limits: ImageLimits) {
    self.frames = frames
    self.limits = limits
    state = FrameCanvas(pixels: PixelBuffer(clear: size))
  }

  var frameCount: Int { frames.count }

  func delay(of index: Int) -> Duration { frames[index].delay }

  func restartClock() { spent = .zero }

  func isKeyFrame(_ index: Int) -> Bool { index == 0 }

  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    let index = state.advance()
    let frame = frames[index]
    // Each frame is a decode of its own, but the limit applies to all of them.
    let start = ThreadTime.now
    defer { spent += ThreadTime.now - start }
    var frameLimits = limits
    frameLimits.maximumProcessorTime -= spent
    guard frameLimits.maximumProcessorTime > .zero else { throw tooSlow }
    let file = try frames.file(index, of: bytes)
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
    state.willDraw(frame.disposal, left: frame.left, top: frame.top, size: image.size)
    PixelKernels.draw(
      image, on: &state.pixels, left: frame.left, top: frame.top, blends: frame.blends)
    return false
  }

  private var tooSlow: ImageError {
    ImageError(
      .limitExceeded,
      "PNG: decoding takes more than \(limits.maximumProcessorTime.readable) of processor time")
  }
}
