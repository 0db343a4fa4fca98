/// Least recently used: the entry goes that was not asked for the longest.
public struct LRUPolicy: EvictionPolicy {
  public let name = "lru"
  public var inflation = 0.0

  /// The only one there is.
  public init() {}

  public func rank(of entry: EvictionFacts) -> Double { entry.lastAccess }

  public mutating func evicted(rank: Double) {}
}
