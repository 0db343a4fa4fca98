/// A replacement algorithm: what to evict when a cache is full, and what to admit, decided on slots
/// without keys, values or clock.
///
/// It keeps its lists and counts over a ``SlotSlab``; ``PolicyCache`` drives it. It is a value,
/// generic where it is used, so that the memory tier, the simulator and tests run on the same code.
/// Every call costs O(1), or O(log *n*) where the algorithm ranks by a number.
protocol Replacement: Sendable, ReplayablePolicy {
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab)

  /// Admits a newcomer, not larger than the capacity, whose key no resident has. `ghost` is
  /// ``SlotSlab/none`` where no ghost has its key; so is the result for a newcomer refused.
  mutating func insert(_ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab) -> Int32

  /// Evicts one resident; there is at least one.
  mutating func evict(_ slab: inout SlotSlab)

  /// Takes a resident out of all lists; the caller frees its slot.
  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab)

  /// Notes that a resident, whose new size the slab has already, grew by this much (or shrank).
  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab)

  /// Notes another capacity of the slab; what does not fit is evicted afterwards.
  mutating func capacityChanged(_ slab: inout SlotSlab)
}

extension Replacement {
  mutating func capacityChanged(_ slab: inout SlotSlab) {}

  @inline(__always)
  mutating func makeRoom(for size: Int, _ slab: inout SlotSlab) {
    while slab.size + size > slab.capacity { evict(&slab) }
  }

  func emptyCache(capacity: Int, expectedCount: Int) -> PolicyCache<Self> {
    PolicyCache(self, capacity: capacity, expectedCount: expectedCount)
  }
}
