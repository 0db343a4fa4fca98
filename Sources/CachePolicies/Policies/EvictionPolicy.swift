/// The policy by which a memory tier evicts entries, by the names that options use.
///
/// Each is declared beside its algorithm. All of them run in the simulator; the disk tier has a
/// choice of its own, ``DiskEvictionPolicy``.
public struct EvictionPolicy: Sendable, Hashable, LosslessStringConvertible {
  let name: String
  /// The power of the size, 0 through 4; `nil` for a policy without one.
  private(set) var exponent: Double?
  private let makeAlgorithm: @Sendable (Double) -> any Replacement

  /// Each policy, with its defaults.
  public static let all: [EvictionPolicy] = [
    .lru, .sieve, .s3FIFO, .arc, .slru, .wTinyLFU, .gdsf, .gdsfTB(), .lhdTB(),
  ]
  /// The policies that only the simulator has, for comparison.
  package static let forComparison: [EvictionPolicy] = [.fifo, .clock, .lfu]

  init(_ name: String, _ algorithm: @autoclosure @escaping @Sendable () -> any Replacement) {
    self.name = name
    makeAlgorithm = { _ in algorithm() }
  }

  init(
    _ name: String, exponent: Double, _ algorithm: @escaping @Sendable (Double) -> any Replacement
  ) {
    self.name = name
    self.exponent = exponent
    makeAlgorithm = algorithm
  }

  /// The policy for the most hits: ``lhdTB(exponent:)``.
  public static let hits = lhdTB()
  /// The policy for the most bytes of hits, for an origin that is paid by the byte:
  /// ``lhdTB(exponent:)`` with the exponent 1/8. With 0 it hits fewer requests, and no more bytes.
  public static let bytes = lhdTB(exponent: 0.125)
  private static let goals: KeyValuePairs = ["hits": hits, "bytes": bytes]

  /// Parses a name such as `s3-fifo` or `gdsf-tb:0.7`, or a goal: `hits` or `bytes`; `nil` for any
  /// other text, and for an exponent outside 0 through 4.
  public init?(_ text: String) {
    if let goal = Self.goals.first(where: { $0.key == text }) {
      self = goal.value
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let named = Self.all.first(where: { $0.name == parts[0] }) else { return nil }
    self = named
    if parts.count == 1 { return }
    guard exponent != nil, let number = Double(parts[1]), (0...4).contains(number) else {
      return nil
    }
    exponent = number
  }

  var algorithm: any Replacement { makeAlgorithm(exponent ?? 1) }

  /// The name that options use.
  public var description: String {
    exponent.map { $0 == 1 ? name : "\(name):\($0)" } ?? name
  }

  /// Whether two have the same name and exponent.
  public static func == (left: EvictionPolicy, right: EvictionPolicy) -> Bool {
    left.name == right.name && left.exponent == right.exponent
  }

  /// Hashes the name and the exponent.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(exponent)
  }
}
