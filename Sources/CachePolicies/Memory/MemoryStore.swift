import CPlatform
import ImageModel

/// The entries of a memory tier of any type: a table of values and an eviction order. It is not
/// generic, so that the compiler specialises it once, for all tiers.
///
/// A thread looks up under the lock of its lane, which it seldom shares with another; a change
/// takes the locks of all lanes. One eviction order serves the whole tier, so that the limit is
/// exact and one entry may take a large part of it. The order processes hits in batches, which
/// keeps a hit to one look-up. What was gathered is processed before anything is evicted, in the
/// order of its times: so the order is exact for one thread, and to a batch for several. When
/// several threads hit without pause, some hits may be dropped.
@usableFromInline
final class MemoryStore: Sendable {
  /// Set once, in the initialiser; each lane has a separate lock.
  private let lanes: SharedPointer<UnsafeMutablePointer<MemoryLane>>
  private let laneMask: Int
  /// Read under the lock of a lane, changed under those of all.
  private let table: SharedPointer<UnsafeMutablePointer<MemoryTable>>
  /// Locked before a lane and never inside one, except for an attempt that does not wait.
  private let order: Locked<MemoryOrder>
  private let lifetime: Duration?
  private let clock: @Sendable () -> UInt64

  init(_ configuration: MemoryCacheConfiguration) {
    var count = 1
    while count < min(configuration.shardCount, 256) { count *= 2 }
    let lanes = UnsafeMutablePointer<MemoryLane>.allocate(capacity: count)
    for lane in 0..<count { (lanes + lane).initialize(to: MemoryLane()) }
    self.lanes = SharedPointer(lanes)
    laneMask = count - 1
    let table = UnsafeMutablePointer<MemoryTable>.allocate(capacity: 1)
    table.initialize(to: MemoryTable())
    self.table = SharedPointer(table)
    order = Locked(MemoryOrder(configuration))
    lifetime = configuration.lifetime
    clock = configuration.clock
  }

  deinit {
    lanes.pointer.deinitialize(count: laneMask + 1)
    lanes.pointer.deallocate()
    table.pointer.deinitialize(count: 1)
    table.pointer.deallocate()
  }

  private enum Lookup {
    case miss, expired
    case hit(fillsBatch: Bool)
    /// The entry has a lifetime: look up again with the time.
    case untimed
  }

  /// Looks up a key, and calls a body with its value under the lock of the thread's lane; not when
  /// there is none, or when it has expired.
  @usableFromInline
  func read(_ key: MemoryKey, _ body: (Unmanaged<AnyObject>) -> Void) {
    let lane = Int(imgc_thread_number()) & laneMask
    var lookup = self.lookUp(key, lane, now: nil, body)
    if case .untimed = lookup { lookup = lookUp(key, lane, now: clock(), body) }
    switch lookup {
    case .expired: removeExpired(key)
    case .hit(fillsBatch: true):
      order.withLockIfAvailable { order in
        withLane(lane) { $0.drain { order.hit($0.slot, $0.key) } }
      }
    case .hit, .miss, .untimed: break
    }
  }

  @inline(__always)
  private func lookUp(
    _ key: MemoryKey, _ lane: Int, now: UInt64?, _ body: (Unmanaged<AnyObject>) -> Void
  ) -> Lookup {
    withLane(lane) { lookups in
      guard let entry = table.pointer.pointee.find(key) else {
        lookups.recordMiss()
        return .miss
      }
      if entry.expires != MemoryTable.never {
        guard let now else { return .untimed }
        if entry.expires <= now {
          lookups.recordMiss()
          return .expired
        }
      }
      body(entry.value)
      return .hit(
        fillsBatch: lookups.recordHit(
          MemoryAccess(key: key, slot: entry.slot, tick: imgc_clock_ticks())))
    }
  }

  func insert(
    _ value: AnyObject, for key: MemoryKey, byteCount: Int, lifetime: Duration? = nil
  ) -> Bool {
    let ends =
      (lifetime ?? self.lifetime).map { clock() &+ UInt64(clamping: $0.nanoseconds) }
      ?? MemoryTable.never
    return change { order, table, gone in
      guard let slot = order.insert(key, byteCount: byteCount) else { return false }
      let entry = MemoryTable.Entry(
        key: key, value: Unmanaged.passRetained(value), expires: ends, slot: slot)
      if let old = table.store(entry) { gone.append(old) }
      return true
    }
  }

  func remove(_ key: MemoryKey) {
    change { order, _, _ in order.remove(key) }
  }

  func removeAll(where isOut: (AnyObject) -> Bool) -> Int {
    change { order, table, _ in
      let keys = table.keys(where: isOut)
      for key in keys { order.remove(key) }
      return keys.count
    }
  }

  func removeAll() {
    change { order, table, gone in
      order.removeAll()
      gone = table.removeAll()
    }
  }

  var byteCount: Int { order.withLock { $0.byteCount } }

  var count: Int { order.withLock { $0.count } }

  var statistics: MemoryStatistics {
    var sum = MemoryStatistics()
    sum.evictionCount = order.withLock { $0.evictionCount }
    for lane in 0...laneMask {
      let (hits, misses) = withLane(lane) { ($0.hitCount, $0.missCount) }
      sum.hitCount += hits
      sum.missCount += misses
    }
    return sum
  }

  func setMaximumByteCount(_ limit: Int) {
    change { order, _, _ in order.setMaximumByteCount(limit) }
  }

  // MARK: Inside

  @inline(__always)
  private func withLane<Result>(
    _ lane: Int, _ body: (inout MemoryLookups) -> sending Result
  ) -> sending Result {
    let lane = lanes.pointer + lane
    return lane.pointee.withLock(lane, body)
  }

  private func removeExpired(_ key: MemoryKey) {
    let now = clock()
    change { order, table, _ in
      // Another thread may have stored a new value in the meantime.
      if let entry = table.find(key), entry.expires <= now { order.remove(key) }
    }
  }

  /// Changes the order and the table with all lanes locked, after the order has processed all hits,
  /// the earliest first; then removes the values of keys that have left the order from the table.
  /// They are released after the locks: the last reference to pixels frees megabytes.
  private func change<Result>(
    _ body: (inout MemoryOrder, inout MemoryTable, inout [Unmanaged<AnyObject>]) -> Result
  ) -> Result {
    var gone: [Unmanaged<AnyObject>] = []
    var accesses: [MemoryAccess] = []
    var result: Result?
    order.withLock { order in
      lockAll(from: 0, gathering: &accesses) { accesses in
        accesses.sort { $0.tick < $1.tick }
        for access in accesses { order.hit(access.slot, access.key) }
        result = body(&order, &table.pointer.pointee, &gone)
        for key in order.drainEvicted() {
          if let value = table.pointer.pointee.remove(key) { gone.append(value) }
        }
      }
    }
    for value in gone { value.release() }
    guard let result else { preconditionFailure("the body is called once") }
    return result
  }

  private func lockAll(
    from lane: Int, gathering accesses: inout [MemoryAccess], _ body: (inout [MemoryAccess]) -> Void
  ) {
    if lane > laneMask { return body(&accesses) }
    withLane(lane) { lookups in
      lookups.drain { accesses.append($0) }
      lockAll(from: lane + 1, gathering: &accesses, body)
    }
  }
}
