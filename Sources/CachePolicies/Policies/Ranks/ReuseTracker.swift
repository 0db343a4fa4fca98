/// Tracks a sample of the keys, resident or not, and reports to a ``HitDensity`` which reached
/// which age and which were requested again.
///
/// A key is in the sample by its hash (all keys, as long as they are few), so all requests of a
/// sampled key are seen; the share falls and rises so that at most ``maximumCount`` keys are
/// watched. Each key waits in the list of its bin of age and moves on with time; keys older than
/// the ages that matter to the cache are dropped.
///
/// Source: Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC Construction with SHARDS", FAST
/// 2015 (a sample of fixed size).
struct ReuseTracker: Sendable {
  /// The most keys watched at a time: some 400 kB.
  static let maximumCount = 8_192

  private(set) var density = HitDensity()
  /// Keys as ghosts: `size` is the time of the last request, `place` its class, `mark` its bin.
  private var keys = SlotSlab(capacity: 0)
  private var ages = [SlotList](repeating: SlotList(), count: ReuseAge.binCount)
  private(set) var count = 0
  /// Hashes up to here are in the sample.
  private var threshold = UInt32.max
  private var observations = 0
  private var lastNow: UInt32 = 0
  private var learned: UInt32 = 0
  private var interval = 256

  init() { density.setLastBin(residents: 0) }

  /// Notes a request; the key has this class from now on.
  @inline(__always)
  mutating func record(_ key: UInt64, class kind: Int, at now: UInt32, residents: Int) {
    if Self.hash(key) <= threshold { observe(key, kind, now, residents) }
  }

  /// SplitMix64's finishing steps.
  @inline(__always)
  private static func hash(_ key: UInt64) -> UInt32 {
    var hash = (key ^ key &>> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash &>> 27) &* 0x94d0_49bb_1331_11eb
    return UInt32(truncatingIfNeeded: hash &>> 32)
  }

  private mutating func observe(_ key: UInt64, _ kind: Int, _ now: UInt32, _ residents: Int) {
    var slot = keys.slot(of: key)
    if slot == SlotSlab.none {
      slot = keys.makeGhost(key)
      count += 1
    } else {
      let node = keys[slot]
      keys.unlink(slot, from: &ages[Int(node.mark)])
      let bin = ReuseAge.bin(of: now &- UInt32(truncatingIfNeeded: node.size))
      for passed in stride(from: Int(node.mark) + 1, through: min(bin, density.lastBin), by: 1) {
        density.reach(passed, Int(node.place))
      }
      if bin <= density.lastBin { density.hit(bin, Int(node.place)) }
    }
    keys[slot].size = Int(now)
    keys[slot].place = UInt8(kind)
    keys[slot].mark = 0
    keys.push(slot, onto: &ages[0])
    density.reach(0, kind)
    if count > Self.maximumCount { thin() }
    age(from: lastNow, to: now)
    lastNow = now
    observations += 1
    if Int(now &- learned) >= interval { learn(now, residents: residents) }
  }

  /// Moves keys to the bins of their ages: lists are examined about four times in the width of
  /// their bin, when the count of requests passes such a multiple. A key that is requested before
  /// its turn is counted for the ages it passed then.
  private mutating func age(from before: UInt32, to now: UInt32) {
    let octave = 31 - (before ^ now | 1).leadingZeroBitCount
    for bin in 0...min(2 * (octave + 2), density.lastBin) {
      let end = ReuseAge.lowerBounds[bin + 1]
      while !ages[bin].isEmpty {
        let slot = ages[bin].tail
        guard now &- UInt32(truncatingIfNeeded: keys[slot].size) >= end else { break }
        keys.unlink(slot, from: &ages[bin])
        if bin == density.lastBin {
          drop(slot)
        } else {
          keys[slot].mark = UInt16(bin + 1)
          keys.push(slot, onto: &ages[bin + 1])
          density.reach(bin + 1, Int(keys[slot].place))
        }
      }
    }
  }

  private mutating func drop(_ slot: Int32) {
    keys.remove(slot)
    count -= 1
  }

  private mutating func thin() {
    threshold -= threshold / 8
    for bin in ages.indices {
      var slot = ages[bin].tail
      while slot != SlotSlab.none {
        let younger = keys[slot].previous
        if Self.hash(keys[slot].key) > threshold {
          keys.unlink(slot, from: &ages[bin])
          drop(slot)
        }
        slot = younger
      }
    }
  }

  private mutating func learn(_ now: UInt32, residents: Int) {
    density.update(observations: observations)
    learned = now
    interval = HitDensity.interval(after: interval)
    observations = 0
    if count < Self.maximumCount / 2 {
      threshold =
        threshold.addingReportingOverflow(threshold / 8).overflow
        ? .max : threshold + threshold / 8
    }
    setLastBin(residents: residents)
  }

  /// Drops the keys of ages that are not distinguished any more.
  private mutating func setLastBin(residents: Int) {
    let before = density.lastBin
    density.setLastBin(residents: residents)
    for old in stride(from: density.lastBin + 1, through: before, by: 1) {
      while !ages[old].isEmpty {
        let slot = ages[old].tail
        keys.unlink(slot, from: &ages[old])
        drop(slot)
      }
    }
  }
}
