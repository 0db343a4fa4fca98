/// How many hits a place in the cache would bring for each request that it is held, by what is known of an entry: its
/// class and the age of its last request. Learned from the requests, whoever is resident.
///
/// For each class and bin of age it counts who came to that age and who was asked for again within it. A share of hits
/// and an expectation of the time until then follow for any age to hold an entry to; the best of them is what its
/// place is worth now (its Gittins index, with one hit for a reward). Where an entry is held only to its next request,
/// nothing that ranks entries by number does better; so a loop keeps a part of itself and a scan passes through.
///
/// Few counts lean on those of all classes with this frequency, with this gap, and of all. Ages that were hardly seen
/// count as promising: an entry has to be held for them to be seen at all. Counts fade with those that follow.
///
/// Sources: Beckmann, Chen, Cidon, "LHD: Improving Cache Hit Rate by Maximizing Hit Density", NSDI 2018 (who estimate from
/// what their cache evicts); Gittins, "Bandit Processes and Dynamic Allocation Indices", JRSS B 1979; hazards from
/// counts of those at risk: Kaplan, Meier, "Nonparametric Estimation from Incomplete Observations", JASA 1958.
struct HitDensity: Sendable {
  /// Levels of the faded frequency, and of the gap between the last two requests.
  static let frequencyCount = 8
  static let gapCount = 6
  static let classCount = frequencyCount * gapCount

  /// Observations that an estimate from more of them must have to count as much.
  private static let trust: Float = 8
  /// The share of those at an age that are asked for within half an octave, as long as nothing is known.
  private static let promise: Float = 0.3
  /// Observations, on average, that one counts for.
  private static let life: Float = 131_072

  private static let binCount = ReuseAge.binCount
  private var reached = [Float](repeating: 0, count: classCount * binCount)
  private var hits = [Float](repeating: 0, count: classCount * binCount)
  /// Hits for each request that a place is held, by class and bin.
  private(set) var values: [Float]

  /// What is thought before anything is known; computed once.
  private static let unlearned: [Float] = {
    var model = HitDensity(values: [Float](repeating: 0, count: classCount * binCount))
    model.update(observations: 0, lastBin: binCount - 1)
    return model.values
  }()

  private init(values: [Float]) { self.values = values }

  /// Nothing known.
  init() { self.init(values: Self.unlearned) }

  /// The class of an entry that was just asked for.
  ///
  /// - Parameters:
  ///   - frequency: Of ``FadingCounter``, this request included.
  ///   - gap: The bin of the time since the request before; `nil` where none is known.
  @inline(__always)
  static func classOf(frequency: UInt32, gap: Int?) -> Int {
    guard let gap else { return 0 }
    let count = max(frequency, FadingCounter.unit)
    let octave = 31 - count.leadingZeroBitCount
    let level = 2 * (octave - 8) + Int(count >> UInt32(octave - 1) & 1)
    return min(level, frequencyCount - 1) * gapCount + 1 + min(max(gap - 2, 0) / 5, gapCount - 2)
  }

  /// Somebody of a class came to an age.
  @inline(__always)
  mutating func reach(_ bin: Int, _ kind: Int) { reached[kind * Self.binCount + bin] += 1 }

  /// Somebody of a class was asked for at an age.
  @inline(__always)
  mutating func hit(_ bin: Int, _ kind: Int) { hits[kind * Self.binCount + bin] += 1 }

  /// Makes ``values`` of the counts and lets these fade.
  ///
  /// - Parameters:
  ///   - observations: How many there were since the last time.
  ///   - lastBin: The last bin of age that is told apart; values beyond stay as they are.
  mutating func update(observations: Int, lastBin: Int) {
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
        shares[bin] = min(
          (hits[at] + Self.trust * expected) / (reached[at] + Self.trust), 0.999)
      }
      setValues(of: kind, shares, lastBin)
    }
    let fading = 1 - Float(observations) / Self.life
    for at in hits.indices {
      hits[at] *= fading
      reached[at] *= fading
    }
  }

  /// Shares of hits by age alone. An age nobody came to is half promise, half like the age before it.
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
      before = (hit + Self.trust * expected) / (all + Self.trust)
      shares[bin] = before
    }
    return shares
  }

  /// How many times as often as all, at this age and the two beside it, those of a group are hit.
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

  /// The best of all ages to hold somebody to: the hits until then over the requests until then.
  private mutating func setValues(of kind: Int, _ shares: [Float], _ lastBin: Int) {
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
}
