import ImageModel

/// Draws the frames of an animation on a canvas, one after the other, as browsers do: the canvas
/// begins transparent, and a frame's disposal takes effect before the next frame is drawn.
///
/// The later frames depend only on the canvas after ``dispose()`` and on ``nextIndex``, so a caller
/// that keeps both can resume there.
final class FrameCompositor {
  let frames: any FrameSequence
  private(set) var canvas = PixelBuffer(clear: PixelSize(width: 0, height: 0))
  private(set) var nextIndex = 0
  /// The last frame, until it is disposed of, and the canvas before it where that is restored.
  private var last: FrameDescription?
  private var saved: PixelBuffer?

  init(_ frames: any FrameSequence) { self.frames = frames }

  /// Frames that can be drawn, including a truncated one.
  var frameCount: Int { frames.count + (frames.hasPartialFrame ? 1 : 0) }

  /// Whether the frames before `index` do not show from there on.
  func isKeyFrame(_ index: Int) -> Bool {
    let frame = frames[index]
    return index == 0
      || (frame.replacesArea && frame.disposal != .restore && frame.left == 0 && frame.top == 0
        && frame.size.width >= frames.info.size.width
        && frame.size.height >= frames.info.size.height)
  }

  /// Applies the disposal of the last frame; a second call does nothing.
  func dispose() {
    guard let last else { return }
    switch last.disposal {
    case .keep: break
    case .clear: canvas.clear(left: last.left, top: last.top, size: last.size)
    case .restore: if let saved { canvas = saved }
    }
    self.last = nil
    saved = nil
  }

  func resume(at index: Int, canvas: PixelBuffer) {
    (nextIndex, self.canvas, last, saved) = (index, canvas, nil, nil)
  }

  /// Draws the next frame, and returns whether some of its pixels are missing, which is not an
  /// error.
  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    dispose()
    let index = nextIndex
    nextIndex += 1
    let frame = frames[index]
    // The canvas is made with the first frame: until then it would take memory for nothing.
    if canvas.size != frames.info.size { canvas = PixelBuffer(clear: frames.info.size) }
    last = frame
    if frame.disposal == .restore { saved = canvas }
    // The canvas is moved out while it is drawn on, so that it is not copied.
    var target: PixelBuffer? = canvas
    canvas = PixelBuffer(clear: PixelSize(width: 0, height: 0))
    defer { if let target { canvas = target } }
    return try frames.draw(index, of: bytes, onto: &target)
  }
}
