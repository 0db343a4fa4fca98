#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Greedy dual size frequency with an exponent on the size and counts up to 15; see ``GDSFTBReplacement``.
public struct GDSFTBPolicy: EvictionPolicy {
  /// Most hits for few bytes.
  public static let defaultExponent = 1.0
  /// Counts of evicted entries that the disk keeps before it halves them.
  static let maximumGhostCount = 65_536

  /// What the size is raised to; 0 through 4.
  public let exponent: Double
  /// What the last that went was worth.
  public var inflation = 0.0

  /// Begins without any aging.
  public init(exponent: Double = Self.defaultExponent) { self.exponent = exponent }

  /// What options call it.
  public var name: String {
    exponent == Self.defaultExponent ? "gdsf-tb" : "gdsf-tb:\(exponent)"
  }

  /// Fame outlives eviction.
  public var remembersEvicted: Bool { true }

  /// Accesses over the powered size, above what is let go at the time.
  public func rank(of entry: EvictionFacts) -> Double {
    rank(accesses: Double(min(entry.accessCount, 15)), byteCount: entry.byteCount)
  }

  @inline(__always)
  func rank(accesses: Double, byteCount: Int) -> Double {
    inflation + accesses / Self.powered(byteCount, exponent)
  }

  /// A size, of at least one byte, to a power.
  @inline(__always)
  static func powered(_ byteCount: Int, _ exponent: Double) -> Double {
    let size = Double(max(byteCount, 1))
    return exponent == 1 ? size : exponent == 0.5 ? size.squareRoot() : pow(size, exponent)
  }

  /// Raises the bar to this rank.
  public mutating func evicted(rank: Double) { inflation = max(inflation, rank) }
}
