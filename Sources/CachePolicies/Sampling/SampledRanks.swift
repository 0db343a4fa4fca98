/// Least recently used: all entries are worth the same, so the one whose last request is the oldest
/// goes.
package struct SampledLRU: SampledPolicy {
  package let name = "lru"
  package let remembersEvicted = false

  package init() {}

  @inline(__always)
  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) { note.asked = now }

  @inline(__always)
  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float { 0 }
}

/// Greedy dual size frequency: an entry is worth its requests for each byte, and what the last
/// victim was worth when it was requested last.
///
/// With fading counts that outlive eviction and an exponent on the size it is GDSF-TB; see
/// ``GDSFTBReplacement``.
package struct SampledGDSF: SampledPolicy {
  package let name: String
  package let remembersEvicted: Bool
  package var clock = 0.0
  private let exponent: Double

  /// Creates plain GDSF, whose counts end with an eviction and do not fade.
  package init() {
    (name, remembersEvicted, exponent) = ("gdsf", false, 1)
  }

  /// Creates GDSF-TB.
  ///
  /// - Parameter exponent: The power of the size: 1 for most hits, less where bytes count, too.
  package init(exponent: Double) {
    name = EvictionPolicy.gdsfTB(exponent: exponent).description
    (remembersEvicted, self.exponent) = (true, exponent)
  }

  @inline(__always)
  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) {
    if remembersEvicted {
      note.countRequest(at: now, residents: residents)
    } else {
      note.count += note.count < .max ? 1 : 0
      note.asked = now
    }
    note.credit = Float(clock)
  }

  @inline(__always)
  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    let count = Float(note.count) * (remembersEvicted ? 1 / Float(FadingCounter.unit) : 1)
    // A note may be damaged; none is ahead of the clock.
    let start = note.credit <= Float(clock) ? note.credit : Float(clock)
    return start + count / Float(GDSFTBRank.powered(byteCount, exponent))
  }

  package mutating func evicted(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32, residents: Int
  ) { clock = max(clock, Double(worth(of: note, byteCount: byteCount, at: now))) }
}
