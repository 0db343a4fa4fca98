/// Least recently used: the entry goes that was not asked for the longest.
public struct LRUPolicy: EvictionPolicy {
  /// What options call it.
  public let name = "lru"
  /// Not used: this policy does not age.
  public var inflation = 0.0

  /// The only one there is.
  public init() {}

  /// The time of the last access.
  public func rank(of entry: EvictionFacts) -> Double { entry.lastAccess }

  /// No effect.
  public mutating func evicted(rank: Double) {}
}
