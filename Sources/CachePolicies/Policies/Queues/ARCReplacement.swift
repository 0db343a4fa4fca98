/// ARC: recency (`T1`) and frequency (`T2`) share the room, and the ghosts of both (`B1`, `B2`)
/// decide which gets more.
///
/// As in the paper when all sizes are 1; otherwise its conditions use sums of sizes, and entries
/// are evicted one by one until the newcomer fits.
///
/// Source: Megiddo, Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003, fig. 4.
struct ARCReplacement: SegmentedReplacement {
  /// T1, T2, B1 and B2 of the paper.
  private enum Place {
    static let once: UInt8 = 0
    static let often: UInt8 = 1
    static let onceGhosts: UInt8 = 2
    static let oftenGhosts: UInt8 = 3
  }

  var queues = SlotQueues()
  /// `p` of the paper: what T1 should have.
  private var target = 0.0

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) { move(slot, to: Place.often, &slab) }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    if ghost != SlotSlab.none { return readmit(ghost, size: size, &slab) }
    let capacity = slab.capacity
    while self[Place.once].size + self[Place.onceGhosts].size + size > capacity {
      if !self[Place.onceGhosts].isEmpty {
        slab.remove(popTail(of: Place.onceGhosts, &slab))
      } else {
        slab.evict(popTail(of: Place.once, &slab))
      }
    }
    let total = self[Place.once].size + self[Place.often].size + self[Place.onceGhosts].size + size
    while !self[Place.oftenGhosts].isEmpty, total + self[Place.oftenGhosts].size > 2 * capacity {
      slab.remove(popTail(of: Place.oftenGhosts, &slab))
    }
    while slab.size + size > capacity { replace(returning: false, &slab) }
    let slot = slab.make(key, size: size)
    push(slot, onto: Place.once, &slab)
    return slot
  }

  private mutating func readmit(_ ghost: Int32, size: Int, _ slab: inout SlotSlab) -> Int32 {
    let wasOften = slab[ghost].place == Place.oftenGhosts
    let onces = Double(self[Place.onceGhosts].size)
    let oftens = Double(self[Place.oftenGhosts].size)
    if wasOften {
      target = max(0, target - Double(size) * max(1, onces / max(oftens, 1)))
    } else {
      target = min(Double(slab.capacity), target + Double(size) * max(1, oftens / max(onces, 1)))
    }
    unlink(ghost, &slab)
    while slab.size + size > slab.capacity { replace(returning: wasOften, &slab) }
    slab.revive(ghost, size: size)
    push(ghost, onto: Place.often, &slab)
    return ghost
  }

  /// REPLACE of the paper.
  private mutating func replace(returning wasOften: Bool, _ slab: inout SlotSlab) {
    let size = Double(self[Place.once].size)
    let isOnce =
      !self[Place.once].isEmpty
      && (self[Place.often].isEmpty || size > target || (wasOften && size == target))
    let slot = popTail(of: isOnce ? Place.once : Place.often, &slab)
    slab.bury(slot)
    push(slot, onto: isOnce ? Place.onceGhosts : Place.oftenGhosts, &slab)
  }

  mutating func evict(_ slab: inout SlotSlab) { replace(returning: false, &slab) }

  mutating func capacityChanged(_ slab: inout SlotSlab) {
    target = min(target, Double(slab.capacity))
    for ghosts in [Place.onceGhosts, Place.oftenGhosts] {
      while self[ghosts].size > slab.capacity { slab.remove(popTail(of: ghosts, &slab)) }
    }
  }
}

extension EvictionPolicy {
  /// Adaptive replacement (FAST 2003).
  public static let arc = EvictionPolicy("arc", ARCReplacement())
}
