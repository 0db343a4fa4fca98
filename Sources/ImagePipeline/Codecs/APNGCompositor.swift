/// Puts the frames of an animated PNG on a canvas. Source: W3C Portable Network Graphics (Third
/// Edition), 11.3.6.2: the canvas starts transparent; a first frame cannot be restored to what was
/// before.
final class APNGCompositor: FrameCompositor {
  let frames: APNGFrames
  private let limits: ImageLimits
  /// Processor time of the frames so far.
  private var spent = Duration.zero
  private(set) var canvas: PixelBuffer
  private(set) var nextIndex = 0
  private var isDisposed = true
  private var drawn = PixelSize(width: 0, height: 0)
  private var saved: PixelBuffer?

  init(_ frames: APNGFrames, size: PixelSize, limits: ImageLimits) {
    self.frames = frames
    self.limits = limits
    canvas = PixelBuffer(clear: size)
  }

  var frameCount: Int { frames.count }

  func delay(of index: Int) -> Duration { frames[index].delay }

  func restartClock() { spent = .zero }

  func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    let frame = frames[nextIndex - 1]
    switch frame.disposal {
    case .keep: break
    case .clear: canvas.clear(left: frame.left, top: frame.top, size: drawn)
    case .restore: if let saved { canvas = saved }
    }
    saved = nil
  }

  func resume(at index: Int, canvas: PixelBuffer) {
    self.canvas = canvas
    nextIndex = index
    isDisposed = true
    saved = nil
  }

  func isKeyFrame(_ index: Int) -> Bool { index == 0 }

  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    dispose()
    let index = nextIndex
    let frame = frames[index]
    nextIndex += 1
    isDisposed = false
    // Each frame is a decode of its own; the limit is for all of them.
    let start = ThreadTime.now
    defer { spent += ThreadTime.now - start }
    var frameLimits = limits
    frameLimits.maximumProcessorTime -= spent
    guard frameLimits.maximumProcessorTime > .zero else { throw tooSlow }
    let file = try frames.file(index, of: bytes)
    let picture: PixelBuffer
    do throws(ImageError) {
      picture = try file.span.bytes.withUnsafeBytes { (raw) throws(ImageError) in
        try StillDecoder(orientation: 1, isLenient: false, limits: frameLimits)
          .decode(try PNGRowReader(raw, limits: frameLimits)).pixels
      }
    } catch
      where error.code == .limitExceeded
      && ThreadTime.now - start >= frameLimits.maximumProcessorTime
    {
      // The codec knows only the time that the frames before have left.
      throw tooSlow
    }
    drawn = picture.size
    if frame.disposal == .restore { saved = canvas }
    PixelKernels.draw(
      picture, on: &canvas, left: frame.left, top: frame.top, blends: frame.blends)
    return false
  }

  private var tooSlow: ImageError {
    ImageError(
      .limitExceeded,
      "PNG: decoding takes more than \(limits.maximumProcessorTime.readable) of processor time")
  }
}
