/// A replacement algorithm over one queue: newcomers are pushed at its head.
protocol QueueReplacement: Replacement {
  /// Every resident, the newest insertion or move at the head.
  var queue: SlotList { get set }
}

extension QueueReplacement {
  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32 {
    makeRoom(for: size, &slab)
    let slot = slab.make(key, size: size)
    slab.push(slot, onto: &queue)
    return slot
  }

  mutating func evict(_ slab: inout SlotSlab) { slab.evict(slab.popTail(of: &queue)) }

  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.unlink(slot, from: &queue)
  }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queue.size += difference
  }
}

/// Least recently used. One huge entry empties it: with entries of different sizes, more room can
/// mean fewer hits.
struct LRUReplacement: QueueReplacement {
  var queue = SlotList()

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.moveToHead(slot, of: &queue)
  }
}

/// First in, first out: hits change nothing. For comparison in the simulator.
struct FIFOReplacement: QueueReplacement {
  var queue = SlotList()

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) {}
}

/// CLOCK, or second chance: FIFO, except that entries accessed since the hand last passed go to the
/// head again. For comparison in the simulator.
///
/// Source: Corbató, "A Paging Experiment with the Multics System", 1968.
struct ClockReplacement: QueueReplacement {
  var queue = SlotList()

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) { slab[slot].count = 1 }

  mutating func evict(_ slab: inout SlotSlab) {
    while slab[queue.tail].count > 0 {
      slab[queue.tail].count = 0
      slab.moveToHead(queue.tail, of: &queue)
    }
    slab.evict(slab.popTail(of: &queue))
  }
}

/// SIEVE: a queue without moves, and a hand that walks from old to new and evicts entries that were
/// not accessed since it last passed. A hit writes one word.
///
/// Source: Zhang, Yang, Yue, Vigfusson, Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key
/// Eviction Algorithm for Web Caches", NSDI 2024.
struct SIEVEReplacement: QueueReplacement {
  var queue = SlotList()
  private var hand = SlotSlab.none

  @inline(__always)
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab) { slab[slot].count = 1 }

  mutating func evict(_ slab: inout SlotSlab) {
    var slot = hand == SlotSlab.none ? queue.tail : hand
    while slab[slot].count > 0 {
      slab[slot].count = 0
      slot = slab[slot].previous
      if slot == SlotSlab.none { slot = queue.tail }
    }
    hand = slab[slot].previous
    slab.unlink(slot, from: &queue)
    slab.evict(slot)
  }

  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    if hand == slot { hand = slab[slot].previous }
    slab.unlink(slot, from: &queue)
  }
}

extension EvictionPolicy {
  /// Least recently used.
  public static let lru = EvictionPolicy("lru", LRUReplacement())
  /// A queue with a hand (NSDI 2024).
  public static let sieve = EvictionPolicy("sieve", SIEVEReplacement())
  package static let fifo = EvictionPolicy("fifo", FIFOReplacement())
  package static let clock = EvictionPolicy("clock", ClockReplacement())
}
