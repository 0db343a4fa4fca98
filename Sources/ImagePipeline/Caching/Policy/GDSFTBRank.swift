#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Greedy dual size frequency with an exponent on the size and counts up to 15; see
/// ``GDSFTBReplacement``.
struct GDSFTBRank: RankPolicy {
  /// Counts of evicted entries that the disk keeps before it halves them.
  static let maximumGhostCount = 65_536

  /// The power that sizes are raised to, 0 through 4; 1 hits most often for few bytes.
  let exponent: Double
  /// The rank of the last evicted entry.
  var inflation = 0.0

  init(exponent: Double = 1) { self.exponent = exponent }

  var name: String { EvictionPolicy.gdsfTB(exponent: exponent).description }

  var remembersEvicted: Bool { true }

  func rank(of entry: EvictionFacts) -> Double {
    rank(accesses: Double(min(entry.accessCount, 15)), byteCount: entry.byteCount)
  }

  @inline(__always)
  func rank(accesses: Double, byteCount: Int) -> Double {
    inflation + accesses / Self.powered(byteCount, exponent)
  }

  /// Returns a size, of at least one byte, raised to a power.
  @inline(__always)
  static func powered(_ byteCount: Int, _ exponent: Double) -> Double {
    let size = Double(max(byteCount, 1))
    return exponent == 1 ? size : exponent == 0.5 ? size.squareRoot() : pow(size, exponent)
  }

  mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
