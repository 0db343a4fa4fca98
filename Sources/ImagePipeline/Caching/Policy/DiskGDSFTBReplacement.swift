/// GDSF-TB as the disk runs it (``GDSFTBRank`` over its index), for comparison only: every entry is
/// admitted, counts do not fade while an entry is resident, and those of evicted entries are kept
/// in a table that is halved when it is full.
package struct DiskGDSFTBReplacement: Replacement {
  private var rule: GDSFTBRank
  private var heap = SlotHeap()
  private var ghosts = SlotList()
  private var now: UInt64 = 0

  /// - Parameter exponent: The power of the size: 1 for most hits, less where bytes count, too.
  package init(exponent: Double = 1) {
    rule = GDSFTBRank(exponent: exponent)
  }

  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].count < .max { slab[slot].count += 1 }
    heap.update(item(slot, slab), &slab)
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    // Room is made before the newcomer's count is looked up, and making room may halve the table.
    makeRoom(for: size, &slab)
    var slot = slab.slot(of: key)
    if slot == SlotSlab.none {
      slot = slab.makeGhost(key)
    } else {
      slab.unlink(slot, from: &ghosts)
    }
    slab.revive(slot, size: size)
    if slab[slot].count < .max { slab[slot].count += 1 }
    heap.insert(item(slot, slab), &slab)
    return slot
  }

  package mutating func evict(_ slab: inout SlotSlab) {
    guard let least = heap.first else { return }
    rule.evicted(rank: least.rank)
    heap.remove(least.slot, &slab)
    slab.bury(least.slot)
    slab.push(least.slot, onto: &ghosts)
    if ghosts.count > GDSFTBRank.maximumGhostCount { fade(&slab) }
  }

  /// Halves all counts and drops those that reach 0; then drops the oldest, down to half the table,
  /// where the disk drops some that are as good as random.
  private mutating func fade(_ slab: inout SlotSlab) {
    var slot = ghosts.head
    while slot != SlotSlab.none {
      let next = slab[slot].next
      slab[slot].count = min(slab[slot].count, 15) / 2
      if slab[slot].count == 0 {
        slab.unlink(slot, from: &ghosts)
        slab.remove(slot)
      }
      slot = next
    }
    while ghosts.count > GDSFTBRank.maximumGhostCount / 2 {
      slab.remove(slab.popTail(of: &ghosts))
    }
  }

  private mutating func item(_ slot: Int32, _ slab: SlotSlab) -> SlotHeap.Item {
    now += 1
    let facts = EvictionFacts(
      byteCount: slab[slot].size, accessCount: Int(slab[slot].count), lastAccess: Double(now))
    return SlotHeap.Item(rank: rule.rank(of: facts), tie: now, slot: slot)
  }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) { heap.remove(slot, &slab) }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    heap.update(item(slot, slab), &slab)
  }
}
