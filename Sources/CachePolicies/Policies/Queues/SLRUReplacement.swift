/// Segmented LRU: an entry that is accessed again moves to a protected segment of four fifths.
///
/// Source: Karedla, Love, Wherry, "Caching Strategies to Improve Disk System Performance", IEEE
/// Computer, March 1994.
struct SLRUReplacement: SegmentedReplacement {
  private static let probation: UInt8 = 0
  private static let protected: UInt8 = 1

  var queues = SlotQueues()

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    let isPromoted = slab[slot].place == Self.probation
    move(slot, to: Self.protected, &slab)
    if isPromoted { demote(&slab) }
  }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.make(key, size: size)
    push(slot, onto: Self.probation, &slab)
    return slot
  }

  mutating func evict(_ slab: inout SlotSlab) {
    slab.evict(popTail(of: self[Self.probation].isEmpty ? Self.protected : Self.probation, &slab))
  }

  private mutating func demote(_ slab: inout SlotSlab) {
    while self[Self.protected].size > slab.capacity / 5 * 4 + slab.capacity % 5 * 4 / 5 {
      push(popTail(of: Self.protected, &slab), onto: Self.probation, &slab)
    }
  }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queues[slab[slot].place].size += difference
    demote(&slab)
  }

  mutating func capacityChanged(_ slab: inout SlotSlab) { demote(&slab) }
}

extension EvictionPolicy {
  /// Segmented LRU.
  public static let slru = EvictionPolicy("slru", SLRUReplacement())
}
