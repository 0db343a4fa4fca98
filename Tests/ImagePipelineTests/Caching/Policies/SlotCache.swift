@testable import ImagePipeline

/// A ``PolicyCache`` whose policy is chosen by name, so that one test runs on all of them.
class SlotCache {
  /// Makes one that runs on a policy.
  static func make(
    _ name: EvictionPolicyName, capacity: Int, expectedCount: Int = 0
  ) -> SlotCache {
    func cache<Policy: ReplacementPolicy>(_ policy: Policy) -> SlotCache {
      TypedSlotCache(PolicyCache(policy, capacity: capacity, expectedCount: expectedCount))
    }
    return switch name {
    case .lru: cache(LRUReplacement())
    case .sieve: cache(SIEVEReplacement())
    case .s3FIFO: cache(S3FIFOReplacement())
    case .arc: cache(ARCReplacement())
    case .slru: cache(SLRUReplacement())
    case .wTinyLFU: cache(WTinyLFUReplacement())
    case .gdsf: cache(RankReplacement(GDSFPolicy()))
    case .gdsfTB(let exponent): cache(GDSFTBReplacement(exponent: exponent))
    case .lhdTB(let exponent): cache(LHDTBReplacement(exponent: exponent))
    }
  }

  fileprivate init() {}

  /// Entries.
  var count: Int { 0 }
  /// What their sizes sum up to.
  var size: Int { 0 }
  /// What they may sum up to.
  var capacity: Int { 0 }
  /// Every slot is lower.
  var slotCount: Int { 0 }
  /// See ``PolicyCache/evicted``.
  var evicted: [Int32] { [] }
  /// See ``PolicyCache/slot(of:)``.
  func slot(of key: UInt64) -> Int32? { nil }
  /// See ``PolicyCache/size(of:)``.
  func size(of slot: Int32) -> Int { 0 }
  /// See ``PolicyCache/hit(_:)``.
  func hit(_ slot: Int32) {}
  /// See ``PolicyCache/insert(_:size:)``.
  func insert(_ key: UInt64, size: Int) -> Int32? { nil }
  /// See ``PolicyCache/remove(_:)``.
  func remove(_ slot: Int32) {}
  /// See ``PolicyCache/evictOne()``.
  func evictOne() {}
  /// See ``PolicyCache/resize(_:to:)``.
  func resize(_ slot: Int32, to size: Int) {}
  /// See ``PolicyCache/setCapacity(_:)``.
  func setCapacity(_ capacity: Int) {}
  /// See ``PolicyCache/access(_:size:evictions:)``.
  func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool { false }
}

private final class TypedSlotCache<Policy: ReplacementPolicy>: SlotCache {
  private var cache: PolicyCache<Policy>

  init(_ cache: PolicyCache<Policy>) { self.cache = cache }

  override var count: Int { cache.count }
  override var size: Int { cache.size }
  override var capacity: Int { cache.capacity }
  override var slotCount: Int { cache.slotCount }
  override var evicted: [Int32] { cache.evicted }
  override func slot(of key: UInt64) -> Int32? { cache.slot(of: key) }
  override func size(of slot: Int32) -> Int { cache.size(of: slot) }
  override func hit(_ slot: Int32) { cache.hit(slot) }
  override func insert(_ key: UInt64, size: Int) -> Int32? { cache.insert(key, size: size) }
  override func remove(_ slot: Int32) { cache.remove(slot) }
  override func evictOne() { cache.evictOne() }
  override func resize(_ slot: Int32, to size: Int) { cache.resize(slot, to: size) }
  override func setCapacity(_ capacity: Int) { cache.setCapacity(capacity) }
  override func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool {
    cache.access(key, size: size, evictions: &evictions)
  }
}

extension PolicyCache {
  /// One request, where nobody asks who went for it.
  mutating func access(_ key: UInt64, size: Int) -> Bool {
    var evictions = 0
    return access(key, size: size, evictions: &evictions)
  }
}
