/// An eviction policy that compares a few residents at the moment of eviction: the one worth the
/// least is evicted. It depends on nothing but notes, sizes and the logical time, so its entries
/// can be in memory that several processes share.
package protocol SampledPolicy: Sendable {
  /// The name that options use, such as `lru`.
  var name: String { get }

  /// Whether the notes of evicted entries matter when they return. Default: yes.
  var remembersEvicted: Bool { get }

  /// The number that all processes on a store agree on. It never falls: each takes the greatest.
  /// Default: 0.
  var clock: Double { get set }

  /// The estimates, to be stored until another process continues with them. Setting it to anything
  /// else has no effect. Default: nothing.
  var snapshot: [UInt8] { get set }

  /// Updates the note of a requested entry, before ``EvictionNote/asked`` is set to the present.
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

  /// Records an eviction, and updates the note from which the ghost is made.
  mutating func evicted(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32, residents: Int)

  /// Whether a call of ``learn(from:at:)`` is due; called once a request. Default: no.
  mutating func isLearningDue() -> Bool

  /// Updates the estimates from all residents and ghosts, or from a sample of them.
  mutating func learn(from table: some EvictionTable, at now: UInt32)

  /// Records that a ghost is replaced by another. Default: does nothing.
  mutating func forgot(_ ghost: EvictionNote, at now: UInt32)
}

/// Where a requested entry's note is from.
package enum NoteOrigin: Sendable {
  /// The entry is a resident.
  case resident
  /// It is a newcomer that was evicted before.
  case ghost
  /// It is not noted.
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
