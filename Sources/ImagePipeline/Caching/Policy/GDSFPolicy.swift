/// Greedy dual size frequency: small and often wanted entries stay, and worth fades as others go.
///
/// Source: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy", 1998.
public struct GDSFPolicy: EvictionPolicy {
  public let name = "gdsf"
  public var inflation = 0.0

  /// Begins without any aging.
  public init() {}

  public func rank(of entry: EvictionFacts) -> Double {
    inflation + Double(entry.accessCount) / Double(max(entry.byteCount, 1))
  }

  public mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
