import ImageCodecs
import ImageModel

/// Plays whatever comes: frames out of order must be those that come in order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPlayer(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  var limits = ImageLimits()
  limits.maximumPixels = 1 << 16
  limits.maximumAnimationPixels = 1 << 19
  limits.maximumFrames = 40
  limits.maximumSide = 2048
  limits.maximumProcessorTime = .seconds(1)
  let budget = FrameBudget(maximumByteCount: count % 3 * 100_000)
  guard
    let player = try? AnimationPlayer(bytes, content: "x", budget: budget, limits: limits),
    let other = try? AnimationPlayer(
      bytes, content: "x", budget: FrameBudget(maximumByteCount: 0), limits: limits)
  else { return 0 }
  var step = count
  for index in 0..<min(player.info.frameCount, 40) {
    step = (step &* 31 &+ 7) % player.info.frameCount
    let expected = try? other.frame(at: index)
    let found = try? player.frame(at: index)
    if let expected, let found { precondition(expected == found) }
    _ = try? player.frame(at: max(0, step))
    _ = player.timeline.position(after: .milliseconds(step * 37))
  }
  return 0
}
