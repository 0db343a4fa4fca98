/// An endless row of pictures on a strip that ends: *n* pictures lie in *n* + 2 slots, the last once more
/// before the first and the first once more behind the last.
///
/// Five pictures lie as 5 1 2 3 4 5 1. Whoever comes to rest on one of the two ghosts is set, unseen, on the
/// slot of the same picture inside. One picture needs no ghosts, and none has no slots. Pictures and slots
/// are counted from 0.
public struct CarouselRing: Sendable, Hashable {
  /// How many pictures there are; never negative.
  public let count: Int

  /// Creates a ring; a negative count means none.
  public init(count: Int) {
    self.count = max(0, count)
  }

  /// The picture of each slot.
  public var slots: [Int] {
    switch count {
    case 0: []
    case 1: [0]
    default: [count - 1] + Array(0..<count) + [0]
    }
  }

  /// The slot to begin on; 0 where there are no ghosts.
  public var firstSlot: Int { count > 1 ? 1 : 0 }

  /// The slot to be on, once at rest: a ghost's is that of its picture inside; a place outside the strip
  /// counts as its end.
  public func settled(slot: Int) -> Int {
    guard count > 1 else { return 0 }
    if slot <= 0 { return count }
    return slot > count ? 1 : slot
  }

  /// The scroll offset to be at, once at rest: 0 becomes *n* widths, *n* + 1 widths become one; what lies
  /// between stays.
  ///
  /// - Parameter width: Of a slot, positive.
  public func settled(offset: Double, width: Double) -> Double {
    guard count > 1 else { return 0 }
    if offset <= 0 { return Double(count) * width }
    return offset >= Double(count + 1) * width ? width : offset
  }

  /// The picture that the dots mark while a slot shows; `nil` where there is no picture.
  public func dot(slot: Int) -> Int? {
    count == 0 ? nil : settled(slot: slot) - firstSlot
  }

  /// The dot at a scroll offset: that of the slot of which most is seen.
  ///
  /// - Parameter width: Of a slot, positive.
  public func dot(offset: Double, width: Double) -> Int? {
    let slot = (offset / width + 0.5).rounded(.down)
    return dot(slot: Int(min(max(slot, 0), Double(count + 1))))
  }

  /// The slot to move to from a slot at rest, or from where a move under way leads; it may be a ghost, on which ``settled(slot:)`` then acts.
  ///
  /// - Parameter backwards: Whether towards the left. Default: no.
  public func next(after slot: Int, backwards: Bool = false) -> Int {
    guard count > 1 else { return 0 }
    return settled(slot: slot) + (backwards ? -1 : 1)
  }
}
