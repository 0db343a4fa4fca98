/// W-TinyLFU: newcomers pass an LRU window; on leaving it they are admitted if they were accessed
/// more often than the entries they would evict from the main part, a segmented LRU. The window's
/// share follows the hit ratio.
///
/// The window and the segments share the room and are not limits: an entry larger than the window
/// goes to the comparison at once. When sizes differ, a candidate is compared with all entries it
/// would evict together.
///
/// Sources: Einziger, Friedman, Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", ACM
/// ToS 2017; the window: Einziger, Eytan, Friedman, Manes, "Adaptive Software Cache Management",
/// Middleware 2018; sizes: the same, "Lightweight Robust Size Aware Cache Management", ACM ToS 2022
/// (AV).
struct WTinyLFUReplacement: SegmentedReplacement {
  private enum Place {
    static let window: UInt8 = 0
    static let probation: UInt8 = 1
    static let protected: UInt8 = 2
  }

  var queues = SlotQueues()
  /// At least eight kilobytes: in a cache of a few hundred images a scan would blur all counts.
  private var sketch = FrequencySketch(expectedCount: 1024)
  private var climber: WindowClimber
  private var windowRoom = 0

  /// The window's initial share, and whether it follows the hit ratio.
  init(windowShare: Double = 0.3, isAdaptive: Bool = true) {
    climber = WindowClimber(share: windowShare, isAdaptive: isAdaptive)
  }

  @inline(__always)
  private mutating func count(_ key: UInt64, isHit: Bool, _ slab: inout SlotSlab) {
    sketch.add(key, period: 10 * max(slab.count, 16))
    if climber.learn(isHit: isHit, period: 10 * max(slab.count, 16)) { moveWindow(&slab) }
  }

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    count(slab[slot].key, isHit: true, &slab)
    let isOnProbation = slab[slot].place == Place.probation
    move(slot, to: isOnProbation ? Place.protected : slab[slot].place, &slab)
    if isOnProbation { demote(&slab) }
  }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    sketch.reserve(slab.count + 1)
    count(key, isHit: false, &slab)
    let slot = slab.make(key, size: size)
    if size > windowRoom {
      push(slot, onto: Place.probation, &slab)
      return admit(slot, isNewcomer: true, &slab) ? slot : SlotSlab.none
    }
    push(slot, onto: Place.window, &slab)
    while self[Place.window].size > windowRoom {
      let candidate = popTail(of: Place.window, &slab)
      push(candidate, onto: Place.probation, &slab)
      let isIn = admit(candidate, isNewcomer: candidate == slot, &slab)
      if !isIn, candidate == slot { return SlotSlab.none }
    }
    while slab.size > slab.capacity { evict(&slab) }
    return slot
  }

  /// Removes a candidate that lost. A newcomer was never resident, so it is not counted as evicted.
  private mutating func refuse(_ candidate: Int32, isNewcomer: Bool, _ slab: inout SlotSlab) {
    unlink(candidate, &slab)
    if isNewcomer { slab.remove(candidate) } else { slab.evict(candidate) }
  }

  /// Compares the candidate, the newest on probation, with others when there is no room for all.
  private mutating func admit(
    _ candidate: Int32, isNewcomer: Bool, _ slab: inout SlotSlab
  ) -> Bool {
    let excess = slab.size - slab.capacity
    if excess <= 0 { return true }
    let worth = sketch.estimate(slab[candidate].key)
    var (victim, isProtected, freed, price) = (self[Place.probation].tail, false, 0, 0)
    while freed < excess {
      if victim == candidate || victim == SlotSlab.none {
        if isProtected { break }
        (victim, isProtected) = (self[Place.protected].tail, true)
        continue
      }
      price += sketch.estimate(slab[victim].key)
      if price >= worth { break }
      freed += slab[victim].size
      victim = slab[victim].previous
    }
    guard freed >= excess else {
      refuse(candidate, isNewcomer: isNewcomer, &slab)
      // The winner moves up, or the same entries would be compared for ever.
      var winner = self[Place.probation].tail
      while winner != victim, winner != SlotSlab.none, !isProtected {
        let next = slab[winner].previous
        move(winner, to: Place.probation, &slab)
        winner = next
      }
      return false
    }
    while slab.size > slab.capacity {
      let oldest = self[Place.probation].tail
      let victim = oldest == candidate ? self[Place.protected].tail : oldest
      unlink(victim, &slab)
      slab.evict(victim)
    }
    return true
  }

  mutating func evict(_ slab: inout SlotSlab) {
    let main = self[Place.probation].isEmpty ? Place.protected : Place.probation
    slab.evict(popTail(of: self[main].isEmpty ? Place.window : main, &slab))
  }

  private mutating func demote(_ slab: inout SlotSlab) {
    let room = Int(Double(slab.capacity - windowRoom) * 0.8)
    while self[Place.protected].size > room {
      push(popTail(of: Place.protected, &slab), onto: Place.probation, &slab)
    }
  }

  /// Follows the climber; evicts nothing.
  private mutating func moveWindow(_ slab: inout SlotSlab) {
    windowRoom = min(slab.capacity, max(1, Int(Double(slab.capacity) * climber.share)))
    while self[Place.window].size > windowRoom {
      push(popTail(of: Place.window, &slab), onto: Place.probation, &slab)
    }
    demote(&slab)
  }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queues[slab[slot].place].size += difference
    moveWindow(&slab)
  }

  mutating func capacityChanged(_ slab: inout SlotSlab) { moveWindow(&slab) }
}

extension EvictionPolicy {
  /// TinyLFU admission after an adaptive window.
  public static let wTinyLFU = EvictionPolicy("w-tinylfu", WTinyLFUReplacement())
}
