/// Puts the frames of a GIF on a canvas as browsers do: it starts transparent, a frame's disposal
/// takes effect before the next one is drawn.
final class GIFCompositor {
  /// What becomes of a frame's place before the next is drawn.
  enum Disposal {
    case keep, clear, restore

    /// The values of the file; 4 is treated as 3, as browsers do, and the rest as 0.
    init(_ value: Int) {
      switch value {
      case 2: self = .clear
      case 3, 4: self = .restore
      default: self = .keep
      }
    }
  }

  let frames: GIFFrames
  /// The picture after the last frame that was drawn.
  private(set) var canvas: PixelBuffer
  /// The frame that comes next.
  private(set) var nextIndex = 0
  private var saved: PixelBuffer?

  init(_ frames: GIFFrames) {
    self.frames = frames
    canvas = PixelBuffer(clear: frames.info.size)
  }

  /// Frames that can be drawn, the partial one included.
  var frameCount: Int {
    isFirstCut ? 1 : frames.info.frameCount + (frames.hasPartialFrame ? 1 : 0)
  }

  /// Whether the only frame there is breaks off.
  var isFirstCut: Bool { frames.wholeFrameCount == 0 }

  /// Undoes what the last frame asks to have undone. What is on the canvas then, together with
  /// ``nextIndex``, is all that the rest depends on.
  func dispose() {
    guard nextIndex > 0 else { return }
    let frame = frames[nextIndex - 1]
    switch Disposal(frame.disposal) {
    case .keep: break
    case .clear: canvas.clear(left: frame.left, top: frame.top, size: frame.size)
    case .restore: if let saved { canvas = saved }
    }
    saved = nil
  }

  /// Draws the next frame.
  ///
  /// - Returns: Whether some of its pixels are missing.
  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    dispose()
    let index = nextIndex
    nextIndex += 1
    if Disposal(frames[index].disposal) == .restore { saved = canvas }
    // The canvas leaves its place while C draws on it, so that it is not copied.
    var target: PixelBuffer? = canvas
    canvas = PixelBuffer(clear: PixelSize(width: 0, height: 0))
    defer { if let target { canvas = target } }
    return try frames.draw(index, of: bytes, onto: &target)
  }
}
