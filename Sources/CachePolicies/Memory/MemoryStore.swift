import CPlatform
import ImageModel

/// The entries of a memory tier of any type: shards of values and one eviction order. It is not
/// generic, so that the compiler specialises it once, for all tiers.
///
/// One eviction order serves all shards, so that the limit is exact and one entry may take a large
/// part of it. The order processes hits in batches, which keeps a hit to one look-up. The hits of
/// one thread are processed before anything is evicted, the latest of each shard in their order;
/// when several threads hit without pause, some hits may be dropped.
@usableFromInline
final class MemoryStore: Sendable {
  /// Set once, in the initialiser; what they point to has locks of its own.
  private let lanes: SharedPointer<UnsafeMutablePointer<MemoryLane>>
  private let laneMask: Int
  /// Locked before a shard and never inside one, except for an attempt that does not wait.
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

  /// Returns the value of a key; `nil` when there is none, or when it has expired.
  @usableFromInline
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
    if isFull { order.withLockIfAvailable { processHits(&$0, inShardOf: key) } }
    return entry.value
  }

  /// Stores a value, replacing the one that the key had; evicts others when there is no room. See
  /// ``MemoryCache/insert(_:for:byteCount:lifetime:)``.
  func insert(
    _ value: MemoryObject, for key: MemoryKey, byteCount: Int, lifetime: Duration? = nil
  ) -> Bool {
    let ends =
      (lifetime ?? self.lifetime).map { clock() &+ UInt64(clamping: $0.nanoseconds) }
      ?? MemoryShard.never
    // Values are released after the locks: the last reference to pixels frees megabytes.
    var gone: [MemoryObject] = []
    let isKept = order.withLock { order in
      processHits(&order)
      let slot = order.insert(key, byteCount: byteCount)
      removeLeaving(&order, into: &gone)
      guard let slot else { return false }
      let entry = MemoryShard.Entry(value: value, expires: ends, slot: slot)
      if let old = withShard(of: key, { $0.store(entry, for: key) }) { gone.append(old) }
      return true
    }
    withExtendedLifetime(gone) {}
    return isKept
  }

  /// Removes the value of a key, if any.
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

  /// The sum of the entries' costs, in bytes; never more than the limit.
  var byteCount: Int { order.withLock { $0.byteCount } }

  /// The number of entries, including expired ones that were not accessed since.
  var count: Int { order.withLock { $0.count } }

  /// The counts since the tier was created.
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

  /// Sets another limit of bytes; evicts at once what does not fit.
  func setMaximumByteCount(_ limit: Int) {
    change {
      processHits(&$0)
      $0.setMaximumByteCount(limit)
    }
  }

  /// Sets another limit of entries; evicts at once what does not fit.
  func setMaximumCount(_ limit: Int) {
    change {
      processHits(&$0)
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
      removeLeaving(&order, into: &gone)
    }
    withExtendedLifetime(gone) {}
  }

  /// Makes the order process all hits since the last time, the earliest first.
  private func processHits(_ order: inout MemoryOrder) {
    var accesses: [MemoryShard.Access] = []
    for lane in 0...laneMask { withShard(lane) { $0.take(into: &accesses) } }
    accesses.sort { $0.tick < $1.tick }
    for access in accesses { order.hit(access.slot, access.key) }
  }

  /// Makes the order process the hits of one full shard; the others have few, and are processed
  /// later.
  private func processHits(_ order: inout MemoryOrder, inShardOf key: MemoryKey) {
    var accesses: [MemoryShard.Access] = []
    withShard(of: key) { $0.take(into: &accesses) }
    for access in accesses { order.hit(access.slot, access.key) }
  }

  /// Removes the values of keys that have left the order from their shards.
  private func removeLeaving(_ order: inout MemoryOrder, into gone: inout [MemoryObject]) {
    for key in order.takeLeaving() {
      if let value = withShard(of: key, { $0.remove(key) }) { gone.append(value) }
    }
  }
}

/// Time that never goes back, read without a system call.
enum MonotonicClock {
  /// Nanoseconds since some moment, to a few milliseconds.
  static var coarseNanoseconds: UInt64 { imgc_clock_coarse() }

  /// A count that grows with time on all processors alike, in no unit: it orders events.
  @inline(__always)
  static var ticks: UInt64 { imgc_clock_ticks() }
}
