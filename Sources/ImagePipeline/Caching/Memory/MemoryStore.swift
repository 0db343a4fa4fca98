/// The entries of a memory tier: shards of values and one order of eviction. It does not depend on
/// the type of the values, so that the compiler specializes it once for all tiers.
///
/// Eviction is decided for all shards together, so that the limit is exact and one entry may take a
/// large part of it. Hits are reported to that order in batches, which keeps a hit to one look-up.
/// The hits of one thread are reported before anything is evicted, the latest of each shard in their
/// order; some hits of several threads that hit without pause may be lost.
final class MemoryStore: Sendable {
  /// Written once, by the initializer; each lane has a lock of its own.
  private let lanes: SharedPointer<UnsafeMutablePointer<MemoryLane>>
  private let laneMask: Int
  /// Taken before a shard's lock and never inside one, but for an attempt that does not wait.
  private let order: Locked<MemoryOrder>
  private let lifetime: Duration?
  private let clock: @Sendable () -> UInt64

  /// Creates an empty tier.
  init(_ configuration: MemoryCacheConfiguration) {
    var count = 1
    while count < min(configuration.shardCount, 256) { count *= 2 }
    let lanes = UnsafeMutablePointer<MemoryLane>.allocate(capacity: count)
    for lane in 0..<count { (lanes + lane).initialize(to: MemoryLane()) }
    self.lanes = SharedPointer(lanes)
    laneMask = count - 1
    order = Locked(MemoryOrder(configuration))
    lifetime = configuration.lifetime
    clock = configuration.clock
  }

  deinit {
    lanes.pointer.deinitialize(count: laneMask + 1)
    lanes.pointer.deallocate()
  }

  /// The value of a key; `nil` if there is none, or if it has expired.
  func value(for key: MemoryKey) -> MemoryObject? {
    let tick = MonotonicClock.ticks
    let (entry, isFull) = withShard(of: key) { shard in
      (shard.entry(for: key, tick: tick), shard.isFull)
    }
    guard let entry else { return nil }
    if entry.expires != MemoryShard.never, entry.expires <= clock() {
      removeExpired(key)
      return nil
    }
    if isFull { order.withLockIfAvailable { tell(&$0, of: key) } }
    return entry.value
  }

  /// Stores a value in place of the key's previous one; others are evicted to make room.
  ///
  /// - Parameters:
  ///   - byteCount: Its cost; shared parts count once, see ``MemoryCost``.
  ///   - lifetime: The time after which it expires. Default: that of the configuration.
  /// - Returns: Whether it is stored.
  func insert(
    _ value: MemoryObject, for key: MemoryKey, byteCount: Int, lifetime: Duration? = nil
  ) -> Bool {
    let ends =
      (lifetime ?? self.lifetime).map { clock() &+ UInt64(clamping: $0.nanoseconds) }
      ?? MemoryShard.never
    // Values are released after the locks: the last reference to pixels frees megabytes.
    var gone: [MemoryObject] = []
    let isKept = order.withLock { order in
      tell(&order)
      let slot = order.insert(key, byteCount: byteCount)
      drop(&order, into: &gone)
      guard let slot else { return false }
      let entry = MemoryShard.Entry(value: value, expires: ends, slot: slot)
      if let old = withShard(of: key, { $0.store(entry, for: key) }) { gone.append(old) }
      return true
    }
    withExtendedLifetime(gone) {}
    return isKept
  }

  /// Removes the value of a key, if there is one.
  func remove(_ key: MemoryKey) {
    change { $0.remove(key) }
  }

  /// Removes everything.
  func removeAll() {
    let gone = order.withLock { order in
      order.removeAll()
      return (0...laneMask).flatMap { withShard($0) { $0.removeAll() } }
    }
    withExtendedLifetime(gone) {}
  }

  /// The cost of all entries, in bytes; never more than the limit.
  var byteCount: Int { order.withLock { $0.byteCount } }

  /// The number of entries, including expired ones that were not looked up since.
  var count: Int { order.withLock { $0.count } }

  /// The statistics of the tier so far.
  var statistics: MemoryStatistics {
    var sum = MemoryStatistics()
    sum.evictionCount = order.withLock { $0.evictionCount }
    for lane in 0...laneMask {
      let (hits, misses) = withShard(lane) { ($0.hitCount, $0.missCount) }
      sum.hitCount += hits
      sum.missCount += misses
    }
    return sum
  }

  /// Sets another limit of bytes; what does not fit is evicted at once.
  func setMaximumByteCount(_ limit: Int) {
    change {
      tell(&$0)
      $0.setMaximumByteCount(limit)
    }
  }

  /// Sets another limit of entries; what does not fit is evicted at once.
  func setMaximumCount(_ limit: Int) {
    change {
      tell(&$0)
      $0.setMaximumCount(limit)
    }
  }

  // MARK: Inside

  @inline(__always)
  private func withShard<Result>(
    of key: MemoryKey, _ body: (inout MemoryShard) -> sending Result
  ) -> sending Result {
    withShard(Int(truncatingIfNeeded: key.high) & laneMask, body)
  }

  @inline(__always)
  private func withShard<Result>(
    _ lane: Int, _ body: (inout MemoryShard) -> sending Result
  ) -> sending Result {
    let lane = lanes.pointer + lane
    return lane.pointee.withShard(lane, body)
  }

  private func removeExpired(_ key: MemoryKey) {
    change { order in
      // Another thread may have stored a new value in the meantime.
      let now = clock()
      let isExpired = withShard(of: key) { shard in
        shard.noteExpired()
        return shard.isExpired(key, now: now)
      }
      if isExpired { order.remove(key) }
    }
  }

  private func change(_ body: (inout MemoryOrder) -> Void) {
    var gone: [MemoryObject] = []
    order.withLock { order in
      body(&order)
      drop(&order, into: &gone)
    }
    withExtendedLifetime(gone) {}
  }

  /// Reports all hits since the last time to the order, the earliest first.
  private func tell(_ order: inout MemoryOrder) {
    var accesses: [MemoryShard.Access] = []
    for lane in 0...laneMask { withShard(lane) { $0.take(into: &accesses) } }
    accesses.sort { $0.tick < $1.tick }
    for access in accesses { order.hit(access.slot, access.key) }
  }

  /// Reports the hits in one full shard; those in others are few, and follow later.
  private func tell(_ order: inout MemoryOrder, of key: MemoryKey) {
    var accesses: [MemoryShard.Access] = []
    withShard(of: key) { $0.take(into: &accesses) }
    for access in accesses { order.hit(access.slot, access.key) }
  }

  /// Removes the values of evicted keys from their shards.
  private func drop(_ order: inout MemoryOrder, into gone: inout [MemoryObject]) {
    for key in order.takeLeaving() {
      if let value = withShard(of: key, { $0.remove(key) }) { gone.append(value) }
    }
  }
}
