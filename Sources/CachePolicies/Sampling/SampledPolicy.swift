/// An eviction policy that compares a few residents at the moment of eviction: the one worth the
/// least is evicted. It depends on nothing but notes, sizes and the logical time, so its entries
/// can be in memory that several processes share.
package protocol SampledPolicy: Sendable, ReplayablePolicy {
  /// Whether the notes of evicted entries matter when they return. Default: yes.
  var remembersEvicted: Bool { get }

  /// The number that all processes on a store agree on, each taking the greatest. Default: 0.
  var clock: Double { get set }

  /// The estimates, to be stored until another process continues with them. Setting it to anything
  /// else has no effect. Default: nothing.
  var snapshot: [UInt8] { get set }

  /// Updates the note of a requested entry, before ``EvictionNote/asked`` is set: its own, that of
  /// its ghost, or an empty one, which is not known.
  mutating func requested(_ note: inout EvictionNote, isKnown: Bool, at now: UInt32, residents: Int)

  /// What an entry is worth now. Among equals the one whose last request is the oldest goes first.
  func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float

  /// Records an eviction. Default: does nothing.
  mutating func evicted(_ note: EvictionNote, byteCount: Int, at now: UInt32)

  /// Updates the estimates from residents and ghosts when that is due; called once a request.
  /// Default: does nothing.
  mutating func learn(from table: some EvictionTable, at now: UInt32)

  /// Records that a ghost is replaced by another. Default: does nothing.
  mutating func forgot(_ ghost: EvictionNote, at now: UInt32)
}

extension SampledPolicy {
  package var remembersEvicted: Bool { true }
  package var clock: Double {
    get { 0 }
    set {}
  }
  package var snapshot: [UInt8] {
    get { [] }
    set {}
  }
  package mutating func evicted(_ note: EvictionNote, byteCount: Int, at now: UInt32) {}
  package mutating func learn(from table: some EvictionTable, at now: UInt32) {}
  package mutating func forgot(_ ghost: EvictionNote, at now: UInt32) {}

  package func emptyCache(capacity: Int, expectedCount: Int) -> SampledCache<Self> {
    SampledCache(self, capacity: capacity)
  }
}
