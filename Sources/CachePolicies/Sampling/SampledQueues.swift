extension EvictionNote {
  /// The time at which an entry came to its queue, in the place of ``credit``.
  fileprivate var queued: UInt32 {
    get { credit.bitPattern }
    set { credit = Float(bitPattern: newValue) }
  }

  /// The worth of an entry of a queue: less for longer in it.
  fileprivate func worthInQueue(at now: UInt32) -> Float { -Float(now &- queued) }
}

/// SIEVE by sample: the hand has passed the entries whose mark is the number of its round, and
/// evicts the oldest of the others that was not requested since.
///
/// See ``SIEVEReplacement``.
package struct SampledSIEVE: SampledPolicy {
  package let name = "sieve"
  package let remembersEvicted = false
  /// The number of the hand's round.
  package var clock = 1.0
  private var round: UInt16 { UInt16(truncatingIfNeeded: Int64(clock)) }

  package init() {}

  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) {
    if origin == .resident {
      note.kind = 1
    } else {
      note.queued = now
      note.mark = round &- 1
    }
    note.asked = now
  }

  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    note.worthInQueue(at: now) + (note.mark == round ? 0x1p32 : 0)
  }

  package mutating func spares(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32
  ) -> Bool {
    // It is the first of all: the hand has passed the others as well.
    if note.mark == round { clock += 1 }
    guard note.kind != 0 else { return false }
    note.kind = 0
    note.mark = round
    return true
  }
}

/// S3-FIFO by sample: from a tenth of the bytes on the small queue is evicted from, else the main
/// one; each is ordered by the time an entry came to it.
///
/// See ``S3FIFOReplacement``.
package struct SampledS3FIFO: SampledPolicy {
  package let name = "s3-fifo"
  private var recency = GhostRecency()
  private var evictsSmall = true

  package init() {}

  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) {
    recency.count(origin)
    if origin == .resident {
      note.count = min(note.count + 1, 3)
    } else {
      // A ghost of the main queue is not remembered, nor an old one.
      let returns = origin == .ghost && note.kind == 0
      note.kind = returns && recency.includes(note, residents: residents, at: now) ? 1 : 0
      note.count = 0
      note.queued = now
    }
    note.asked = now
  }

  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    note.worthInQueue(at: now) + ((note.kind == 0) == evictsSmall ? 0 : 0x1p32)
  }

  package mutating func spares(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32
  ) -> Bool {
    guard note.count > (note.kind == 0 ? 1 : 0) else { return false }
    note.count = note.kind == 0 ? 0 : note.count - 1
    note.kind = 1
    note.queued = now
    return true
  }

  package mutating func evicted(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32, residents: Int
  ) { note.asked = now }

  package mutating func isLearningDue() -> Bool { recency.isSampleDue }

  package mutating func learn(from table: some EvictionTable, at now: UInt32) {
    evictsSmall = TableSample(of: table, at: now).share(of: 0) >= 0.1
  }
}

/// ARC by sample: recent and frequent entries share the room, and the ghosts of both move the share.
///
/// See ``ARCReplacement``.
package struct SampledARC: SampledPolicy {
  package let name = "arc"
  private var recency = GhostRecency()
  private var share = 0.0
  /// The share of the recent ones that ARC aims at.
  private var target = 0.0

  package init() {}

  package mutating func requested(
    _ note: inout EvictionNote, _ origin: NoteOrigin, byteCount: Int, at now: UInt32,
    residents: Int
  ) {
    recency.count(origin)
    if origin == .resident {
      note.kind = 1
    } else if origin == .ghost, recency.includes(note, residents: residents, at: now) {
      let step = 1 / Double(residents)
      target = min(1, max(0, target + (note.kind == 0 ? step : -step)))
      note.kind = 1
    } else {
      note.kind = 0
    }
    note.asked = now
  }

  package mutating func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    (note.kind == 0) == (share > target) ? 0 : 1
  }

  package mutating func evicted(
    _ note: inout EvictionNote, byteCount: Int, at now: UInt32, residents: Int
  ) { note.asked = now }

  package mutating func isLearningDue() -> Bool { recency.isSampleDue }

  package mutating func learn(from table: some EvictionTable, at now: UInt32) {
    share = TableSample(of: table, at: now).share(of: 0)
  }
}

/// Which ghosts a queue as long as the cache would still have, by the share of requests that miss.
private struct GhostRecency: Sendable {
  private var requests = 0
  private var missRatio: Float = 1

  var isSampleDue: Bool { requests % TableSample.interval == 0 }

  mutating func count(_ origin: NoteOrigin) {
    requests += 1
    missRatio += ((origin == .resident ? 0 : 1) - missRatio) / 1_024
  }

  /// Whether a ghost, whose ``EvictionNote/asked`` is the time of its eviction, is among them.
  func includes(_ ghost: EvictionNote, residents: Int, at now: UInt32) -> Bool {
    Float(ghost.age(at: now)) * missRatio <= Float(residents)
  }
}
