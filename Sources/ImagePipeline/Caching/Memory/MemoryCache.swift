/// The memory tier: values by key, within a limit of bytes that is never exceeded, from any thread.
///
/// A hit is one look-up under a lock that few share: no system call, no task, no other thread.
///
/// An entry that is larger than its share is not kept, and what was kept under its key goes: it is out of date.
public final class MemoryCache<Value: Sendable>: MemoryConsuming {
  private let store: MemoryStore

  /// Creates an empty tier.
  public init(_ configuration: MemoryCacheConfiguration = MemoryCacheConfiguration()) {
    store = MemoryStore(configuration)
  }

  /// The value of a key; `nil` where there is none, or none any more.
  public func value(for key: MemoryKey) -> Value? {
    store.value(for: key).map { unsafeDowncast($0, to: Box<Value>.self).value }
  }

  /// Keeps a value, in place of the one that the key had; others go where there is no room for it.
  ///
  /// - Parameters:
  ///   - byteCount: What it costs; shared parts count once, see ``MemoryCost``.
  ///   - lifetime: How long it is good for. Default: what the configuration says.
  /// - Returns: Whether it is kept.
  @discardableResult
  public func insert(
    _ value: Value, for key: MemoryKey, byteCount: Int, lifetime: Duration? = nil
  ) -> Bool {
    store.insert(Box(value), for: key, byteCount: byteCount, lifetime: lifetime)
  }

  /// Removes the value of a key, where there is one.
  public func remove(_ key: MemoryKey) { store.remove(key) }

  /// Removes everything.
  public func removeAll() { store.removeAll() }

  /// What the entries cost together, in bytes; never more than the limit.
  public var byteCount: Int { store.byteCount }

  /// Entries, those included that have ended and were not asked for since.
  public var count: Int { store.count }

  /// What the tier has done so far.
  public var statistics: MemoryStatistics { store.statistics }

  /// Sets another limit of bytes; what does not fit goes at once.
  public func setMaximumByteCount(_ limit: Int) { store.setMaximumByteCount(limit) }

  /// Sets another limit of entries; what does not fit goes at once.
  public func setMaximumCount(_ limit: Int) { store.setMaximumCount(limit) }
}

/// What a memory tier has done since it was made.
public struct MemoryStatistics: Sendable, Hashable {
  /// Look-ups that found a value.
  public var hitCount = 0
  /// Look-ups that found none, or one that had ended.
  public var missCount = 0
  /// Entries that went because there was no room.
  public var evictionCount = 0
}

/// A value of one type among values of any. A store belongs to one cache, so all of its boxes are of one type.
private final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
