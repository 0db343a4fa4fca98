/// Evicts the entry of the lowest ``GDSFRank``, in a heap; counts end with an eviction.
struct RankReplacement: Replacement {
  private var rule: GDSFRank
  private var heap = SlotHeap()

  init(_ rule: GDSFRank = GDSFRank()) { self.rule = rule }

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].count < .max { slab[slot].count += 1 }
    heap.update(item(slot, slab), &slab)
  }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.make(key, size: size)
    slab[slot].count = 1
    heap.insert(item(slot, slab), &slab)
    return slot
  }

  mutating func evict(_ slab: inout SlotSlab) {
    guard let least = heap.popFirst(&slab) else { return }
    rule.evicted(rank: least.rank)
    slab.evict(least.slot)
  }

  private mutating func item(_ slot: Int32, _ slab: SlotSlab) -> SlotHeap.Item {
    heap.item(slot, rank: rule.rank(accesses: Double(slab[slot].count), byteCount: slab[slot].size))
  }

  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) { heap.remove(slot, &slab) }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    heap.update(item(slot, slab), &slab)
  }
}

extension EvictionPolicy {
  /// Greedy dual size frequency.
  public static let gdsf = EvictionPolicy("gdsf", RankReplacement())
  /// Least frequently used since insertion, then least recently used. Never ages.
  package static let lfu = EvictionPolicy(
    "lfu", RankReplacement(GDSFRank(exponent: 0, ages: false)))
}
