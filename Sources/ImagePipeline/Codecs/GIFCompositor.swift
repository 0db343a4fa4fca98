/// Puts the frames of a GIF on a canvas as browsers do: it starts transparent, and a frame's disposal
/// takes effect before the next one is drawn.
final class GIFCompositor: FrameCompositor {
  let frames: GIFFrames
  private(set) var canvas: PixelBuffer
  private(set) var nextIndex = 0
  private var isDisposed = true
  private var saved: PixelBuffer?

  init(_ frames: GIFFrames) {
    self.frames = frames
    canvas = PixelBuffer(clear: frames.info.size)
  }

  /// Frames that can be drawn, the one that is cut included.
  var frameCount: Int { frames.wholeFrameCount + (frames.hasPartialFrame ? 1 : 0) }

  func delay(of index: Int) -> Duration { frames[index].delay }

  func restartClock() { frames.restartClock() }

  func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    let frame = frames[nextIndex - 1]
    switch FrameDisposal(gif: frame.disposal) {
    case .keep: break
    case .clear: canvas.clear(left: frame.left, top: frame.top, size: frame.size)
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

  func isKeyFrame(_ index: Int) -> Bool {
    let frame = frames[index]
    return index == 0
      || (frame.isOpaque && frame.left == 0 && frame.top == 0
        && frame.size.width >= canvas.width && frame.size.height >= canvas.height)
  }

  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    dispose()
    let index = nextIndex
    nextIndex += 1
    isDisposed = false
    if FrameDisposal(gif: frames[index].disposal) == .restore { saved = canvas }
    // The canvas leaves its place while C draws on it, so that it is not copied.
    var target: PixelBuffer? = canvas
    canvas = PixelBuffer(clear: PixelSize(width: 0, height: 0))
    defer { if let target { canvas = target } }
    return try frames.draw(index, of: bytes, onto: &target)
  }
}
