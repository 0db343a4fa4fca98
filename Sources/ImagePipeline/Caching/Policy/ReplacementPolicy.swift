/// Whom to let go when a cache is full, and whom to let in: decided on slots, without keys, values or clock.
///
/// A policy keeps its lists and counts over a ``SlotSlab``; ``PolicyCache`` asks it. It is a value, generic where it
/// is used, so that the memory tier, the simulator and tests run on the same specialised code. Every call costs
/// O(1), or O(log *n*) where a policy ranks by a number.
package protocol ReplacementPolicy: Sendable {
  /// A resident was asked for.
  mutating func hit(_ slot: Int32, _ slab: inout SlotSlab)

  /// A newcomer, not larger than the capacity, asks to be let in.
  ///
  /// - Parameters:
  ///   - key: Its key; no resident has it.
  ///   - ghost: The slot of the ghost with this key, or ``SlotSlab/none``.
  /// - Returns: Its slot, or ``SlotSlab/none`` where it is not let in.
  mutating func insert(
    _ key: UInt64, size: Int, ghost: Int32, _ slab: inout SlotSlab
  ) -> Int32

  /// Lets one resident go; there is one.
  mutating func evict(_ slab: inout SlotSlab)

  /// Takes a resident out of all lists; its slot is freed by the caller.
  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab)

  /// A resident, already counted anew in the slab, grew by this much (or shrank).
  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab)

  /// The slab's capacity is another; what does not fit is evicted afterwards.
  mutating func capacityChanged(_ slab: inout SlotSlab)
}

extension ReplacementPolicy {
  package mutating func capacityChanged(_ slab: inout SlotSlab) {}

  /// Evicts until a newcomer fits.
  @inline(__always)
  mutating func makeRoom(for size: Int, _ slab: inout SlotSlab) {
    while slab.size + size > slab.capacity { evict(&slab) }
  }
}
