/// Least hit density for entries of any size: evicts the entry that brings the fewest hits for the
/// bytes and the time it is held.
///
/// The hits that an entry brings are estimated (``HitDensity``) from its frequency, which outlives
/// eviction and fades (``FadingCounter``), from the gap between its last two requests and from the
/// time since the last; the estimate is divided by the size to a power. A newcomer with a lower
/// value than the entries it would evict is rejected. Victims are chosen among the next
/// ``sweepCount`` entries after a hand and those found to have a low value before, so an eviction
/// costs no more in a large cache than in a small one, and nothing is random.
///
/// Sources: Beckmann, Chen, Cidon, "LHD", NSDI 2018; counts that outlive eviction, and admission by
/// them: Einziger, Friedman, Manes, "TinyLFU", ACM ToS 2017; keeping the best of earlier samples:
/// Psounis, Prabhakar, "Efficient Randomized Web-Cache Replacement Schemes Using Samples From Past
/// Eviction Times", IEEE/ACM ToN 2002.
struct LHDTBReplacement: Replacement {
  /// The sixteen bytes of a resident that its eviction depends on.
  private struct Resident {
    var slot: Int32
    var asked: UInt32
    /// One over the powered size.
    var weight: Float
    var kind: UInt8
  }

  private struct Candidate {
    var density: Float
    var age: UInt32
    var slot: Int32

    static func < (left: Candidate, right: Candidate) -> Bool {
      left.density < right.density || left.density == right.density && left.age > right.age
    }
  }

  static let sweepCount = 128
  static let glanceCount = 16
  static let candidateCount = 8
  /// Fewer residents than these are evicted by age alone: of one or two there is no choice.
  static let choiceCount = 4

  private let exponent: Double
  private var residents: [Resident] = []
  /// The least of the last sweep, in order, and the array for the next.
  private var candidates: [Candidate] = []
  private var earlier: [Candidate] = []
  private var hand = 0
  private var ghosts = SlotList()
  private var counter = FadingCounter()
  private var tracker = ReuseTracker()
  private var now: UInt32 = 0

  init(exponent: Double = 1) { self.exponent = exponent }

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    now &+= 1
    let at = Int(slab[slot].next)
    counter.count(slot, &slab)
    let gap = ReuseAge.bin(of: now &- residents[at].asked)
    let kind = HitDensity.classOf(frequency: slab[slot].count, gap: gap)
    residents[at].asked = now
    residents[at].kind = UInt8(truncatingIfNeeded: kind)
    tracker.record(slab[slot].key, class: kind, at: now, residents: residents.count)
  }

  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    now &+= 1
    let slot = counter.countGhost(ghost, of: key, in: &ghosts, &slab)
    let gap =
      ghost == SlotSlab.none
      ? nil : ReuseAge.bin(of: now &- UInt32(truncatingIfNeeded: slab[ghost].size))
    let kind = HitDensity.classOf(frequency: slab[slot].count, gap: gap)
    tracker.record(key, class: kind, at: now, residents: residents.count)
    let newcomer = Resident(
      slot: slot, asked: now, weight: weight(size), kind: UInt8(truncatingIfNeeded: kind))
    let worth = candidate(newcomer)
    while slab.size + size > slab.capacity, !residents.isEmpty {
      let least = findLeast(slab, against: worth)
      if residents.count >= Self.choiceCount, worth < least {
        remember(slot, asked: now, &slab)
        return SlotSlab.none
      }
      evict(least.slot, &slab)
    }
    slab.revive(slot, size: size)
    slab[slot].next = Int32(residents.count)
    residents.append(newcomer)
    forget(&slab)
    return slot
  }

  mutating func evict(_ slab: inout SlotSlab) {
    if !residents.isEmpty { evict(findLeast(slab).slot, &slab) }
  }

  private mutating func evict(_ slot: Int32, _ slab: inout SlotSlab) {
    let asked = residents[Int(slab[slot].next)].asked
    unlink(slot, &slab)
    slab.bury(slot)
    remember(slot, asked: asked, &slab)
  }

  @inline(__always)
  private func weight(_ size: Int) -> Float {
    Float(1 / GDSFRank.powered(size, exponent))
  }

  @inline(__always)
  private func candidate(_ resident: Resident) -> Candidate {
    let age = now &- resident.asked
    let density = tracker.density.value(of: Int(resident.kind), age: age)
    return Candidate(density: density * resident.weight, age: age, slot: resident.slot)
  }

  /// Returns the candidate that brings the least among those examined: fewer when a newcomer brings
  /// less than the candidates kept from before.
  private mutating func findLeast(_ slab: SlotSlab, against newcomer: Candidate? = nil) -> Candidate
  {
    if residents.count < Self.choiceCount { return oldest() }
    swap(&candidates, &earlier)
    candidates.removeAll(keepingCapacity: true)
    for old in earlier where slab[old.slot].isResident {
      consider(candidate(residents[Int(slab[old.slot].next)]))
    }
    var count = Self.sweepCount
    if let newcomer, let known = candidates.first, newcomer < known { count = Self.glanceCount }
    for _ in 0..<min(count, residents.count) {
      hand = hand + 1 < residents.count ? hand + 1 : 0
      consider(candidate(residents[hand]))
    }
    return candidates[0]
  }

  /// Keeps the least in order, each once.
  @inline(__always)
  private mutating func consider(_ new: Candidate) {
    if candidates.count == Self.candidateCount {
      guard new < candidates[Self.candidateCount - 1] else { return }
    }
    keep(new)
  }

  private mutating func keep(_ new: Candidate) {
    if candidates.contains(where: { $0.slot == new.slot }) { return }
    if candidates.count == Self.candidateCount { candidates.removeLast() }
    candidates.insert(new, at: candidates.firstIndex { new < $0 } ?? candidates.count)
  }

  private func oldest() -> Candidate {
    var found = candidate(residents[0])
    for resident in residents.dropFirst() where now &- resident.asked > found.age {
      found = candidate(resident)
    }
    return found
  }

  private mutating func remember(_ slot: Int32, asked: UInt32, _ slab: inout SlotSlab) {
    // A ghost has no size; the field holds the time of its last request.
    slab[slot].size = Int(asked)
    slab.push(slot, onto: &ghosts)
    forget(&slab)
  }

  /// Drops the oldest ghosts beyond twenty for each resident.
  private mutating func forget(_ slab: inout SlotSlab) {
    for _ in 0..<2 where ghosts.count > 20 * max(slab.count, 16) {
      slab.remove(slab.popTail(of: &ghosts))
    }
  }

  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    let at = Int(slab[slot].next)
    let last = residents.removeLast()
    if at < residents.count {
      residents[at] = last
      slab[last.slot].next = Int32(at)
    }
  }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    residents[Int(slab[slot].next)].weight = weight(slab[slot].size)
  }
}

extension EvictionPolicy {
  /// Least hit density for entries of any size, with frequencies that outlive eviction, a bypass
  /// and an exponent on the size, 0 through 4.
  public static func lhdTB(exponent: Double = 1) -> EvictionPolicy {
    EvictionPolicy("lhd-tb", exponent: exponent) { LHDTBReplacement(exponent: $0) }
  }
}
