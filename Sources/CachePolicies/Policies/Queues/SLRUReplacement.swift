/// Segmented LRU: an entry that is accessed again moves from probation to a protected segment of
/// four fifths.
///
/// Source: Karedla, Love, Wherry, "Caching Strategies to Improve Disk System Performance", IEEE
/// Computer, March 1994.
package struct SLRUReplacement: Replacement {
  private var probation = SlotList()
  private var protected = SlotList()

  package init() {}

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].place == 1 { return slab.moveToHead(slot, of: &protected) }
    slab.unlink(slot, from: &probation)
    slab[slot].place = 1
    slab.push(slot, onto: &protected)
    demote(&slab)
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.make(key, size: size)
    slab.push(slot, onto: &probation)
    return slot
  }

  package mutating func evict(_ slab: inout SlotSlab) {
    slab.evict(probation.isEmpty ? slab.popTail(of: &protected) : slab.popTail(of: &probation))
  }

  private mutating func demote(_ slab: inout SlotSlab) {
    while protected.size > slab.capacity / 5 * 4 + slab.capacity % 5 * 4 / 5 {
      let slot = slab.popTail(of: &protected)
      slab[slot].place = 0
      slab.push(slot, onto: &probation)
    }
  }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].place == 1 {
      slab.unlink(slot, from: &protected)
    } else {
      slab.unlink(slot, from: &probation)
    }
  }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    if slab[slot].place == 1 {
      protected.size += difference
      demote(&slab)
    } else {
      probation.size += difference
    }
  }

  package mutating func capacityChanged(_ slab: inout SlotSlab) { demote(&slab) }
}

extension EvictionPolicy {
  /// Segmented LRU.
  public static let slru = EvictionPolicy("slru", SLRUReplacement())
}
