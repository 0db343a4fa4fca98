/// GDSF for few bytes: access counts outlive eviction, and a newcomer worth less than the entries
/// it would evict is rejected. Entries worth less than the newcomer are evicted in either case.
///
/// An entry is worth the clock plus its accesses divided by its size to a power; the clock is the
/// worth of the last eviction. Accesses are counted to 15 and fade (``FadingCounter``), so that old
/// counts do not last. The counts of evicted entries are kept as ghosts until they have faded.
///
/// Sources: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching
/// Policy", HP Labs 1998; counts that outlive eviction and fade, and admission by them: Einziger,
/// Friedman, Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", ACM ToS 2017.
struct GDSFTBReplacement: Replacement {
  private var rule: GDSFRank
  private var heap = SlotHeap()
  private var ghosts = SlotList()
  private var counter = FadingCounter()

  init(exponent: Double = 1) { rule = GDSFRank(exponent: exponent) }

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    counter.count(slot, &slab)
    heap.update(item(slot, size: slab[slot].size, slab), &slab)
  }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    let slot = counter.countGhost(ghost, of: key, in: &ghosts, &slab)
    let newcomer = item(slot, size: size, slab)
    while slab.size + size > slab.capacity, let least = heap.first {
      if newcomer < least {
        rule.evicted(rank: newcomer.rank)
        remember(slot, &slab)
        return SlotSlab.none
      }
      evict(&slab)
    }
    slab.revive(slot, size: size)
    heap.insert(newcomer, &slab)
    forget(&slab)
    return slot
  }

  mutating func evict(_ slab: inout SlotSlab) {
    guard let least = heap.popFirst(&slab) else { return }
    rule.evicted(rank: least.rank)
    slab.bury(least.slot)
    remember(least.slot, &slab)
  }

  @inline(__always)
  private mutating func item(_ slot: Int32, size: Int, _ slab: SlotSlab) -> SlotHeap.Item {
    let accesses = Double(slab[slot].count) / Double(FadingCounter.unit)
    return heap.item(slot, rank: rule.rank(accesses: accesses, byteCount: size))
  }

  private mutating func remember(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.push(slot, onto: &ghosts)
    forget(&slab)
  }

  /// Drops ghosts whose counts have faded, two a call; at most twenty for each resident stay.
  private mutating func forget(_ slab: inout SlotSlab) {
    for _ in 0..<2 where !ghosts.isEmpty {
      let oldest = ghosts.tail
      if counter.count(of: slab[oldest]) == 0 || ghosts.count > 20 * max(slab.count, 16) {
        slab.remove(slab.popTail(of: &ghosts))
      } else {
        slab.moveToHead(oldest, of: &ghosts)
      }
    }
  }

  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) { heap.remove(slot, &slab) }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    heap.update(item(slot, size: slab[slot].size, slab), &slab)
  }
}

extension EvictionPolicy {
  /// GDSF whose counts outlive eviction, with a bypass and an exponent on the size, 0 through 4.
  public static func gdsfTB(exponent: Double = 1) -> EvictionPolicy {
    EvictionPolicy("gdsf-tb", exponent: exponent) { GDSFTBReplacement(exponent: $0) }
  }
}
