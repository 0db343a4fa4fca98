/// Least recently used: evicts the entry whose last access is the oldest.
///
/// One huge entry empties it: with entries of different sizes, more room can mean fewer hits.
package struct LRUReplacement: Replacement {
  private var queue = SlotList()

  package init() {}

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.moveToHead(slot, of: &queue)
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.make(key, size: size)
    slab.push(slot, onto: &queue)
    return slot
  }

  package mutating func evict(_ slab: inout SlotSlab) { slab.evict(slab.popTail(of: &queue)) }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.unlink(slot, from: &queue)
  }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queue.size += difference
  }
}
