/// The eviction order of a memory tier: its keys, limits and policy, without the values.
struct MemoryOrder: Sendable {
  private var cache: any EvictionOrder
  /// The whole key of each slot; the policy has half of it.
  private var keys: [MemoryKey?] = []
  private var leaving: [MemoryKey] = []
  private var maximumByteCount: Int
  private let maximumCount: Int
  private let share: Double
  private let policy: EvictionPolicy

  private(set) var evictionCount = 0

  init(_ configuration: MemoryCacheConfiguration) {
    maximumByteCount = max(0, configuration.maximumByteCount)
    maximumCount = max(0, configuration.maximumCount)
    share = min(max(configuration.maximumEntryShare, 0), 1)
    policy = configuration.policy
    cache = policy.order(capacity: maximumByteCount)
  }

  var byteCount: Int { cache.size }
  var count: Int { cache.count }

  /// Notes an access; ignores a key that was evicted in the meantime.
  mutating func hit(_ slot: Int32, _ key: MemoryKey) {
    guard Int(slot) < keys.count, keys[Int(slot)] == key else { return }
    cache.hit(slot)
  }

  /// Inserts a key, or changes the cost of one; `nil` when its value is not to be stored.
  mutating func insert(_ key: MemoryKey, byteCount: Int) -> Int32? {
    let size = max(0, byteCount)
    guard maximumByteCount > 0, maximumCount > 0, Double(size) <= Double(maximumByteCount) * share
    else {
      remove(key)
      return nil
    }
    if let slot = cache.slot(of: key.low) {
      if keys[Int(slot)] == key {
        // First, or an old entry that grows would be evicted before others.
        cache.hit(slot)
        cache.resize(slot, to: size)
        recordEviction()
        return keys[Int(slot)] == key ? slot : nil
      }
      leave(slot)
    }
    let slot = cache.insert(key.low, size: size)
    recordEviction()
    guard let slot else { return nil }
    while keys.count <= Int(slot) { keys.append(nil) }
    keys[Int(slot)] = key
    while cache.count > maximumCount {
      cache.evictOne()
      recordEviction()
    }
    return keys[Int(slot)] == key ? slot : nil
  }

  mutating func remove(_ key: MemoryKey) {
    guard let slot = cache.slot(of: key.low), keys[Int(slot)] == key else { return }
    leave(slot)
  }

  mutating func removeAll() {
    cache = policy.order(capacity: maximumByteCount)
    keys = []
    leaving = []
  }

  mutating func setMaximumByteCount(_ limit: Int) {
    maximumByteCount = max(0, limit)
    cache.setCapacity(maximumByteCount)
    recordEviction()
  }

  mutating func drainEvicted() -> [MemoryKey] {
    defer { leaving.removeAll(keepingCapacity: true) }
    return leaving
  }

  private mutating func leave(_ slot: Int32) {
    if let key = keys[Int(slot)] { leaving.append(key) }
    keys[Int(slot)] = nil
    cache.remove(slot)
  }

  private mutating func recordEviction() {
    // A newcomer may be among them that has no slot here yet.
    for slot in cache.evicted where Int(slot) < keys.count {
      if let key = keys[Int(slot)] { leaving.append(key) }
      keys[Int(slot)] = nil
      evictionCount += 1
    }
  }
}
