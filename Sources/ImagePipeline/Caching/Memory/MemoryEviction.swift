/// The policies that a memory tier can run on.
public enum MemoryEviction: String, Sendable, CaseIterable {
  /// Who was not asked for the longest goes. The default.
  case lru
  /// First in, first out, but for those that were asked for since the hand last passed.
  case sieve
  /// A small queue on trial before the main one.
  case s3FIFO = "s3-fifo"
  /// Recency and frequency, balanced by what was let go too early.
  case arc
  /// Those asked for twice are safe from those asked for once.
  case slru
  /// Newcomers must be asked for more often than what they would push out.
  case wTinyLFU = "w-tinylfu"
  /// Small and often wanted entries stay.
  case gdsf
  /// The same with counts that outlive eviction, and a bypass for what is worth less than what it would push out.
  case gdsfTB = "gdsf-tb"
}

/// A policy's order over slots, whichever policy it is. See ``PolicyCache`` for what its members mean.
protocol PolicyOrdering: Sendable {
  var count: Int { get }
  var size: Int { get }
  var evicted: [Int32] { get }
  func slot(of key: UInt64) -> Int32?
  mutating func hit(_ slot: Int32)
  mutating func insert(_ key: UInt64, size: Int) -> Int32?
  mutating func remove(_ slot: Int32)
  mutating func resize(_ slot: Int32, to size: Int)
  mutating func setCapacity(_ capacity: Int)
  mutating func evictOne()
}

extension PolicyCache: PolicyOrdering {}

extension MemoryEviction {
  func ordering(capacity: Int) -> any PolicyOrdering {
    switch self {
    case .lru: PolicyCache(LRUReplacement(), capacity: capacity)
    case .sieve: PolicyCache(SIEVEReplacement(), capacity: capacity)
    case .s3FIFO: PolicyCache(S3FIFOReplacement(), capacity: capacity)
    case .arc: PolicyCache(ARCReplacement(), capacity: capacity)
    case .slru: PolicyCache(SLRUReplacement(), capacity: capacity)
    case .wTinyLFU: PolicyCache(WTinyLFUReplacement(), capacity: capacity)
    case .gdsf: PolicyCache(RankReplacement(GDSFPolicy()), capacity: capacity)
    case .gdsfTB: PolicyCache(GDSFTBReplacement(), capacity: capacity)
    }
  }
}
