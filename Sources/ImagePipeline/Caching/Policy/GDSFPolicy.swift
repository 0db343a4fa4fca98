/// Greedy dual size frequency: small and often wanted entries stay, and worth fades as others go.
///
/// Source: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy", 1998.
public struct GDSFPolicy: EvictionPolicy {
  /// What options call it.
  public let name = "gdsf"
  /// What the last that went was worth.
  public var inflation = 0.0

  /// Begins without any aging.
  public init() {}

  /// Accesses for each byte, above what is let go at the time.
  public func rank(of entry: EvictionFacts) -> Double {
    inflation + Double(entry.accessCount) / Double(max(entry.byteCount, 1))
  }

  /// Raises the bar to this rank.
  public mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
