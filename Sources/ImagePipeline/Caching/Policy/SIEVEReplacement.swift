/// SIEVE: a queue without moves, and a hand that walks from old to new and evicts entries that were
/// not accessed since it last passed. A hit writes one word.
///
/// Source: Zhang, Yang, Yue, Vigfusson, Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key
/// Eviction Algorithm for Web Caches", NSDI 2024.
package struct SIEVEReplacement: Replacement {
  private var queue = SlotList()
  private var hand = SlotSlab.none

  package init() {}

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) { slab[slot].count = 1 }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.make(key, size: size)
    slab.push(slot, onto: &queue)
    return slot
  }

  package mutating func evict(_ slab: inout SlotSlab) {
    var slot = hand == SlotSlab.none ? queue.tail : hand
    while slab[slot].count > 0 {
      slab[slot].count = 0
      slot = slab[slot].previous
      if slot == SlotSlab.none { slot = queue.tail }
    }
    hand = slab[slot].previous
    slab.unlink(slot, from: &queue)
    slab.evict(slot)
  }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    if hand == slot { hand = slab[slot].previous }
    slab.unlink(slot, from: &queue)
  }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queue.size += difference
  }
}
