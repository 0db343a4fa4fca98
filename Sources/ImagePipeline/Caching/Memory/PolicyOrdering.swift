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

extension EvictionPolicyName {
  /// An empty order under this policy.
  func ordering(capacity: Int) -> any PolicyOrdering {
    switch self {
    case .lru: PolicyCache(LRUReplacement(), capacity: capacity)
    case .sieve: PolicyCache(SIEVEReplacement(), capacity: capacity)
    case .s3FIFO: PolicyCache(S3FIFOReplacement(), capacity: capacity)
    case .arc: PolicyCache(ARCReplacement(), capacity: capacity)
    case .slru: PolicyCache(SLRUReplacement(), capacity: capacity)
    case .wTinyLFU: PolicyCache(WTinyLFUReplacement(), capacity: capacity)
    case .gdsf: PolicyCache(RankReplacement(GDSFPolicy()), capacity: capacity)
    case .gdsfTB(let exponent):
      PolicyCache(GDSFTBReplacement(exponent: exponent), capacity: capacity)
    case .lhdTB(let exponent):
      PolicyCache(LHDTBReplacement(exponent: exponent), capacity: capacity)
    }
  }
}
