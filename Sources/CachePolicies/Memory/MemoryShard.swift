import CPlatform
import Synchronization

/// A value in a shard: a reference, so that a hit copies one word.
@usableFromInline
typealias MemoryObject = any AnyObject & Sendable

/// A part of a memory tier: the values of some keys, and the hits that the eviction order has not
/// processed yet.
struct MemoryShard: Sendable {
  struct Entry: Sendable {
    let value: MemoryObject
    /// When it expires, in nanoseconds of the tier's clock, or `never`.
    let expires: UInt64
    /// Its slot in the eviction order.
    let slot: Int32
  }

  /// A hit that the eviction order has not processed yet.
  struct Access: Sendable {
    let key: MemoryKey
    let slot: Int32
    let tick: UInt64
  }

  static let never = UInt64.max

  /// Hits that are gathered before the eviction order processes them.
  private static let batch = 64

  private var entries: [MemoryKey: Entry] = [:]
  private var accesses: [Access] = []
  private(set) var hitCount = 0
  private(set) var missCount = 0

  init() { accesses.reserveCapacity(4 * Self.batch) }

  /// Looks up a key and records the hit.
  @inline(__always)
  mutating func entry(for key: MemoryKey, tick: UInt64) -> Entry? {
    guard let entry = entries[key] else {
      missCount &+= 1
      return nil
    }
    hitCount &+= 1
    // Another thread may hold the order for long: then hits are dropped rather than waited for.
    if accesses.count < 4 * Self.batch {
      accesses.append(Access(key: key, slot: entry.slot, tick: tick))
    }
    return entry
  }

  /// Whether the eviction order should process the hits now.
  var isFull: Bool { accesses.count & (Self.batch - 1) == 0 && !accesses.isEmpty }

  /// Counts the hit just recorded as a miss, since its entry has expired.
  mutating func noteExpired() {
    hitCount &-= 1
    missCount &+= 1
  }

  /// Stores a value and returns the one that it replaces.
  mutating func store(_ entry: Entry, for key: MemoryKey) -> MemoryObject? {
    entries.updateValue(entry, forKey: key)?.value
  }

  /// Removes a value and returns it.
  mutating func remove(_ key: MemoryKey) -> MemoryObject? {
    entries.removeValue(forKey: key)?.value
  }

  /// Whether an entry has expired.
  func isExpired(_ key: MemoryKey, now: UInt64) -> Bool {
    entries[key].map { $0.expires <= now } ?? false
  }

  /// Removes all values and returns them.
  mutating func removeAll() -> [MemoryObject] {
    defer { entries.removeAll() }
    accesses.removeAll(keepingCapacity: true)
    return entries.values.map(\.value)
  }

  /// Moves the gathered hits into an array.
  mutating func take(into all: inout [Access]) {
    all.append(contentsOf: accesses)
    accesses.removeAll(keepingCapacity: true)
  }
}

/// A shard and its lock, on cache lines of its own so that threads in different lanes do not slow
/// each other.
///
/// It is in memory that its owner allocates, not in an object: counting references to objects that
/// all threads share would cost more than the rest of a hit.
struct MemoryLane: ~Copyable {
  private let mutex = Mutex(MemoryShard())
  private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  /// Calls a body with the shard, locked; `address` is that of this lane, for the thread sanitizer.
  /// See ``Locked``.
  @inline(__always)
  func withShard<Result>(
    _ address: UnsafeMutablePointer<MemoryLane>, _ body: (inout MemoryShard) -> sending Result
  ) -> sending Result {
    mutex.withLock { shard in
      imgc_sanitizer_acquire(address)
      defer { imgc_sanitizer_release(address) }
      return body(&shard)
    }
  }
}
