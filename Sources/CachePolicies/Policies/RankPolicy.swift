/// An eviction policy that is a rank for each entry: the lowest rank is evicted first.
///
/// A value without clock or storage. The cache keeps the ranks in order in its own way (the disk in
/// its index, memory and simulator in a heap, see ``RankReplacement``), so one type serves them
/// all.
package protocol RankPolicy: Sendable {
  /// The name that options and the disk's index use, such as `lru`.
  var name: String { get }

  /// The rank that entries are aged by, where the policy ages them; stored with the ranks.
  var inflation: Double { get set }

  /// Whether the access count of an evicted entry continues when the entry returns. Default: no.
  var remembersEvicted: Bool { get }

  /// Returns the rank of an entry after it was inserted or accessed.
  func rank(of entry: EvictionFacts) -> Double

  /// Updates the policy with the rank of an evicted entry.
  mutating func evicted(rank: Double)
}

extension RankPolicy {
  package var remembersEvicted: Bool { false }
}

/// What a rank may depend on.
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

/// Least recently used: evicts the entry whose last access is the oldest.
struct LRURank: RankPolicy {
  let name = "lru"
  var inflation = 0.0

  func rank(of entry: EvictionFacts) -> Double { entry.lastAccess }
  mutating func evicted(rank: Double) {}
}

/// Least frequently used since insertion, then least recently used. Never ages: for comparison in
/// the simulator.
struct LFURank: RankPolicy {
  let name = "lfu"
  var inflation = 0.0

  func rank(of entry: EvictionFacts) -> Double { Double(entry.accessCount) }
  mutating func evicted(rank: Double) {}
}

/// Greedy dual size frequency: accesses for each byte, aged by the ranks of evicted entries.
///
/// Source: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching
/// Policy", 1998.
struct GDSFRank: RankPolicy {
  let name = "gdsf"
  var inflation = 0.0

  func rank(of entry: EvictionFacts) -> Double {
    inflation + Double(entry.accessCount) / Double(max(entry.byteCount, 1))
  }

  mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
