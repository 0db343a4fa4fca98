/// Evicts the entry of the lowest rank under a ``RankPolicy``, in a heap.
package struct RankReplacement<Rule: RankPolicy>: Replacement {
  private var rule: Rule
  private var heap = SlotHeap()
  private var now: UInt64 = 0

  package init(_ rule: Rule) { self.rule = rule }

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].count < .max { slab[slot].count += 1 }
    heap.update(item(slot, slab), &slab)
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.makeGhost(key)
    slab.revive(slot, size: size)
    if slab[slot].count < .max { slab[slot].count += 1 }
    heap.insert(item(slot, slab), &slab)
    return slot
  }

  package mutating func evict(_ slab: inout SlotSlab) {
    guard let least = heap.first else { return }
    rule.evicted(rank: least.rank)
    heap.remove(least.slot, &slab)
    slab.evict(least.slot)
  }

  private mutating func item(_ slot: Int32, _ slab: SlotSlab) -> SlotHeap.Item {
    now += 1
    let node = slab[slot]
    let facts = EvictionFacts(
      byteCount: node.size, accessCount: Int(node.count), lastAccess: Double(now))
    return SlotHeap.Item(rank: rule.rank(of: facts), tie: now, slot: slot)
  }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) { heap.remove(slot, &slab) }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    heap.update(item(slot, slab), &slab)
  }
}
