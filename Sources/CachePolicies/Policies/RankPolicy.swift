/// An eviction policy that is a rank for each entry: the lowest rank is evicted first. A value
/// without clock or storage; see ``RankReplacement``.
package protocol RankPolicy: Sendable {
  /// Returns the rank of an entry after it was inserted or accessed.
  func rank(of entry: EvictionFacts) -> Double

  /// Updates the policy with the rank of an evicted entry.
  mutating func evicted(rank: Double)
}

/// The properties of an entry on which a rank may depend.
package struct EvictionFacts: Sendable, Hashable {
  /// The size of the entry in bytes.
  package var byteCount: Int
  /// The number of accesses, its insertion included.
  package var accessCount: Int
  /// The last access: a time or a sequence number, growing.
  package var lastAccess: Double

  package init(byteCount: Int, accessCount: Int, lastAccess: Double) {
    self.byteCount = byteCount
    self.accessCount = accessCount
    self.lastAccess = lastAccess
  }
}

/// Least frequently used since insertion, then least recently used. Never ages: for comparison in
/// the simulator.
struct LFURank: RankPolicy {
  func rank(of entry: EvictionFacts) -> Double { Double(entry.accessCount) }
  mutating func evicted(rank: Double) {}
}

/// Greedy dual size frequency: accesses for each byte, aged by the ranks of evicted entries.
///
/// Source: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching
/// Policy", 1998.
struct GDSFRank: RankPolicy {
  private var inflation = 0.0

  init() {}

  func rank(of entry: EvictionFacts) -> Double {
    inflation + Double(entry.accessCount) / Double(max(entry.byteCount, 1))
  }

  mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
