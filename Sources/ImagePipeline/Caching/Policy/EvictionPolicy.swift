/// Whom to let go when there is no room, as a rank for each entry: the lowest goes first.
///
/// A policy is a value without clock or storage. Whoever runs on it keeps the ranks in order in its own way (the
/// disk in its index, memory in a heap or a list) and reports what happens; so one type serves all of them.
public protocol EvictionPolicy: Sendable {
  /// The name that options and traces use, such as `lru`.
  var name: String { get }

  /// What an entry must at least be worth to stay, where the policy ages its ranks by it; kept with the ranks.
  var inflation: Double { get set }

  /// Whether accesses count on when an entry comes back after its eviction. Default: no.
  var remembersEvicted: Bool { get }

  /// The rank of an entry after it came or was asked for again.
  func rank(of entry: EvictionFacts) -> Double

  /// Learns the rank of an entry that was let go.
  mutating func evicted(rank: Double)
}

extension EvictionPolicy {
  /// Fame ends with eviction.
  public var remembersEvicted: Bool { false }
}

/// What a policy may know of an entry.
public struct EvictionFacts: Sendable, Hashable {
  /// Bytes that the entry takes up.
  public var byteCount: Int
  /// How often it was asked for, its coming included.
  public var accessCount: Int
  /// When it was last asked for: a time or a sequence number, growing.
  public var lastAccess: Double

  /// All facts of an entry.
  public init(byteCount: Int, accessCount: Int, lastAccess: Double) {
    self.byteCount = byteCount
    self.accessCount = accessCount
    self.lastAccess = lastAccess
  }
}
