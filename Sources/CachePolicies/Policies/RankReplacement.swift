/// Evicts the entry of the lowest rank under a ``RankPolicy``, as the disk does; here in a heap.
///
/// Where the policy remembers evicted entries, their counts are kept as ghosts: ``GDSFTBRank`` runs
/// as on disk, where every entry is admitted, counts do not fade while an entry is resident, and
/// the table of the others is halved when it is full.
package struct RankReplacement<Rule: RankPolicy>: Replacement {
  private var rule: Rule
  private var heap = SlotHeap()
  private var ghosts = SlotList()
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
    // Making room may have dropped the ghost.
    var slot = rule.remembersEvicted ? slab.slot(of: key) : SlotSlab.none
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
    guard rule.remembersEvicted else { return slab.evict(least.slot) }
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
