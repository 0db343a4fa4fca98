/// The policy by which the disk tier evicts entries: it compares a sample of them. A newcomer that
/// must be admitted may be the first to be evicted.
public enum DiskEvictionPolicy: Sendable, Hashable, LosslessStringConvertible {
  /// Least recently used.
  case lru
  /// ``EvictionPolicy/gdsfTB(exponent:)``.
  case gdsfTB(exponent: Double = 1)
  /// ``EvictionPolicy/lhdTB(exponent:)``.
  case lhdTB(exponent: Double = 1)

  /// Each policy, with its defaults.
  public static let all: [DiskEvictionPolicy] = [.lru, .gdsfTB(), .lhdTB()]
  /// The default of the disk tier.
  public static let `default` = DiskEvictionPolicy.lhdTB()

  /// The policy for the most bytes of hits; see ``EvictionPolicy/bytes``.
  public static let bytes = DiskEvictionPolicy.lhdTB(exponent: 0.125)

  /// Parses a name such as `lru` or `gdsf-tb:0.7`, or a goal: `hits` or `bytes`; `nil` for any other
  /// text.
  public init?(_ text: String) {
    guard let policy = EvictionPolicy(text) else { return nil }
    let exponent = policy.exponent ?? 1
    let all = [DiskEvictionPolicy.lru, .gdsfTB(exponent: exponent), .lhdTB(exponent: exponent)]
    guard let form = all.first(where: { $0.inMemory == policy }) else { return nil }
    self = form
  }

  /// The name that options use.
  public var description: String { inMemory.description }

  /// The policy of this name in the memory tier.
  private var inMemory: EvictionPolicy {
    switch self {
    case .lru: .lru
    case .gdsfTB(let exponent): .gdsfTB(exponent: exponent)
    case .lhdTB(let exponent): .lhdTB(exponent: exponent)
    }
  }

  private struct Box: SampledPolicyVisitor {
    func visit(_ policy: some SampledPolicy) -> any SampledPolicy { policy }
  }

  /// The policy without a past.
  var sampled: any SampledPolicy { Box().visit(self) }
}

/// An operation on a policy by sample. Its type is known where it is visited, so that the compiler
/// generates code for each: behind a protocol, samples take ten times as long.
package protocol SampledPolicyVisitor {
  associatedtype Result
  func visit(_ policy: some SampledPolicy) -> Result
}

extension SampledPolicyVisitor {
  @inlinable
  package func visit(_ policy: DiskEvictionPolicy) -> Result {
    switch policy {
    case .lru: visit(SampledLRU())
    case .gdsfTB(let exponent): visit(SampledGDSF(exponent: exponent))
    case .lhdTB(let exponent): visit(SampledLHD(exponent: exponent))
    }
  }
}
