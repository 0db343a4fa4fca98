import ImagePipeline

/// What `imgcache simulate` can compare: the policies that the caches run on, simpler ones, and bounds that know the
/// future.
public enum SimulatedPolicy: Sendable, Hashable, CustomStringConvertible {
  /// One that the caches run on; ``fifo``, ``clock`` and ``lfu`` are for comparison.
  case online(EvictionPolicyName)
  case fifo, clock, lfu
  /// The best there is for objects of one size.
  case belady
  /// A bound on the hits of any policy.
  case pfooL
  /// A good plan that some policy with knowledge of the future could reach.
  case greedy
  /// A cache without end.
  case infinite

  private static let others: [(name: String, policy: SimulatedPolicy)] = [
    ("fifo", .fifo), ("clock", .clock), ("lfu", .lfu), ("belady", .belady), ("pfoo-l", .pfooL),
    ("greedy", .greedy), ("inf", .infinite),
  ]

  /// All names that can be asked for, with their defaults.
  public static var names: [String] {
    EvictionPolicyName.all.map(\.description) + others.map(\.name)
  }

  /// Reads a name as in ``EvictionPolicyName``, or one of those for the simulator only.
  public init?(_ text: String) {
    if let name = EvictionPolicyName(text) {
      self = .online(name)
    } else if let other = Self.others.first(where: { $0.name == text }) {
      self = other.policy
    } else {
      return nil
    }
  }

  /// The name that options use.
  public var description: String {
    if case .online(let name) = self { return name.description }
    return Self.others.first { $0.policy == self }?.name ?? ""
  }

  var subject: PolicyReplay.Subject? {
    switch self {
    case .online(let name): .policy(name)
    case .fifo: .fifo
    case .clock: .clock
    case .lfu: .lfu
    case .belady, .pfooL, .greedy, .infinite: nil
    }
  }
}
