/// All that a store keeps of an entry for its eviction policy: 11 bytes, written by plain stores
/// when the entry is requested.
///
/// The meaning of the fields is defined by the policy, except ``asked``.
package struct EvictionNote: BitwiseCopyable, Sendable, Hashable {
  /// The logical time of the last request: the number of requests to the store, modulo 2³².
  package var asked: UInt32
  /// A number of the policy's own, such as its clock at the last request.
  package var credit: Float
  /// The number of requests in 256ths, as faded at the last one.
  package var count: UInt16
  package var kind: UInt8

  package init(asked: UInt32 = 0, credit: Float = 0, count: UInt16 = 0, kind: UInt8 = 0) {
    self.asked = asked
    self.credit = credit
    self.count = count
    self.kind = kind
  }

  @inlinable @inline(__always)
  package func age(at now: UInt32) -> UInt32 { now &- asked }

  /// Counts a request, to at most 15: a count halves with sixteen requests for each resident.
  @inline(__always)
  package mutating func countRequest(at now: UInt32, residents: Int) {
    let moments = age(at: now) / UInt32(clamping: max(residents, 16))
    count = UInt16(truncatingIfNeeded: FadingCounter.counted(UInt32(count), moments: moments))
    asked = now
  }
}

/// The data kept of an evicted entry, in one word: half a word for the time of its last request,
/// sixteen bits of its key's hash, and a byte each for its count and class.
package struct EvictionGhost: BitwiseCopyable, Sendable, Hashable {
  /// The word; 0 for none.
  package let word: UInt64

  @inlinable @inline(__always)
  package init(word: UInt64) { self.word = word }

  @inlinable @inline(__always)
  package init(key: UInt64, note: EvictionNote) {
    let count = UInt64(min(note.count >> 4, 255))
    word = Self.tag(of: key) << 48 | UInt64(note.kind) << 40 | count << 32 | UInt64(note.asked)
  }

  /// Whether its tag matches this key: one key in 16,000 is mistaken for another.
  @inlinable @inline(__always)
  package func isOf(_ key: UInt64) -> Bool { word >> 48 == Self.tag(of: key) }

  @inlinable @inline(__always)
  package var note: EvictionNote {
    EvictionNote(
      asked: UInt32(truncatingIfNeeded: word), count: UInt16(word >> 32 & 255) << 4,
      kind: UInt8(truncatingIfNeeded: word >> 40))
  }

  @usableFromInline @inline(__always)
  static func tag(of key: UInt64) -> UInt64 { max(key >> 48, 1) }
}
