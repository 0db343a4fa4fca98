/// S3-FIFO: newcomers wait in a small queue; those accessed twice there move to the main queue, and
/// those that return soon after eviction go to the main queue at once.
///
/// The queues share the room: the small one is a tenth from which eviction begins, not a limit, so
/// that an entry of any size fits.
///
/// Source: Yang, Zhang, Qiu, Yue, Rashmi, "FIFO Queues are All You Need for Cache Eviction", SOSP
/// 2023, algorithm 1.
package struct S3FIFOReplacement: Replacement {
  private enum Place {
    static let small: UInt8 = 0
    static let main: UInt8 = 1
    static let ghost: UInt8 = 2
  }

  private var small = SlotList()
  private var main = SlotList()
  private var ghosts = SlotList()

  package init() {}

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].count < 3 { slab[slot].count += 1 }
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    var slot = ghost
    if ghost != SlotSlab.none {
      // Out of the list first: making room may drop ghosts.
      slab.unlink(ghost, from: &ghosts)
    }
    makeRoom(for: size, &slab)
    if slot != SlotSlab.none {
      slab.revive(slot, size: size)
      slab[slot].count = 0
      slab[slot].place = Place.main
      slab.push(slot, onto: &main)
    } else {
      slot = slab.make(key, size: size)
      slab[slot].place = Place.small
      slab.push(slot, onto: &small)
    }
    return slot
  }

  package mutating func evict(_ slab: inout SlotSlab) {
    let isSmallFull = small.size >= slab.capacity - ninetyPercent(of: slab.capacity)
    if !small.isEmpty, isSmallFull || main.isEmpty, evictSmall(&slab) { return }
    evictMain(&slab)
  }

  /// Evicts one entry of the small queue; those before it that were accessed twice move to the main
  /// queue.
  ///
  /// - Returns: Whether anything was evicted.
  private mutating func evictSmall(_ slab: inout SlotSlab) -> Bool {
    var hasEvicted = false
    while !small.isEmpty {
      let slot = slab.popTail(of: &small)
      guard slab[slot].count > 1 else {
        bury(slot, &slab)
        return true
      }
      slab[slot].count = 0
      slab[slot].place = Place.main
      slab.push(slot, onto: &main)
      if main.size > slab.capacity - slab.capacity / 10 {
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
    slab[slot].place = Place.ghost
    slab.push(slot, onto: &ghosts)
    trimGhosts(&slab)
  }

  private mutating func evictMain(_ slab: inout SlotSlab) {
    while slab[main.tail].count > 0 {
      slab[main.tail].count -= 1
      slab.moveToHead(main.tail, of: &main)
    }
    slab.evict(slab.popTail(of: &main))
  }

  private mutating func trimGhosts(_ slab: inout SlotSlab) {
    while ghosts.size > ninetyPercent(of: slab.capacity) { slab.remove(slab.popTail(of: &ghosts)) }
  }

  private func ninetyPercent(of capacity: Int) -> Int {
    capacity / 10 * 9 + capacity % 10 * 9 / 10
  }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].place == Place.small {
      slab.unlink(slot, from: &small)
    } else {
      slab.unlink(slot, from: &main)
    }
  }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    if slab[slot].place == Place.small {
      small.size += difference
    } else {
      main.size += difference
    }
  }

  package mutating func capacityChanged(_ slab: inout SlotSlab) { trimGhosts(&slab) }
}

extension EvictionPolicy {
  /// Three FIFO queues (SOSP 2023).
  public static let s3FIFO = EvictionPolicy("s3-fifo", S3FIFOReplacement())
}
