/// The memory of a store that evicts by sample: its residents in a dense array, and its ghosts.
///
/// An insertion appends; a removal moves the last resident to the place of the removed one. The
/// disk tier has it in a mapped file, the simulator in arrays (``SampledCache``).
package protocol EvictionTable {
  /// The number of residents: their indices are lower.
  var count: Int { get }
  /// Returns the 64-bit hash of a resident's key.
  func key(at index: Int) -> UInt64
  /// Returns what a resident takes of the capacity.
  func byteCount(at index: Int) -> Int
  subscript(note index: Int) -> EvictionNote { get set }

  /// The number of places for ghosts: a power of two, at least ``ghostSetCount``.
  var ghostCount: Int { get }
  /// The word of a place for a ghost, see ``EvictionGhost``. All are 0 at first.
  subscript(ghost index: Int) -> UInt64 { get set }
}

extension EvictionTable {
  /// The number of places that a key's ghost may be in.
  @inlinable package static var ghostSetCount: Int { 4 }

  @inlinable @inline(__always)
  func ghostSet(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: key) & (ghostCount &- 1) & ~(Self.ghostSetCount &- 1)
  }

  @inlinable
  package mutating func removeGhost(of key: UInt64) -> EvictionNote? {
    let first = ghostSet(of: key)
    for index in first..<first + Self.ghostSetCount {
      let ghost = EvictionGhost(word: self[ghost: index])
      guard ghost.isOf(key) else { continue }
      self[ghost: index] = 0
      return ghost.note
    }
    return nil
  }

  /// Remembers an evicted entry in the place of its set that is empty or the least recent; returns
  /// what was there.
  @inlinable
  package mutating func remember(
    _ key: UInt64, _ note: EvictionNote, at now: UInt32
  ) -> EvictionNote? {
    let first = ghostSet(of: key)
    var (place, age) = (first, UInt32(0))
    var replaced: EvictionNote?
    for index in first..<first + Self.ghostSetCount {
      let word = self[ghost: index]
      if word == 0 {
        (place, replaced) = (index, nil)
        break
      }
      let note = EvictionGhost(word: word).note
      if note.age(at: now) >= age {
        (place, age, replaced) = (index, note.age(at: now), note)
      }
    }
    self[ghost: place] = EvictionGhost(key: key, note: note).word
    return replaced
  }
}

/// The sizes of a table as it grows, the same in every store.
package enum EvictionTableSize {
  /// The number of entries that a new table has room for; it doubles when they do not suffice.
  package static let minimumEntryCount = 256

  /// Returns the number of places for ghosts beside room for so many entries, a power of two. When
  /// a table doubles, the words of its ghosts are copied to both halves: the next bit of a key is
  /// not in them, and the copy in the wrong half is replaced in time.
  package static func ghostCount(entryCapacity: Int) -> Int {
    8 * entryCapacity
  }
}
