/// S3-FIFO: newcomers wait in a small queue; those accessed twice there move to the main queue, and
/// those that return soon after eviction go to the main queue at once.
///
/// The queues share the room: the small one is a tenth from which eviction begins, not a limit, so
/// that an entry of any size fits.
///
/// Source: Yang, Zhang, Qiu, Yue, Rashmi, "FIFO Queues are All You Need for Cache Eviction", SOSP
/// 2023, algorithm 1.
struct S3FIFOReplacement: SegmentedReplacement {
  private enum Place {
    static let small: UInt8 = 0
    static let main: UInt8 = 1
    static let ghosts: UInt8 = 2
  }

  var queues = SlotQueues()

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].count < 3 { slab[slot].count += 1 }
  }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    // Out of the list first: making room may drop ghosts.
    if ghost != SlotSlab.none { unlink(ghost, &slab) }
    makeRoom(for: size, &slab)
    guard ghost != SlotSlab.none else {
      let slot = slab.make(key, size: size)
      push(slot, onto: Place.small, &slab)
      return slot
    }
    slab.revive(ghost, size: size)
    slab[ghost].count = 0
    push(ghost, onto: Place.main, &slab)
    return ghost
  }

  mutating func evict(_ slab: inout SlotSlab) {
    let isSmallFull = self[Place.small].size >= slab.capacity - ninetyPercent(of: slab.capacity)
    if isSmallFull || self[Place.main].isEmpty, evictSmall(&slab) { return }
    evictMain(&slab)
  }

  /// Evicts one entry of the small queue, if any; those before it that were accessed twice move to
  /// the main queue. Returns whether anything was evicted.
  private mutating func evictSmall(_ slab: inout SlotSlab) -> Bool {
    var hasEvicted = false
    while !self[Place.small].isEmpty {
      let slot = popTail(of: Place.small, &slab)
      guard slab[slot].count > 1 else {
        bury(slot, &slab)
        return true
      }
      slab[slot].count = 0
      push(slot, onto: Place.main, &slab)
      if self[Place.main].size > slab.capacity - slab.capacity / 10 {
        evictMain(&slab)
        hasEvicted = true
      }
    }
    return hasEvicted
  }

  /// Remembers as many as the main queue may hold; a larger one would push out all others.
  private mutating func bury(_ slot: Int32, _ slab: inout SlotSlab) {
    guard slab[slot].size <= ninetyPercent(of: slab.capacity) else { return slab.evict(slot) }
    slab.bury(slot)
    push(slot, onto: Place.ghosts, &slab)
    trimGhosts(&slab)
  }

  private mutating func evictMain(_ slab: inout SlotSlab) {
    while slab[self[Place.main].tail].count > 0 {
      slab[self[Place.main].tail].count -= 1
      move(self[Place.main].tail, to: Place.main, &slab)
    }
    slab.evict(popTail(of: Place.main, &slab))
  }

  private func ninetyPercent(of capacity: Int) -> Int {
    capacity / 10 * 9 + capacity % 10 * 9 / 10
  }

  mutating func capacityChanged(_ slab: inout SlotSlab) { trimGhosts(&slab) }

  private mutating func trimGhosts(_ slab: inout SlotSlab) {
    while self[Place.ghosts].size > ninetyPercent(of: slab.capacity) {
      slab.remove(popTail(of: Place.ghosts, &slab))
    }
  }
}

extension EvictionPolicy {
  /// Three FIFO queues (SOSP 2023).
  public static let s3FIFO = EvictionPolicy("s3-fifo", S3FIFOReplacement())
}
