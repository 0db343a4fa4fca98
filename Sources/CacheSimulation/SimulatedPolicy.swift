import ImagePipeline

/// What `imgcache simulate` can compare: the policies that the caches run on, simpler ones, and bounds that know the
/// future.
public enum SimulatedPolicy: Sendable, Hashable, CustomStringConvertible {
  /// One that the caches run on; ``fifo``, ``clock`` and ``lfu`` are for comparison.
  case online(EvictionPolicyName)
  case fifo, clock, lfu
  /// GDSF-TB as the disk runs it: nobody is refused, and counts of who went are kept in a table of limited length.
  case diskGDSFTB(exponent: Double)
  /// The best there is for objects of one size.
  case belady
  /// A bound on the hits of any policy.
  case pfooL
  /// A good plan that some policy with knowledge of the future could reach.
  case greedy
  /// A cache without end.
  case infinite

  private static let others: [(name: String, policy: SimulatedPolicy)] = [
    ("fifo", .fifo), ("clock", .clock), ("lfu", .lfu),
    ("gdsf-tb-disk", .diskGDSFTB(exponent: GDSFTBPolicy.defaultExponent)), ("belady", .belady),
    ("pfoo-l", .pfooL), ("greedy", .greedy), ("inf", .infinite),
  ]

  /// All names that can be asked for, with their defaults.
  public static var names: [String] {
    EvictionPolicyName.all.map(\.description) + others.map(\.name)
  }

  /// Reads a name as in ``EvictionPolicyName``, or one of those for the simulator only, such as `gdsf-tb-disk:0.5`.
  public init?(_ text: String) {
    if let name = EvictionPolicyName(text) {
      self = .online(name)
    } else if let other = Self.others.first(where: { $0.name == text }) {
      self = other.policy
    } else if text.hasPrefix("gdsf-tb-disk:"),
      let exponent = EvictionPolicyName.exponent(text.dropFirst(13))
    {
      self = .diskGDSFTB(exponent: exponent)
    } else {
      return nil
    }
  }

  /// The name that options use.
  public var description: String {
    if case .online(let name) = self { return name.description }
    if case .diskGDSFTB(let exponent) = self, exponent != GDSFTBPolicy.defaultExponent {
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
