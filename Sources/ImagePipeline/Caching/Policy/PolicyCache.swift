/// The keys of a cache under a replacement policy: who is in, in which slot, and who has to go.
///
/// Values are the caller's business: it keeps them beside the slots, drops those of ``evicted`` after each call that
/// changes something, and only then stores the one of the slot it was given.
///
/// Keys are 64 bits that tell entries apart: a hash, or a number. A caller whose hashes may collide compares the whole
/// key that it keeps beside the value.
package struct PolicyCache<Policy: ReplacementPolicy>: Sendable {
  private var slab: SlotSlab
  private var policy: Policy

  /// An empty cache.
  ///
  /// - Parameters:
  ///   - capacity: What the sizes of its entries may sum up to.
  ///   - expectedCount: How many keys to make room for at once.
  package init(_ policy: Policy, capacity: Int, expectedCount: Int = 0) {
    slab = SlotSlab(capacity: max(0, capacity), expectedCount: expectedCount)
    self.policy = policy
    self.policy.capacityChanged(&slab)
  }

  /// Entries.
  package var count: Int { slab.count }
  /// What their sizes sum up to, never more than ``capacity``.
  package var size: Int { slab.size }
  /// What their sizes may sum up to.
  package var capacity: Int { slab.capacity }
  /// Slots whose entries were evicted by the last call that changed something. One of them may have been given anew
  /// to the entry that the call inserted, so their values are dropped before that one's is stored.
  package var evicted: [Int32] { slab.evicted }
  /// Slots that were ever in use, ghosts included: every slot is lower.
  package var slotCount: Int { slab.nodes.count }

  /// The slot of an entry; looking is no access.
  @inline(__always)
  package func slot(of key: UInt64) -> Int32? {
    let slot = slab.slot(of: key)
    return slot != SlotSlab.none && slab[slot].isResident ? slot : nil
  }

  /// The size an entry was stored with.
  package func size(of slot: Int32) -> Int { slab[slot].size }

  /// The key of an entry.
  package func key(of slot: Int32) -> UInt64 { slab[slot].key }

  /// Counts an access to an entry.
  package mutating func hit(_ slot: Int32) { policy.hit(slot, &slab) }

  /// Lets a newcomer in, and others go for it.
  ///
  /// - Parameter key: Belongs to no entry; ask ``slot(of:)`` before.
  /// - Returns: Its slot; `nil` when it is larger than the capacity or worth less than what it would push out.
  package mutating func insert(_ key: UInt64, size: Int) -> Int32? {
    slab.forgetEvicted()
    guard size <= slab.capacity else { return nil }
    let slot = policy.insert(key, size: max(0, size), ghost: slab.slot(of: key), &slab)
    return slot == SlotSlab.none ? nil : slot
  }

  /// Removes an entry and forgets its key; it is not counted as evicted.
  package mutating func remove(_ slot: Int32) {
    slab.forgetEvicted()
    policy.unlink(slot, &slab)
    slab.remove(slot)
  }

  /// Lets one entry go, where there is one.
  package mutating func evictOne() {
    slab.forgetEvicted()
    if slab.count > 0 { policy.evict(&slab) }
  }

  /// An entry has another size; others, or itself, go where they do not fit.
  @inline(never)
  package mutating func resize(_ slot: Int32, to size: Int) {
    slab.forgetEvicted()
    guard size <= slab.capacity else {
      policy.unlink(slot, &slab)
      return slab.evict(slot)
    }
    let difference = size - slab[slot].size
    slab.resize(slot, to: size)
    policy.resized(slot, by: difference, &slab)
    while slab.size > slab.capacity { policy.evict(&slab) }
  }

  /// Another capacity; what does not fit goes.
  package mutating func setCapacity(_ capacity: Int) {
    slab.forgetEvicted()
    slab.capacity = max(0, capacity)
    policy.capacityChanged(&slab)
    while slab.size > slab.capacity { policy.evict(&slab) }
  }

  /// One request of a trace: a hit, or an insertion. An entry that is asked for with another size has that size
  /// from then on, and what does not fit any more goes.
  ///
  /// - Parameter evictions: Grows by those that went.
  @inline(__always)
  package mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool {
    let slot = slab.slot(of: key)
    if slot != SlotSlab.none, slab[slot].isResident {
      policy.hit(slot, &slab)
      if slab[slot].size != size {
        resize(slot, to: size)
        evictions += slab.evicted.count
      }
      return true
    }
    slab.forgetEvicted()
    if size <= slab.capacity { _ = policy.insert(key, size: size, ghost: slot, &slab) }
    evictions += slab.evicted.count
    return false
  }
}
