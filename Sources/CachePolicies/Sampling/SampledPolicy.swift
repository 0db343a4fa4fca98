/// An eviction policy that compares a few residents at the moment of eviction: the one worth the
/// least is evicted. It depends on nothing but notes, sizes and the logical time, so its entries
/// can be in memory that several processes share.
package protocol SampledPolicy: Sendable {
  /// The name that options use, such as `lru`.
  var name: String { get }

  /// Whether what is known of evicted entries matters when they return. Default: yes.
  var remembersEvicted: Bool { get }

  /// The number that all processes on a store agree on. It never falls: each takes the greatest.
  /// Default: 0.
  var clock: Double { get set }

  /// What was learned, to be kept until another process continues with it. Setting it to anything
  /// else has no effect. Default: nothing.
  var snapshot: [UInt8] { get set }

  /// Updates the note of an entry that is requested, before ``EvictionNote/asked`` is the present.
  ///
  /// - Parameters:
  ///   - note: Its note as a resident, that of its ghost, or an empty one.
  ///   - origin: Which of them.
  ///   - residents: The number of residents.
  mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int)

  /// Returns what an entry is worth now. Among equals the one whose last request is the oldest goes
  /// first.
  mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float

  /// Whether the entry that is worth the least stays this once; its note is changed so that it is
  /// worth more. Default: no.
  mutating func spares(_ note: inout EvictionNote, byteCount: Int, at now: UInt32) -> Bool

  /// Learns of an eviction, and updates the note that the ghost is made of.
  mutating func evicted(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32, residents: Int)

  /// Whether ``learn(from:at:)`` is to be called; asked once a request. Default: no.
  mutating func isLearningDue() -> Bool

  /// Learns from all residents and ghosts, or from a sample of them.
  mutating func learn(from table: some EvictionTable, at now: UInt32)

  /// Learns that a ghost gives way to another. Default: nothing.
  mutating func forgot(_ ghost: EvictionNote, at now: UInt32)
}

/// Where a requested entry's note is from.
package enum NoteOrigin: Sendable {
  /// The entry is a resident.
  case resident
  /// It is a newcomer that was evicted before.
  case ghost
  /// Nothing is known of it.
  case unknown
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
  package mutating func spares(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32
  ) -> Bool { false }
  package mutating func evicted(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32, residents: Int
  ) {}
  package mutating func isLearningDue() -> Bool { false }
  package mutating func learn(from table: some EvictionTable, at now: UInt32) {}
  package mutating func forgot(_ ghost: EvictionNote, at now: UInt32) {}
}
