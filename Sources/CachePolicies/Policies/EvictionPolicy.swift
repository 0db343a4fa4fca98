/// The policy by which a cache evicts entries, by the names that options use.
///
/// All of them run in the memory tier, on disk and in the simulator; the disk tier's forms of them
/// compare a sample of the entries.
public enum EvictionPolicy: Sendable, Hashable {
  /// Least recently used.
  case lru
  /// A queue with a hand (NSDI 2024).
  case sieve
  /// Three FIFO queues (SOSP 2023).
  case s3FIFO
  /// Adaptive replacement (FAST 2003).
  case arc
  /// Segmented LRU.
  case slru
  /// TinyLFU admission after an adaptive window.
  case wTinyLFU
  /// Greedy dual size frequency.
  case gdsf
  /// GDSF whose counts outlive eviction, with a bypass and an exponent on the size, 0 through 4; on
  /// disk without a bypass.
  case gdsfTB(exponent: Double = 1)
  /// Least hit density for entries of any size, with frequencies that outlive eviction, a bypass
  /// and an exponent on the size, 0 through 4; on disk without a bypass.
  case lhdTB(exponent: Double = 1)

  /// The default of the memory tier.
  public static let memoryDefault = EvictionPolicy.lru
  /// The default of the disk tier.
  public static let diskDefault = EvictionPolicy.lhdTB()

  /// Each policy, with its defaults.
  public static let all: [EvictionPolicy] = [
    .lru, .sieve, .s3FIFO, .arc, .slru, .wTinyLFU, .gdsf, .gdsfTB(), .lhdTB(),
  ]

  /// Parses a name such as `s3-fifo` or `gdsf-tb:0.7`; `nil` for any other text.
  public init?(_ text: String) {
    if let policy = Self.all.first(where: { $0.description == text }) {
      self = policy
    } else if text.hasPrefix("gdsf-tb:"), let exponent = Self.exponent(text.dropFirst(8)) {
      self = .gdsfTB(exponent: exponent)
    } else if text.hasPrefix("lhd-tb:"), let exponent = Self.exponent(text.dropFirst(7)) {
      self = .lhdTB(exponent: exponent)
    } else {
      return nil
    }
  }

  /// Parses an exponent on the size; `nil` outside 0 through 4.
  package static func exponent(_ text: Substring) -> Double? {
    Double(text).flatMap { (0...4).contains($0) ? $0 : nil }
  }
}

extension EvictionPolicy: CustomStringConvertible {
  /// The name that options use.
  public var description: String {
    switch self {
    case .lru: "lru"
    case .sieve: "sieve"
    case .s3FIFO: "s3-fifo"
    case .arc: "arc"
    case .slru: "slru"
    case .wTinyLFU: "w-tinylfu"
    case .gdsf: "gdsf"
    case .gdsfTB(let exponent): exponent == 1 ? "gdsf-tb" : "gdsf-tb:\(exponent)"
    case .lhdTB(let exponent): exponent == 1 ? "lhd-tb" : "lhd-tb:\(exponent)"
    }
  }
}
