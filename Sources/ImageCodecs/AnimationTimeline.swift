public import ImageModel

/// The frame to show at a time, computed from delays and loops without a clock.
public struct AnimationTimeline: Sendable, Hashable {
  /// The end of each frame within one play.
  private let ends: [Duration]
  private let playCount: Int

  /// Creates a timeline with the delays that browsers use, and the loop count; 0 is for ever.
  public init(_ info: ImageInfo) {
    var total = Duration.zero
    ends = info.rawDelays.map { delay in
      total += ImageInfo.shownDelay(for: delay).bounded
      return total
    }
    playCount = info.loopCount
  }

  var playDuration: Duration { ends.last ?? .zero }

  /// Returns the frame to show after a time, which is the first for a negative one, and when the
  /// next frame is due, from the beginning; `nil` when this one stays.
  ///
  /// - Complexity: O(log *n*) in the frames.
  public func position(after elapsed: Duration) -> (index: Int, nextChange: Duration?) {
    guard ends.count > 1, playDuration > .zero else { return (0, nil) }
    let time = max(elapsed, .zero)
    let plays = Int(min(time / playDuration, 1e15))
    if playCount > 0, plays >= playCount { return (ends.count - 1, nil) }
    let begin = playDuration * plays
    let inPlay = min(max(time - begin, .zero), playDuration)
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > inPlay { high = middle } else { low = middle + 1 }
    }
    let isLast = low == ends.count - 1 && playCount > 0 && plays + 1 >= playCount
    return (low, isLast ? nil : begin + ends[low])
  }
}
