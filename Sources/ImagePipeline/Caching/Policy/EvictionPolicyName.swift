/// The policies that a cache can be run on, by the names that options use.
///
/// All of them serve the memory tier and the simulator; ``rankPolicy`` says which serve the disk.
public enum EvictionPolicyName: Sendable, Hashable {
  /// Least recently used, the default of the memory tier.
  case lru
  /// A queue with a hand (NSDI 2024).
  case sieve
  /// Three FIFO queues (SOSP 2023).
  case s3FIFO
  /// Adaptive replacement (FAST 2003).
  case arc
  /// Segmented LRU.
  case slru
  /// TinyLFU admission behind an adaptive window.
  case wTinyLFU
  /// Greedy dual size frequency.
  case gdsf
  /// GDSF whose counts outlive eviction, with a bypass and an exponent on the size, 0 through 4.
  case gdsfTB(exponent: Double)
  /// Least hit density for entries of any size, whose frequency outlives eviction, with a bypass and an exponent on the
  /// size, 0 through 4.
  case lhdTB(exponent: Double)

  /// Each of them, with its defaults.
  public static let all: [EvictionPolicyName] = [
    .lru, .sieve, .s3FIFO, .arc, .slru, .wTinyLFU, .gdsf,
    .gdsfTB(exponent: GDSFTBPolicy.defaultExponent), .lhdTB(exponent: 1),
  ]

  /// Reads a name such as `s3-fifo` or `gdsf-tb:0.7`; `nil` where it is none.
  public init?(_ text: String) {
    if let name = Self.all.first(where: { $0.description == text }) {
      self = name
    } else if text.hasPrefix("gdsf-tb:"), let exponent = Self.exponent(text.dropFirst(8)) {
      self = .gdsfTB(exponent: exponent)
    } else if text.hasPrefix("lhd-tb:"), let exponent = Self.exponent(text.dropFirst(7)) {
      self = .lhdTB(exponent: exponent)
    } else {
      return nil
    }
  }

  /// Reads an exponent on the size; `nil` where it is none.
  package static func exponent(_ text: Substring) -> Double? {
    Double(text).flatMap { (0...4).contains($0) ? $0 : nil }
  }

  /// The policy as ranks, which the index of the disk keeps in order; `nil` for those that are more than a rank.
  public var rankPolicy: (any EvictionPolicy)? {
    switch self {
    case .lru: LRUPolicy()
    case .gdsf: GDSFPolicy()
    case .gdsfTB(let exponent): GDSFTBPolicy(exponent: exponent)
    case .sieve, .s3FIFO, .arc, .slru, .wTinyLFU, .lhdTB: nil
    }
  }
}

extension EvictionPolicyName: CustomStringConvertible {
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
    case .gdsfTB(let exponent): GDSFTBPolicy(exponent: exponent).name
    case .lhdTB(let exponent): exponent == 1 ? "lhd-tb" : "lhd-tb:\(exponent)"
    }
  }
}
