#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Puts the frames of an animation on a canvas, one after the other.
///
/// What is on the canvas after ``dispose()``, together with ``nextIndex``, is all that the frames
/// to come depend on: whoever keeps both can go on from there.
protocol FrameCompositor: AnyObject {
  /// Frames that can be drawn.
  var frameCount: Int { get }
  /// The picture after the last frame that was drawn.
  var canvas: PixelBuffer { get }
  /// The frame that comes next.
  var nextIndex: Int { get }

  /// How long a frame shows, as written in the file.
  func delay(of index: Int) -> Duration
  /// Undoes what the last frame asks to have undone; a second call does nothing.
  func dispose()
  /// Draws the next frame; true where some of its pixels are missing, which is no fault.
  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool
  /// Goes on from a canvas that was kept after ``dispose()``.
  func resume(at index: Int, canvas: PixelBuffer)
  /// Whether nothing that came before `index` is seen from there on.
  func isKeyFrame(_ index: Int) -> Bool
  /// Forgets the processor time spent: the limit on it holds for the frames drawn since.
  func restartClock()
}

/// Processor time of the calling thread.
enum ThreadTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
