#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Greedy dual size frequency with an exponent on the size and counts up to 15; see
/// ``GDSFTBReplacement``.
package struct GDSFTBRank: Sendable {
  /// The power that sizes are raised to, 0 through 4; 1 hits most often for few bytes.
  package let exponent: Double
  /// The rank of the last evicted entry.
  package var inflation = 0.0

  package init(exponent: Double = 1) { self.exponent = exponent }

  @inline(__always)
  package func rank(accesses: Double, byteCount: Int) -> Double {
    inflation + accesses / Self.powered(byteCount, exponent)
  }

  /// Returns a size, of at least one byte, raised to a power.
  @inline(__always)
  package static func powered(_ byteCount: Int, _ exponent: Double) -> Double {
    let size = Double(max(byteCount, 1))
    return exponent == 1 ? size : exponent == 0.5 ? size.squareRoot() : pow(size, exponent)
  }

  package mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
