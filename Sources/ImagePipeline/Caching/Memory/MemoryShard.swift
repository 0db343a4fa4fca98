/// What a shard holds: a reference, so that a hit copies one word.
typealias MemoryObject = any AnyObject & Sendable

/// A part of a memory tier: the values of some keys, and who asked for them since the order of eviction was last told.
struct MemoryShard: Sendable {
  struct Entry: Sendable {
    let value: MemoryObject
    /// When it ends, in nanoseconds of the tier's clock; `never` for never.
    let expires: UInt64
    /// Its place in the order of eviction.
    let slot: Int32
  }

  /// A hit that the order of eviction has not heard of yet.
  struct Access: Sendable {
    let key: MemoryKey
    let slot: Int32
    let tick: UInt64
  }

  static let never = UInt64.max

  /// Hits that are gathered before the order is told.
  private static let batch = 64

  private var entries: [MemoryKey: Entry] = [:]
  private var accesses: [Access] = []
  private(set) var hitCount = 0
  private(set) var missCount = 0

  init() { accesses.reserveCapacity(4 * Self.batch) }

  /// Looks a key up and notes the hit.
  @inline(__always)
  mutating func entry(for key: MemoryKey, tick: UInt64) -> Entry? {
    guard let entry = entries[key] else {
      missCount &+= 1
      return nil
    }
    hitCount &+= 1
    // Others may hold the order for long: then some hits are forgotten, and nobody waits.
    if accesses.count < 4 * Self.batch {
      accesses.append(Access(key: key, slot: entry.slot, tick: tick))
    }
    return entry
  }

  /// Whether the order should be told of the hits.
  var isFull: Bool { accesses.count & (Self.batch - 1) == 0 && !accesses.isEmpty }

  /// The entry that was just found has ended.
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

  /// Whether an entry has ended.
  func isExpired(_ key: MemoryKey, now: UInt64) -> Bool {
    entries[key].map { $0.expires <= now } ?? false
  }

  /// Removes all values and returns them.
  mutating func removeAll() -> [MemoryObject] {
    defer { entries.removeAll() }
    accesses.removeAll(keepingCapacity: true)
    return entries.values.map(\.value)
  }

  /// Moves the gathered hits to others that were gathered elsewhere.
  mutating func take(into all: inout [Access]) {
    all.append(contentsOf: accesses)
    accesses.removeAll(keepingCapacity: true)
  }
}
