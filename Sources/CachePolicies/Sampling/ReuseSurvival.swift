/// Estimates a ``HitDensity`` from what a table keeps anyway: at which age and in which class a
/// request found an entry, resident or ghost; at which age ghosts gave way to others; and the ages
/// of those that are in the table now. All of it is in memory that processes share, so a process
/// that lives for a few requests contributes like any other.
///
/// A count of entries that reached an age is as old as the moment they reached it, and fades like
/// the hits of that time.
///
/// Source: Kaplan, Meier, "Nonparametric Estimation from Incomplete Observations", JASA 1958: an
/// entry that is still waiting, or forgotten, was at risk until then.
struct ReuseSurvival: Sendable {
  /// The number of residents, and of ghosts, that are examined at most each time.
  private static let censusCount = 1_024
  private static let binCount = ReuseAge.binCount
  /// Requests between a snapshot and its first update: in a new process, sampling the whole table
  /// costs milliseconds, for which a program that requests one entry does not wait.
  private static let firstInterval = 16

  private var density = HitDensity(trust: 32)
  /// Entries by class and the age at which they were requested or forgotten since ``learn(from:at:)``.
  private var ends = [Float](repeating: 0, count: HitDensity.classCount * binCount)
  private var observations = 0
  private var interval = 256
  /// Whether the estimate is still that of a snapshot, which lacks those that are at risk.
  private var isFromSnapshot = false

  var snapshot: [UInt8] {
    get {
      var density = density
      density.reach(throughAges: ends)
      density.fade(observations: observations)
      return density.snapshot
    }
    set {
      density.snapshot = newValue
      isFromSnapshot = true
    }
  }

  @inline(__always)
  mutating func hit(_ bin: Int, _ kind: UInt8) {
    if bin <= density.lastBin { density.hit(bin, Self.row(kind)) }
    end(bin, kind)
  }

  /// Counts an entry that is not followed any further.
  @inline(__always)
  mutating func end(_ bin: Int, _ kind: UInt8) {
    ends[Self.row(kind) * Self.binCount + min(bin, density.lastBin)] += 1
  }

  /// Returns the hits that an entry brings for each request it is held.
  @inline(__always)
  func density(of kind: UInt8, age: UInt32) -> Float {
    density.value(of: Self.row(kind), age: age)
  }

  /// A note may be damaged.
  @inline(__always)
  private static func row(_ kind: UInt8) -> Int { min(Int(kind), HitDensity.classCount - 1) }

  /// Counts a request, and returns whether ``learn(from:at:)`` is due.
  @inline(__always)
  mutating func isDue() -> Bool {
    observations += 1
    return observations >= (isFromSnapshot ? Self.firstInterval : interval)
  }

  mutating func learn(from table: some EvictionTable, at now: UInt32) {
    density.setLastBin(residents: table.count)
    density.reach(throughAges: ends)
    for at in ends.indices { ends[at] = 0 }
    density.update(observations: observations, waiting: waiting(in: table, at: now))
    observations = 0
    isFromSnapshot = false
    interval = HitDensity.interval(after: interval)
  }

  /// Returns how many residents and ghosts of each class have each age, estimated from a sample.
  private func waiting(in table: some EvictionTable, at now: UInt32) -> [Float] {
    var counts = [Float](repeating: 0, count: ends.count)
    func add(_ note: EvictionNote, _ weight: Int) {
      let bin = min(ReuseAge.bin(of: note.age(at: now)), density.lastBin)
      counts[Self.row(note.kind) * Self.binCount + bin] += Float(weight)
    }
    var step = max(1, table.count / Self.censusCount)
    for index in stride(from: Int(now) % step, to: table.count, by: step) {
      add(table[note: index], step)
    }
    // Odd, so that it comes to all places of the sets.
    step = max(1, table.ghostCount / Self.censusCount) | 1
    for index in stride(from: Int(now) % step, to: table.ghostCount, by: step) {
      let word = table[ghost: index]
      if word != 0 { add(EvictionGhost(word: word).note, step) }
    }
    return counts
  }
}
