/// The hits that a place in the cache brings for each request it is held, estimated from the
/// properties of an entry: its class and the age of its last request. Computed from all requests,
/// of residents or not.
///
/// For each class and bin of age it counts the entries that reached that age and those that were
/// requested again within it. For any age to hold an entry to, a share of hits and an expected time
/// follow; the best ratio of the two is what the place is worth now (its Gittins index, with one
/// hit as the reward). Where an entry is held only until its next request, no policy that ranks
/// entries by a number does better; so a loop keeps a part of itself and a scan passes through.
///
/// Low counts are supplemented by those of all classes with the same frequency, of all with the
/// same gap, and of all. Ages that were rarely observed count as promising: observing them requires
/// that an entry is held for that long. Counts decay as later ones are added.
///
/// Sources: Beckmann, Chen, Cidon, "LHD: Improving Cache Hit Rate by Maximizing Hit Density", NSDI
/// 2018 (estimated there from what the cache evicts); Gittins, "Bandit Processes and Dynamic
/// Allocation Indices", JRSS B 1979; hazards from counts of those at risk: Kaplan, Meier,
/// "Nonparametric Estimation from Incomplete Observations", JASA 1958.
struct HitDensity: Sendable {
  /// Levels of the faded frequency, and of the gap between the last two requests.
  static let frequencyCount = 8
  static let gapCount = 6
  static let classCount = frequencyCount * gapCount

  /// Observations that an estimate needs to weigh as much as the wider group's.
  private let trust: Float
  /// The share of entries at an age that are requested within half an octave, before any counts.
  private static let promise: Float = 0.3
  /// Observations, on average, that a count lasts for.
  static let life: Float = 131_072

  private static let binCount = ReuseAge.binCount
  private var reached = [Float](repeating: 0, count: classCount * binCount)
  private var hits = [Float](repeating: 0, count: classCount * binCount)
  /// Hits for each request a place is held, by class and bin.
  private(set) var values: [Float]
  /// The last bin of age that is distinguished.
  private(set) var lastBin = binCount - 1

  private static let unlearned: [Float] = {
    var model = HitDensity(trust: 1, values: [Float](repeating: 0, count: classCount * binCount))
    model.update(observations: 0)
    return model.values
  }()

  private init(trust: Float, values: [Float]) { (self.trust, self.values) = (trust, values) }

  /// - Parameter trust: Default: 8, for a sample of the requests.
  init(trust: Float = 8) { self.init(trust: trust, values: Self.unlearned) }

  /// The class of an entry that was just requested, by its count in ``FadingCounter``, this request
  /// included, and the bin of the time since the previous one; `nil` when unknown.
  @inline(__always)
  static func classOf(frequency: UInt32, gap: Int?) -> Int {
    guard let gap else { return 0 }
    let count = max(frequency, FadingCounter.unit)
    let octave = 31 - count.leadingZeroBitCount
    let level = 2 * (octave - 8) + Int(count >> UInt32(octave - 1) & 1)
    return min(level, frequencyCount - 1) * gapCount + 1 + min(max(gap - 2, 0) / 5, gapCount - 2)
  }

  /// Returns the hits that an entry of a class brings for each request it is held.
  @inline(__always)
  func value(of kind: Int, age: UInt32) -> Float {
    values[kind * Self.binCount + min(ReuseAge.bin(of: age), lastBin)]
  }

  /// Distinguishes ages until each resident was requested 64 times: later ones do not matter.
  mutating func setLastBin(residents: Int) {
    lastBin = ReuseAge.bin(of: UInt32(clamping: 64 * max(residents, 64)))
  }

  /// Returns the number of requests to wait after an update that came after so many.
  static func interval(after interval: Int) -> Int { min(interval + interval / 8, 16_384) }

  @inline(__always)
  mutating func reach(_ bin: Int, _ kind: Int) { reached[kind * Self.binCount + bin] += 1 }

  /// Counts entries by the class and the last age that they reached, and for the ages before.
  mutating func reach(throughAges counts: [Float]) {
    for start in stride(from: 0, to: counts.count, by: Self.binCount) {
      var sum: Float = 0
      for bin in stride(from: Self.binCount - 1, through: 0, by: -1) {
        let width = Float(ReuseAge.lowerBounds[bin + 1] - ReuseAge.lowerBounds[bin])
        // They reached this age earlier than the next, so they have faded for longer.
        sum = sum / (1 + width / Self.life) + counts[start + bin]
        reached[start + bin] += sum
      }
    }
  }

  @inline(__always)
  mutating func hit(_ bin: Int, _ kind: Int) { hits[kind * Self.binCount + bin] += 1 }

  /// Computes ``values`` through ``lastBin`` from the counts and from entries that are not counted
  /// yet, by class and present age; then fades the counts by the requests since the last call.
  mutating func update(observations: Int, waiting: [Float] = []) {
    let counted = reached
    reach(throughAges: waiting)
    let bins = Self.binCount
    let overall = overallShares()
    let byFrequency = factors(overall, count: Self.frequencyCount) { $0 / Self.gapCount }
    let byGap = factors(overall, count: Self.gapCount) { $0 % Self.gapCount }
    var shares = [Float](repeating: 0, count: bins)
    for kind in 0..<Self.classCount {
      let (frequency, gap) = (kind / Self.gapCount * bins, kind % Self.gapCount * bins)
      for bin in 0..<bins {
        let expected = min(
          overall[bin] * byFrequency[frequency + bin] * byGap[gap + bin].squareRoot(), 0.9)
        let at = kind * bins + bin
        shares[bin] = min((hits[at] + trust * expected) / (reached[at] + trust), 0.999)
      }
      setValues(of: kind, shares)
    }
    reached = counted
    fade(observations: observations)
  }

  mutating func fade(observations: Int) {
    let fading = 1 - Float(observations) / Self.life
    for at in hits.indices {
      hits[at] *= fading
      reached[at] *= fading
    }
  }

  /// Returns shares of hits by age alone. An age that no entry reached is half promising, half like
  /// the age before it.
  private func overallShares() -> [Float] {
    var shares = [Float](repeating: 0, count: Self.binCount)
    var before = Self.promise
    for bin in 0..<Self.binCount {
      var (hit, all): (Float, Float) = (0, 0)
      for at in stride(from: bin, to: hits.count, by: Self.binCount) {
        hit += hits[at]
        all += reached[at]
      }
      let expected = (Self.promise + before) / 2
      before = (hit + trust * expected) / (all + trust)
      shares[bin] = before
    }
    return shares
  }

  /// Returns how many times as often as all entries those of a group are hit, at this age and the
  /// two next to it.
  private func factors(_ overall: [Float], count: Int, group: (Int) -> Int) -> [Float] {
    let bins = Self.binCount
    var (hit, expected) = (
      [Float](repeating: 0, count: count * bins), [Float](repeating: 0, count: count * bins)
    )
    for kind in 0..<Self.classCount {
      let first = group(kind) * bins
      for bin in 0..<bins {
        hit[first + bin] += hits[kind * bins + bin]
        expected[first + bin] += reached[kind * bins + bin] * overall[bin]
      }
    }
    var factors = hit
    for first in stride(from: 0, to: count * bins, by: bins) {
      for bin in 0..<bins {
        let near = first + max(bin - 1, 0)...first + min(bin + 1, bins - 1)
        factors[first + bin] =
          (near.reduce(2) { $0 + hit[$1] }) / (near.reduce(2) { $0 + expected[$1] })
      }
    }
    return factors
  }

  /// Sets the best ratio over all ages to hold an entry to: hits until then over requests until
  /// then.
  private mutating func setValues(of kind: Int, _ shares: [Float]) {
    for start in 0...lastBin {
      var (left, time, best): (Float, Float, Float) = (1, 0, 0)
      for bin in start...lastBin {
        let width = Float(ReuseAge.lowerBounds[bin + 1] - ReuseAge.lowerBounds[bin])
        time += left * width * (1 - shares[bin] / 2)
        left *= 1 - shares[bin]
        best = max(best, (1 - left) / time)
      }
      values[kind * Self.binCount + start] = best
    }
  }

  /// The counts as bytes: a version, then hits and entries at risk, as 32-bit floats. Setting it to
  /// other bytes has no effect.
  var snapshot: [UInt8] {
    get {
      let words = [Self.snapshotVersion] + (hits + reached).map(\.bitPattern)
      return words.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
    }
    set {
      guard newValue.count == 4 * (1 + 2 * hits.count) else { return }
      let words = newValue.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: 4).map {
          UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
        }
      }
      let counts = words.dropFirst().map(Float.init(bitPattern:))
      guard words[0] == Self.snapshotVersion, counts.allSatisfy({ $0 >= 0 && $0 <= 64 * Self.life })
      else { return }
      hits = Array(counts.prefix(hits.count))
      reached = Array(counts.suffix(reached.count))
      lastBin = Self.binCount - 1
      update(observations: 0)
    }
  }

  /// Changes with the bins, the classes and the meaning of the counts.
  private static var snapshotVersion: UInt32 { 0x4c48_4401 }
}

/// The number of requests since an entry's last one, in bins of half an octave: 0…1, 2, 3, 4…5,
/// 6…7, 8…11 and so on.
enum ReuseAge {
  /// The number of bins; the last one has no end.
  static let binCount = 48

  /// The first age of each bin, and the age that ends the last one in calculations.
  static let lowerBounds: [UInt32] = {
    var bounds: [UInt32] = [0]
    for bin in 1...binCount {
      let octave = UInt32(bin + 1) / 2
      let start: UInt32 = 1 << octave
      bounds.append(bin % 2 == 1 ? start : start + start / 2)
    }
    return bounds
  }()

  @inline(__always)
  static func bin(of age: UInt32) -> Int {
    guard age >= 2 else { return 0 }
    let octave = 31 - age.leadingZeroBitCount
    return min(2 * octave - 1 + Int(age >> UInt32(octave - 1) & 1), binCount - 1)
  }
}
