/// Segmented LRU by sample: entries requested twice are protected until they are older than the
/// youngest four fifths of the bytes; then they wait on probation like newcomers.
///
/// See ``SLRUReplacement``.
package struct SampledSLRU: SampledPolicy {
  package let name = "slru"
  package let remembersEvicted = false
  private var requests = 0
  private var protectedAge = UInt32.max

  package init() {}

  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) {
    note.kind = origin == .resident ? 1 : 0
    note.asked = now
    requests += 1
  }

  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    let age = note.age(at: now)
    guard note.kind == 1 else { return -Float(age) }
    // One that is not protected any more came to probation at that age.
    return age > protectedAge ? -Float(age - protectedAge) : 1
  }

  package mutating func isLearningDue() -> Bool { requests % TableSample.interval == 0 }

  package mutating func learn(from table: some EvictionTable, at now: UInt32) {
    protectedAge = TableSample(of: table, at: now).age(of: 1, share: 0.8)
  }
}

/// W-TinyLFU by sample: of the entries that are neither in the window (the youngest) nor protected
/// (requested since they left it), the one requested least often is evicted.
///
/// Counts are those of the notes instead of a sketch's. See ``WTinyLFUReplacement``.
package struct SampledWTinyLFU: SampledPolicy {
  package let name = "w-tinylfu"
  private var requests = 0
  private var climber = WindowClimber(share: 0.3, isAdaptive: true)
  private var windowAge = UInt32.max
  private var protectedAge = UInt32.max

  package init() {}

  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) {
    let hasLeftWindow = note.kind == 1 || note.age(at: now) > windowAge
    note.kind = origin == .resident && hasLeftWindow ? 1 : 0
    note.countRequest(at: now, residents: residents)
    requests += 1
    _ = climber.learn(isHit: origin == .resident, period: 10 * max(residents, 16))
  }

  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    let isSafe = note.age(at: now) <= (note.kind == 1 ? protectedAge : windowAge)
    return isSafe ? .greatestFiniteMagnitude : Float(note.count)
  }

  package mutating func isLearningDue() -> Bool { requests % TableSample.interval == 0 }

  package mutating func learn(from table: some EvictionTable, at now: UInt32) {
    let sample = TableSample(of: table, at: now)
    windowAge = sample.age(of: 0, share: climber.share)
    protectedAge = sample.age(of: 1, share: 0.8 * (1 - climber.share))
  }
}
