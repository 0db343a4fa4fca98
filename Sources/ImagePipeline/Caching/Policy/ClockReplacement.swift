/// CLOCK, or second chance: FIFO, except that entries accessed since the hand last passed go to the
/// head again. For comparison in the simulator.
///
/// Source: Corbató, "A Paging Experiment with the Multics System", 1968.
package struct ClockReplacement: Replacement {
  private var queue = SlotList()

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
    while slab[queue.tail].count > 0 {
      slab[queue.tail].count = 0
      slab.moveToHead(queue.tail, of: &queue)
    }
    slab.evict(slab.popTail(of: &queue))
  }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.unlink(slot, from: &queue)
  }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queue.size += difference
  }
}
