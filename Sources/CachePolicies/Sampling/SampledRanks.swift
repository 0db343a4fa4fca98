/// Least recently used: all are worth the same, so the one whose last request is the oldest goes.
package struct SampledLRU: SampledPolicy {
  package let remembersEvicted = false

  package init() {}

  @inline(__always)
  package mutating func requested(
    _ note: inout EvictionNote, isKnown: Bool, at now: UInt32, residents: Int
  ) { note.asked = now }

  @inline(__always)
  package func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float { 0 }
}

/// GDSF-TB by sample: an entry is worth its requests for each byte, and what the last victim was
/// worth when it was requested last. See ``GDSFTBReplacement``.
package struct SampledGDSF: SampledPolicy {
  private var rule: GDSFRank

  package init(exponent: Double = 1) { rule = GDSFRank(exponent: exponent) }

  package var clock: Double {
    get { rule.inflation }
    set { rule.inflation = newValue }
  }

  @inline(__always)
  package mutating func requested(
    _ note: inout EvictionNote, isKnown: Bool, at now: UInt32, residents: Int
  ) {
    note.countRequest(at: now, residents: residents)
    note.credit = Float(clock)
  }

  @inline(__always)
  package func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    let count = Float(note.count) / Float(FadingCounter.unit)
    // A note may be damaged; none is ahead of the clock.
    let start = note.credit <= Float(clock) ? note.credit : Float(clock)
    return start + count / Float(GDSFRank.powered(byteCount, rule.exponent))
  }

  package mutating func evicted(_ note: EvictionNote, byteCount: Int, at now: UInt32) {
    rule.evicted(rank: Double(worth(of: note, byteCount: byteCount, at: now)))
  }
}
