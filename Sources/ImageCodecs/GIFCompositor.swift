import ImageModel

/// Draws the frames of a GIF on a canvas as browsers do: it begins transparent, and a frame's
/// disposal takes effect before the next frame is drawn.
final class GIFCompositor: FrameCompositor {
  let frames: GIFFrames
  var state: FrameCanvas

  init(_ frames: GIFFrames) {
    self.frames = frames
    state = FrameCanvas(pixels: PixelBuffer(clear: frames.info.size))
  }

  /// Frames that can be drawn, including a truncated one.
  var frameCount: Int { frames.wholeFrameCount + (frames.hasPartialFrame ? 1 : 0) }

  func delay(of index: Int) -> Duration { frames[index].delay }

  func restartClock() { frames.restartClock() }

  func isKeyFrame(_ index: Int) -> Bool {
    let frame = frames[index]
    return index == 0
      || (frame.isOpaque && frame.left == 0 && frame.top == 0
        && frame.size.width >= canvas.width && frame.size.height >= canvas.height)
  }

  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    let index = state.advance()
    let frame = frames[index]
    state.willDraw(
      FrameDisposal(gif: frame.disposal), left: frame.left, top: frame.top, size: frame.size)
    // The canvas is moved out while C draws on it, so that it is not copied.
    var target: PixelBuffer? = state.pixels
    state.pixels = PixelBuffer(clear: PixelSize(width: 0, height: 0))
    defer { if let target { state.pixels = target } }
    return try frames.draw(index, of: bytes, onto: &target)
  }
}
