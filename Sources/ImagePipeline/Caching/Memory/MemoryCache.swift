/// The limits and the policy of a memory cache.
public struct MemoryCacheConfiguration: Sendable {
  /// The maximum total cost of the entries, in bytes; 0 stores nothing. Default: 64 MiB.
  public var maximumByteCount = 64 << 20
  /// The maximum number of entries. Default: as many as fit.
  public var maximumCount = Int.max
  /// The share of ``maximumByteCount`` that one entry may take, 0 through 1; a larger entry is not
  /// stored. Default: 0.5.
  public var maximumEntryShare = 0.5
  /// The lifetime of entries that are inserted without one. Default: for ever.
  public var lifetime: Duration?
  /// The eviction policy. Default: least recently used.
  public var policy = EvictionPolicyName.lru
  /// The number of shards, rounded up to a power of two. Default: 32.
  public var shardCount = 32
  /// Nanoseconds of a monotonic clock. Default: the system's coarse clock, read without a system
  /// call.
  public var clock: @Sendable () -> UInt64 = { MonotonicClock.coarseNanoseconds }

  /// Creates the default configuration.
  public init() {}
}

/// A cache of values in memory, within a limit of bytes that is never exceeded; thread-safe.
///
/// A hit is one lookup under the lock of a shard, without a system call, a task or another thread.
/// An entry larger than its share is not stored, and the outdated one under its key is removed.
public final class MemoryCache<Value: Sendable>: MemoryConsuming {
  private let store: MemoryStore

  /// Creates an empty cache.
  public init(_ configuration: MemoryCacheConfiguration = MemoryCacheConfiguration()) {
    store = MemoryStore(configuration)
  }

  /// Returns the value of a key; `nil` where there is none or it has expired.
  public func value(for key: MemoryKey) -> Value? {
    store.value(for: key).map { unsafeDowncast($0, to: Box<Value>.self).value }
  }

  /// Stores a value, replacing that of the key; evicts others where there is no room.
  ///
  /// - Parameters:
  ///   - byteCount: Its cost.
  ///   - lifetime: Its lifetime. Default: that of the configuration.
  /// - Returns: Whether it is stored.
  @discardableResult
  public func insert(
    _ value: Value, for key: MemoryKey, byteCount: Int, lifetime: Duration? = nil
  ) -> Bool {
    store.insert(Box(value), for: key, byteCount: byteCount, lifetime: lifetime)
  }

  /// Removes the value of a key, if any.
  public func remove(_ key: MemoryKey) { store.remove(key) }

  /// Removes everything.
  public func removeAll() { store.removeAll() }

  /// The total cost of the entries, in bytes; never more than the limit.
  public var byteCount: Int { store.byteCount }

  /// The number of entries, including expired ones that were not looked up since.
  public var count: Int { store.count }

  /// Counts of hits, misses and evictions.
  public var statistics: MemoryStatistics { store.statistics }

  /// Sets the limit of bytes and evicts what exceeds it.
  public func setMaximumByteCount(_ limit: Int) { store.setMaximumByteCount(limit) }

  /// Sets the limit of entries and evicts what exceeds it.
  public func setMaximumCount(_ limit: Int) { store.setMaximumCount(limit) }
}

/// Counts of a memory cache since its creation.
public struct MemoryStatistics: Sendable, Hashable {
  /// Lookups that found a value.
  public var hitCount = 0
  /// Lookups that found no value or an expired one.
  public var missCount = 0
  /// Entries that were evicted for want of room.
  public var evictionCount = 0
}

/// A value of one type in a store of values of any type. A store belongs to one cache, so all its
/// boxes have the same type.
private final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
