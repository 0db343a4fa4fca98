import ImageModel

/// Draws the frames of an animation on a canvas, one after the other, as browsers do: the canvas
/// begins transparent, and a frame's disposal takes effect before the next frame is drawn.
///
/// The later frames depend only on the canvas after ``dispose()`` and on ``nextIndex``, so a caller
/// that keeps both can resume there.
final class FrameCompositor {
  let frames: any FrameSequence
  private var state: FrameCanvas

  init(_ frames: any FrameSequence) {
    self.frames = frames
    state = FrameCanvas(pixels: PixelBuffer(clear: PixelSize(width: 0, height: 0)))
  }

  /// Frames that can be drawn, including a truncated one.
  var frameCount: Int { frames.count + (frames.hasPartialFrame ? 1 : 0) }

  /// The image after the last frame that was drawn.
  var canvas: PixelBuffer { state.pixels }

  var nextIndex: Int { state.nextIndex }

  /// Whether the frames before `index` do not show from there on.
  func isKeyFrame(_ index: Int) -> Bool {
    let frame = frames[index]
    return index == 0
      || (frame.replacesArea && frame.disposal != .restore && frame.left == 0 && frame.top == 0
        && frame.size.width >= frames.info.size.width
        && frame.size.height >= frames.info.size.height)
  }

  /// Applies the disposal of the last frame; a second call does nothing.
  func dispose() { state.dispose() }

  /// Continues from a canvas that was kept after ``dispose()``.
  func resume(at index: Int, canvas: PixelBuffer) {
    state = FrameCanvas(pixels: canvas, nextIndex: index)
  }

  /// Draws the next frame, and returns whether some of its pixels are missing, which is not an
  /// error.
  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    let index = state.advance()
    let frame = frames[index]
    // The canvas is made with the first frame: until then it would take memory for nothing.
    if state.pixels.size != frames.info.size {
      state.pixels = PixelBuffer(clear: frames.info.size)
    }
    state.willDraw(frame)
    // The canvas is moved out while it is drawn on, so that it is not copied.
    var target: PixelBuffer? = state.pixels
    state.pixels = PixelBuffer(clear: PixelSize(width: 0, height: 0))
    defer { if let target { state.pixels = target } }
    return try frames.draw(index, of: bytes, onto: &target)
  }
}

/// The canvas of an animation, with the disposal of the frame that was drawn last.
private struct FrameCanvas {
  var pixels: PixelBuffer
  private(set) var nextIndex: Int
  private var last: FrameDescription?
  private var saved: PixelBuffer?

  init(pixels: PixelBuffer, nextIndex: Int = 0) {
    self.pixels = pixels
    self.nextIndex = nextIndex
  }

  mutating func dispose() {
    guard let last else { return }
    switch last.disposal {
    case .keep: break
    case .clear: pixels.clear(left: last.left, top: last.top, size: last.size)
    case .restore: if let saved { pixels = saved }
    }
    self.last = nil
    saved = nil
  }

  /// Disposes of the last frame and returns the index of the next one.
  mutating func advance() -> Int {
    dispose()
    nextIndex += 1
    return nextIndex - 1
  }

  /// Notes the disposal of a frame that is about to be drawn.
  mutating func willDraw(_ frame: FrameDescription) {
    last = frame
    if frame.disposal == .restore { saved = pixels }
  }
}
