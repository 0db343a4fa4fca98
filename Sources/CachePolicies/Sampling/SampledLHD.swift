/// Least hit density, as ``LHDTBReplacement``, by sample: evicts the entry that brings the fewest
/// hits for the bytes and the time it is held. In a store that has had few requests, from which
/// nothing can be learned, the least recently used entry goes.
package struct SampledLHD: SampledPolicy {
  /// Requests to a store before what entries bring is compared.
  static let leastRequestCount: UInt32 = 256

  private let exponent: Double
  private var survival = ReuseSurvival()

  package init(exponent: Double = 1) { self.exponent = exponent }

  package var snapshot: [UInt8] {
    get { survival.snapshot }
    set { survival.snapshot = newValue }
  }

  @inline(__always)
  package mutating func requested(
    _ note: inout EvictionNote, isKnown: Bool, at now: UInt32, residents: Int
  ) {
    var gap: Int?
    if isKnown {
      let bin = ReuseAge.bin(of: note.age(at: now))
      survival.hit(bin, note.kind)
      gap = bin
    }
    note.countRequest(at: now, residents: residents)
    note.kind = UInt8(
      truncatingIfNeeded: HitDensity.classOf(frequency: UInt32(note.count), gap: gap))
  }

  @inline(__always)
  package func worth(of note: EvictionNote, byteCount: Int, at now: UInt32) -> Float {
    if now < Self.leastRequestCount { return 0 }
    return survival.density(of: note.kind, age: note.age(at: now))
      / Float(GDSFRank.powered(byteCount, exponent))
  }

  @inline(__always)
  package mutating func learn(from table: some EvictionTable, at now: UInt32) {
    if survival.isDue() { survival.learn(from: table, at: now) }
  }

  package mutating func forgot(_ ghost: EvictionNote, at now: UInt32) {
    survival.end(ReuseAge.bin(of: ghost.age(at: now)), ghost.kind)
  }
}
