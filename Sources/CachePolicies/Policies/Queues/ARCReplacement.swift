/// ARC: recency (`T1`) and frequency (`T2`) share the room, and the ghosts of both (`B1`, `B2`)
/// decide which gets more.
///
/// As in the paper when all sizes are 1; otherwise its conditions use sums of sizes, and entries
/// are evicted one by one until the newcomer fits.
///
/// Source: Megiddo, Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003, figure
/// 4.
package struct ARCReplacement: Replacement {
  private enum Place {
    static let once: UInt8 = 0
    static let often: UInt8 = 1
    static let onceGhost: UInt8 = 2
    static let oftenGhost: UInt8 = 3
  }

  /// T1, T2, B1 and B2 of the paper.
  private var once = SlotList()
  private var often = SlotList()
  private var onceGhosts = SlotList()
  private var oftenGhosts = SlotList()
  /// `p` of the paper: what T1 should have.
  private var target = 0.0

  package init() {}

  @inline(__always)
  package mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].place == Place.often { return slab.moveToHead(slot, of: &often) }
    slab.unlink(slot, from: &once)
    slab[slot].place = Place.often
    slab.push(slot, onto: &often)
  }

  package mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32 {
    if ghost != SlotSlab.none { return readmit(ghost, size: size, &slab) }
    let capacity = slab.capacity
    while once.size + onceGhosts.size + size > capacity {
      if !onceGhosts.isEmpty {
        slab.remove(slab.popTail(of: &onceGhosts))
      } else {
        slab.evict(slab.popTail(of: &once))
      }
    }
    let total = once.size + often.size + onceGhosts.size + size
    while !oftenGhosts.isEmpty, total + oftenGhosts.size > 2 * capacity {
      slab.remove(slab.popTail(of: &oftenGhosts))
    }
    while slab.size + size > capacity { replace(returning: false, &slab) }
    let slot = slab.make(key, size: size)
    slab.push(slot, onto: &once)
    return slot
  }

  private mutating func readmit(_ ghost: Int32, size: Int, _ slab: inout SlotSlab) -> Int32 {
    let wasOften = slab[ghost].place == Place.oftenGhost
    let (onces, oftens) = (Double(onceGhosts.size), Double(oftenGhosts.size))
    if wasOften {
      target = max(0, target - Double(size) * max(1, onces / max(oftens, 1)))
      slab.unlink(ghost, from: &oftenGhosts)
    } else {
      target = min(Double(slab.capacity), target + Double(size) * max(1, oftens / max(onces, 1)))
      slab.unlink(ghost, from: &onceGhosts)
    }
    while slab.size + size > slab.capacity { replace(returning: wasOften, &slab) }
    slab.revive(ghost, size: size)
    slab[ghost].place = Place.often
    slab.push(ghost, onto: &often)
    return ghost
  }

  /// REPLACE of the paper.
  private mutating func replace(returning wasOften: Bool, _ slab: inout SlotSlab) {
    let size = Double(once.size)
    if !once.isEmpty, often.isEmpty || size > target || (wasOften && size == target) {
      let slot = slab.popTail(of: &once)
      slab.bury(slot)
      slab[slot].place = Place.onceGhost
      slab.push(slot, onto: &onceGhosts)
    } else {
      let slot = slab.popTail(of: &often)
      slab.bury(slot)
      slab[slot].place = Place.oftenGhost
      slab.push(slot, onto: &oftenGhosts)
    }
  }

  package mutating func evict(_ slab: inout SlotSlab) { replace(returning: false, &slab) }

  package mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    if slab[slot].place == Place.once {
      slab.unlink(slot, from: &once)
    } else {
      slab.unlink(slot, from: &often)
    }
  }

  package mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    if slab[slot].place == Place.once { once.size += difference } else { often.size += difference }
  }

  package mutating func capacityChanged(_ slab: inout SlotSlab) {
    target = min(target, Double(slab.capacity))
    while onceGhosts.size > slab.capacity { slab.remove(slab.popTail(of: &onceGhosts)) }
    while oftenGhosts.size > slab.capacity { slab.remove(slab.popTail(of: &oftenGhosts)) }
  }
}

extension EvictionPolicy {
  /// Adaptive replacement (FAST 2003).
  public static let arc = EvictionPolicy("arc", ARCReplacement())
}
