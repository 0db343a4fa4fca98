import CachePolicies

/// What `imgcache simulate` compares: the policies that the caches run on, simpler ones, and bounds
/// that know the future.
public enum SimulatedPolicy: Sendable, Hashable, CustomStringConvertible {
  /// A policy that the caches run on; ``fifo``, ``clock`` and ``lfu`` are for comparison.
  case online(EvictionPolicy)
  case fifo, clock, lfu
  /// GDSF-TB as the disk runs it: every entry is admitted, and counts of evicted entries are kept
  /// in a table of limited length.
  case diskGDSFTB(exponent: Double = 1)
  /// Optimal for objects of one size.
  case belady
  /// An upper bound on the hits of any policy.
  case pfooL
  /// A good plan that a policy with knowledge of the future can reach.
  case greedy
  /// A cache without a limit.
  case infinite

  private static let others: [(name: String, policy: SimulatedPolicy)] = [
    ("fifo", .fifo), ("clock", .clock), ("lfu", .lfu),
    ("gdsf-tb-disk", .diskGDSFTB()), ("belady", .belady),
    ("pfoo-l", .pfooL), ("greedy", .greedy), ("inf", .infinite),
  ]

  /// The names of all policies, with their defaults.
  public static var names: [String] {
    EvictionPolicy.all.map(\.description) + others.map(\.name)
  }

  /// Parses a name as in ``EvictionPolicy``, or one for the simulator only, such as
  /// `gdsf-tb-disk:0.5`.
  public init?(_ text: String) {
    if let name = EvictionPolicy(text) {
      self = .online(name)
    } else if let other = Self.others.first(where: { $0.name == text }) {
      self = other.policy
    } else if text.hasPrefix("gdsf-tb-disk:"),
      let exponent = EvictionPolicy.exponent(text.dropFirst(13))
    {
      self = .diskGDSFTB(exponent: exponent)
    } else {
      return nil
    }
  }

  /// The name that options use.
  public var description: String {
    if case .online(let name) = self { return name.description }
    if case .diskGDSFTB(let exponent) = self, exponent != 1 {
      return "gdsf-tb-disk:\(exponent)"
    }
    return Self.others.first { $0.policy == self }?.name ?? ""
  }

  var subject: PolicyReplay.Subject? {
    switch self {
    case .online(let name): .policy(name)
    case .fifo: .fifo
    case .clock: .clock
    case .lfu: .lfu
    case .diskGDSFTB(let exponent): .diskGDSFTB(exponent: exponent)
    case .belady, .pfooL, .greedy, .infinite: nil
    }
  }
}
