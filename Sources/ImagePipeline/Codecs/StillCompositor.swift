/// A still as an animation of one frame.
final class StillCompositor: FrameCompositor {
  private let info: ImageInfo
  private let limits: ImageLimits
  private(set) var canvas: PixelBuffer
  private(set) var nextIndex = 0

  init(info: ImageInfo, limits: ImageLimits) {
    self.info = info
    self.limits = limits
    canvas = PixelBuffer(clear: PixelSize(width: 0, height: 0))
  }

  let frameCount = 1

  func delay(of index: Int) -> Duration { .zero }

  func dispose() {}

  func restartClock() {}

  func isKeyFrame(_ index: Int) -> Bool { true }

  func resume(at index: Int, canvas: PixelBuffer) { nextIndex = index }

  func advance(_ bytes: RawSpan) throws(ImageError) -> Bool {
    canvas = try ImageCodecs.decode(bytes, limits: limits)
    nextIndex = 1
    return false
  }
}
