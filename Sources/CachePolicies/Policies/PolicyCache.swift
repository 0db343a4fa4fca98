/// The keys of a cache under a replacement algorithm: which are resident, in which slot, and which
/// are evicted.
///
/// The caller keeps the values beside the slots, drops those of ``evicted`` after each call that
/// changes something, and only then stores the value of the slot it received.
///
/// Keys are 64 bits that identify entries: a hash, or a number. A caller whose hashes may collide
/// compares the whole key that it keeps beside the value.
struct PolicyCache<Policy: Replacement>: EvictionOrder, ReplayedCache {
  private var slab: SlotSlab
  private var policy: Policy

  init(_ policy: Policy, capacity: Int, expectedCount: Int = 0) {
    slab = SlotSlab(capacity: SlotSlab.bounded(capacity), expectedCount: expectedCount)
    self.policy = policy
    self.policy.capacityChanged(&slab)
  }

  var count: Int { slab.count }
  /// The sum of their sizes, never more than the capacity.
  var size: Int { slab.size }
  /// Slots whose entries the last change evicted. One may be that of the entry it inserted, so
  /// values are dropped before the new one is stored.
  var evicted: [Int32] { slab.evicted }

  /// Returns the slot of an entry, without counting an access.
  @inline(__always)
  func slot(of key: UInt64) -> Int32? {
    let slot = slab.slot(of: key)
    return slot != SlotSlab.none && slab[slot].isResident ? slot : nil
  }

  mutating func hit(_ slot: Int32) { policy.hit(slot, &slab) }

  /// Inserts a newcomer, evicting others when there is no room; `nil` when it is larger than the
  /// capacity or worth less than what it would evict. The key has no entry, see ``slot(of:)``.
  mutating func insert(_ key: UInt64, size: Int) -> Int32? {
    slab.forgetEvicted()
    guard size <= slab.capacity else { return nil }
    let slot = policy.insert(key, size: max(0, size), ghost: slab.slot(of: key), &slab)
    return slot == SlotSlab.none ? nil : slot
  }

  /// Removes an entry and its key; it is not counted as evicted.
  mutating func remove(_ slot: Int32) {
    slab.forgetEvicted()
    policy.unlink(slot, &slab)
    slab.remove(slot)
  }

  mutating func evictOne() {
    slab.forgetEvicted()
    if slab.count > 0 { policy.evict(&slab) }
  }

  /// Changes the size of an entry; evicts others, or the entry itself, when they do not fit.
  @inline(never)
  mutating func resize(_ slot: Int32, to size: Int) {
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

  /// Changes the capacity; evicts what does not fit.
  mutating func setCapacity(_ capacity: Int) {
    slab.forgetEvicted()
    slab.capacity = SlotSlab.bounded(capacity)
    policy.capacityChanged(&slab)
    while slab.size > slab.capacity { policy.evict(&slab) }
  }

  /// Performs one request of a trace: a hit, or an insertion. An entry that is requested with
  /// another size has that size from then on, and what no longer fits is evicted.
  @inline(__always)
  mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool {
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

  static func key(_ number: UInt32) -> UInt64 { UInt64(number) }
}
