/// GDSF for few bytes: how often an entry was asked for outlives its eviction, and a newcomer worth less than what it
/// would push out is not let in.
///
/// Worth is the clock plus accesses over size to a power; the clock is the worth of the last that went. Accesses are
/// counted to 15 and halved for all after every ten accesses to a resident, so that old fame fades. The counts of those
/// who went are kept as ghosts until they are halved to nothing.
///
/// Sources: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy", HP Labs 1998;
/// counting and its fading: Einziger, Friedman, Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017.
package struct GDSFTBReplacement: ReplacementPolicy {
  private var rule: GDSFTBPolicy
  private var heap = SlotHeap()
  private var ghosts = SlotList()
  private var counter = FadingCounter()
  private var now: UInt64 = 0

  /// - Parameter exponent: Of the size: 1 for most hits, less where bytes count too.
  package init(exponent: Double = GDSFTBPolicy.defaultExponent) {
    rule = GDSFTBPolicy(exponent: exponent)
  }

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    counter.count(slot, &slab)
    heap.update(item(slot, size: slab[slot].size, slab), &slab)
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    let slot: Int32
    if ghost == SlotSlab.none {
      slot = slab.makeGhost(key)
      slab[slot].mark = counter.epoch
    } else {
      slot = ghost
      slab.unlink(slot, from: &ghosts)
    }
    counter.count(slot, &slab)
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

  package mutating func evict(_ slab: inout SlotSlab) {
    guard let least = heap.first else { return }
    rule.evicted(rank: least.rank)
    heap.remove(least.slot, &slab)
    slab.bury(least.slot)
    remember(least.slot, &slab)
  }

  @inline(__always)
  private mutating func item(_ slot: Int32, size: Int, _ slab: SlotSlab) -> SlotHeap.Item {
    now += 1
    let rank = rule.rank(accessCount: Int(slab[slot].count), byteCount: size)
    return SlotHeap.Item(rank: rank, tie: now, slot: slot)
  }

  private mutating func remember(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.push(slot, onto: &ghosts)
    forget(&slab)
  }

  /// Drops ghosts whose counts have faded, looking at two a call; never more than twenty for each resident stay,
  /// which is more than accesses between two fadings can make.
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

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) { heap.remove(slot, &slab) }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    heap.update(item(slot, size: slab[slot].size, slab), &slab)
  }
}

/// Counts accesses to slots up to a limit and halves all counts now and then, each when it is next looked at.
struct FadingCounter: Sendable {
  static let limit: UInt32 = 15
  /// Accesses for each resident between two halvings.
  static let period = 10

  /// Halvings so far; a slot's mark says up to which it was halved.
  private(set) var epoch: UInt16 = 0
  private var accesses = 0

  @inline(__always)
  mutating func count(_ slot: Int32, _ slab: inout SlotSlab) {
    slab[slot].count = min(count(of: slab[slot]) + 1, Self.limit)
    slab[slot].mark = epoch
    accesses += 1
    // With fewer residents than this a count would fade before it says anything.
    if slab.count >= 16, accesses >= Self.period * slab.count {
      accesses = 0
      epoch &+= 1
    }
  }

  @inline(__always)
  func count(of node: SlotSlab.Node) -> UInt32 {
    let age = epoch &- node.mark
    return age > 31 ? 0 : node.count >> UInt32(age)
  }
}
