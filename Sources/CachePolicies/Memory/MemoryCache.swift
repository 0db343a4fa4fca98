import CPlatform
public import ImageModel

/// The memory tier: values by key, within a limit of bytes that is never exceeded, from any thread.
///
/// A hit is one look-up under a lock that few threads share: no system call, no task, no other
/// thread, and no count of references but the value's own.
///
/// An entry larger than ``MemoryCacheConfiguration/maximumEntryShare`` is not stored, and the entry
/// that its key had is removed, since it is out of date.
public final class MemoryCache<Value: Sendable>: MemoryConsuming {
  @usableFromInline let store: MemoryStore

  /// Creates an empty tier.
  public init(_ configuration: MemoryCacheConfiguration = MemoryCacheConfiguration()) {
    store = MemoryStore(configuration)
  }

  /// Returns the value of a key; `nil` when there is none, or when it has expired.
  @inlinable public func value(for key: MemoryKey) -> Value? {
    var value: Value?
    store.read(key) { box in
      value = box._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Box<Value>.self).value }
    }
    return value
  }

  /// Stores a value, replacing the one that the key had; evicts others when there is no room.
  ///
  /// `byteCount` is its cost. The default `lifetime` is that of the configuration.
  ///
  /// - Returns: Whether it was stored.
  @discardableResult
  public func insert(
    _ value: Value, for key: MemoryKey, byteCount: Int, lifetime: Duration? = nil
  ) -> Bool {
    store.insert(Box(value), for: key, byteCount: byteCount, lifetime: lifetime)
  }

  /// Removes the value of a key, if any.
  public func remove(_ key: MemoryKey) { store.remove(key) }

  /// Removes the values that meet a condition; look-ups wait meanwhile.
  ///
  /// - Returns: How many they were.
  @discardableResult
  public func removeAll(where isOut: (Value) -> Bool) -> Int {
    store.removeAll { isOut(unsafeDowncast($0, to: Box<Value>.self).value) }
  }

  /// Removes everything.
  public func removeAll() { store.removeAll() }

  /// The sum of the entries' costs, in bytes; never more than the limit.
  public var byteCount: Int { store.byteCount }

  /// The number of entries, including expired ones that were not accessed since.
  public var count: Int { store.count }

  /// The counts since the tier was created.
  public var statistics: MemoryStatistics { store.statistics }

  /// Sets another limit of bytes; evicts at once what does not fit.
  public func setMaximumByteCount(_ limit: Int) { store.setMaximumByteCount(limit) }
}

/// The limits of a memory tier, and the lifetime of its entries.
public struct MemoryCacheConfiguration: Sendable {
  /// The limit of the sum of the entries' costs, in bytes; 0 stores nothing. Default: a quarter of
  /// what the process may use (its control group's limit, or the machine's memory), at most 512 MiB.
  public var maximumByteCount = Self.defaultByteCount
  /// The limit of the number of entries. Default: none.
  public var maximumCount = Int.max
  /// The part of ``maximumByteCount`` that one entry may take, 0 through 1; a larger one is not
  /// stored. Default: 0.5.
  public var maximumEntryShare = 0.5
  /// The lifetime of an entry that specifies none. Default: for ever.
  public var lifetime: Duration?
  /// The eviction policy. Default: the least recently used entry is evicted.
  public var policy = EvictionPolicy.lru
  /// Threads that can look up at the same time without sharing a lock; rounded up to a power of
  /// two. Default: 32.
  public var shardCount = 32
  /// Nanoseconds on a clock that never goes back. Default: the system's, to a few milliseconds,
  /// without a system call.
  public var clock: @Sendable () -> UInt64 = { imgc_clock_coarse() }

  private static let defaultByteCount = MemoryReading.current().budget

  /// Creates a configuration with the defaults.
  ///
  /// - Parameter maximumByteCount: In place of the default of ``maximumByteCount``.
  public init(maximumByteCount: Int? = nil) {
    if let maximumByteCount { self.maximumByteCount = maximumByteCount }
  }
}

/// The counts of a memory tier since it was created.
public struct MemoryStatistics: Sendable, Hashable {
  /// Look-ups that found a value.
  public var hitCount = 0
  /// Look-ups that found no value, or an expired one.
  public var missCount = 0
  /// Entries evicted because there was no room.
  public var evictionCount = 0
}

/// A value as an object. A store belongs to one cache, so all of its boxes have one type.
@usableFromInline
final class Box<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) { self.value = value }
}
