import ImageModel

@testable import ImageCodecs

/// Animations: frames decoded out of order equal those decoded in order.
enum PlayerTarget {
  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    var limits = ImageLimits()
    limits.maximumPixels = 1 << 16
    limits.maximumAnimationPixels = 1 << 19
    limits.maximumFrames = 40
    limits.maximumSide = 2048
    limits.maximumProcessorTime = .seconds(1)
    let budget = FrameBudget(maximumByteCount: bytes.count % 3 * 100_000)
    guard
      let player = try? AnimationPlayer(bytes, content: "x", budget: budget, limits: limits),
      let other = try? AnimationPlayer(
        bytes, content: "x", budget: FrameBudget(maximumByteCount: 0), limits: limits)
    else { return }
    var step = bytes.count
    for index in 0..<min(player.info.frameCount, 40) {
      step = (step &* 31 &+ 7) % player.info.frameCount
      if let expected = try? other.frame(at: index), let found = try? player.frame(at: index) {
        try require(expected == found, "frame \(index)")
      }
      _ = try? player.frame(at: max(0, step))
      _ = player.timeline.position(after: .milliseconds(step * 37))
    }
  }
}
