#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Greedy dual size frequency: accesses for each byte, above the rank of the last victim.
///
/// Source: Cherkasova, "Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching
/// Policy", HP Labs 1998.
struct GDSFRank: Sendable {
  /// The power that sizes are raised to, 0 through 4: 1 for most hits, less where bytes count, too.
  let exponent: Double
  /// Whether the ranks of victims count.
  private let ages: Bool
  /// The rank of the last victim.
  var inflation = 0.0

  init(exponent: Double = 1, ages: Bool = true) {
    (self.exponent, self.ages) = (exponent, ages)
  }

  @inline(__always)
  func rank(accesses: Double, byteCount: Int) -> Double {
    inflation + accesses / Self.powered(byteCount, exponent)
  }

  /// Returns a size, of at least one byte, raised to a power.
  @inline(__always)
  static func powered(_ byteCount: Int, _ exponent: Double) -> Double {
    let size = Double(max(byteCount, 1))
    return switch exponent {
    case 0: 1
    case 0.125: size.squareRoot().squareRoot().squareRoot()
    case 0.5: size.squareRoot()
    case 1: size
    default: pow(size, exponent)
    }
  }

  mutating func evicted(rank: Double) { if ages { inflation = max(inflation, rank) } }
}
