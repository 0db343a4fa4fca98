/// A ``PolicyCache`` under any policy. Its members are documented there.
protocol EvictionOrder: Sendable {
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

extension EvictionPolicy {
  func order(capacity: Int, expectedCount: Int = 0) -> any EvictionOrder {
    func order(_ algorithm: some Replacement) -> any EvictionOrder {
      algorithm.emptyCache(capacity: capacity, expectedCount: expectedCount)
    }
    return order(algorithm)
  }
}
