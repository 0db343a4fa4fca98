import ImageModel

/// Draws the frames of an animation on a canvas, one after the other.
///
/// The later frames depend only on the canvas after ``dispose()`` and on ``nextIndex``, so a
/// caller that keeps both can resume there.
protocol FrameCompositor: AnyObject {
  /// Frames that can be drawn.
  var frameCount: Int { get }
  /// The canvas after the last frame that was drawn.
  var state: FrameCanvas { get set }

  /// Returns the delay that the file states for a frame.
  func delay(of index: Int) -> Duration
  /// Draws the next frame; returns whether some of its pixels are missing, which is not an error.
  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool
  /// Whether the frames before `index` do not show from there on.
  func isKeyFrame(_ index: Int) -> Bool
  /// Resets the processor time spent, so that its limit applies to the frames from here on.
  func restartClock()
}

extension FrameCompositor {
  /// The image after the last frame that was drawn.
  var canvas: PixelBuffer { state.pixels }
  /// The frame to draw next.
  var nextIndex: Int { state.nextIndex }

  /// Applies the disposal of the last frame; a second call does nothing.
  func dispose() { state.dispose() }

  /// Continues from a canvas that was kept after ``dispose()``.
  func resume(at index: Int, canvas: PixelBuffer) {
    state = FrameCanvas(pixels: canvas, nextIndex: index)
  }
}

/// The canvas of an animation, with the disposal of the frame that was drawn last.
struct FrameCanvas {
  var pixels: PixelBuffer
  private(set) var nextIndex: Int
  private var disposal = FrameDisposal.keep
  private var area = (left: 0, top: 0, size: PixelSize(width: 0, height: 0))
  private var saved: PixelBuffer?

  init(pixels: PixelBuffer, nextIndex: Int = 0) {
    self.pixels = pixels
    self.nextIndex = nextIndex
  }

  mutating func dispose() {
    switch disposal {
    case .keep: break
    case .clear: pixels.clear(left: area.left, top: area.top, size: area.size)
    case .restore: if let saved { pixels = saved }
    }
    disposal = .keep
    saved = nil
  }

  /// Disposes of the last frame and returns the index of the next one.
  mutating func advance() -> Int {
    dispose()
    nextIndex += 1
    return nextIndex - 1
  }

  /// Notes the disposal of a frame that is about to be drawn.
  mutating func willDraw(_ disposal: FrameDisposal, left: Int, top: Int, size: PixelSize) {
    self.disposal = disposal
    area = (left, top, size)
    if disposal == .restore { saved = pixels }
  }
}

/// What happens to a frame's area of the canvas before the next frame is drawn.
enum FrameDisposal: Sendable {
  /// It stays.
  case keep
  /// It becomes transparent.
  case clear
  /// It is restored to what it was before the frame.
  case restore

  /// The values of a GIF; 4 is treated as 3, as browsers do, and the rest as 0.
  init(gif value: Int) {
    switch value {
    case 2: self = .clear
    case 3, 4: self = .restore
    default: self = .keep
    }
  }
}

/// A still image as an animation of one frame.
final class StillCompositor: FrameCompositor {
  private let limits: ImageLimits
  let frameCount = 1
  var state = FrameCanvas(pixels: PixelBuffer(clear: PixelSize(width: 0, height: 0)))

  init(limits: ImageLimits) { self.limits = limits }

  func delay(of index: Int) -> Duration { .zero }
  func isKeyFrame(_ index: Int) -> Bool { true }
  func restartClock() {}

  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    _ = state.advance()
    state.pixels = try ImageCodecs.decode(bytes, limits: limits)
    return false
  }
}
