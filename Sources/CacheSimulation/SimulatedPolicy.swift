public import CachePolicies

/// The policies that `imgcache simulate` compares: those that the caches run on, simpler ones, and
/// bounds that use future requests.
public enum SimulatedPolicy: Sendable, Hashable, CustomStringConvertible {
  /// A policy as the memory tier runs it, or one for comparison: `fifo`, `clock` or `lfu`.
  case online(EvictionPolicy)
  /// A policy as the disk tier of `serve` and `proxy` runs it: by sample, and a newcomer that is
  /// worth less than what it would evict is refused.
  case disk(DiskEvictionPolicy)
  /// Optimal for objects of one size.
  case belady
  /// An upper bound on the hits of any policy.
  case pfooL
  /// An upper bound on the bytes of the hits of any policy.
  case pfooLBytes
  /// A good plan that a policy with knowledge of the future can reach.
  case greedy
  /// A cache without a limit.
  case infinite

  private static let others: [(name: String, policy: SimulatedPolicy)] = [
    ("belady", .belady), ("pfoo-l", .pfooL), ("pfoo-l-bytes", .pfooLBytes), ("greedy", .greedy),
    ("inf", .infinite),
  ]
  private static let diskSuffix = "-disk"
  private static let diskDefaultName = "default-disk"

  /// The names of all policies, with their defaults.
  public static var names: [String] {
    EvictionPolicy.all.map(\.description)
      + DiskEvictionPolicy.all.map { SimulatedPolicy.disk($0).description } + [diskDefaultName]
      + EvictionPolicy.forComparison.map(\.description) + others.map(\.name)
  }

  /// Parses a name as in ``EvictionPolicy``, one of the disk tier's, such as `bytes-disk` or
  /// `default-disk`, or one for the simulator only.
  public init?(_ text: String) {
    let compared = EvictionPolicy.forComparison.first { $0.description == text }
    if let policy = EvictionPolicy(text) ?? compared {
      self = .online(policy)
    } else if let other = Self.others.first(where: { $0.name == text }) {
      self = other.policy
    } else if text == Self.diskDefaultName {
      self = .disk(.default)
    } else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts[0].hasSuffix(Self.diskSuffix) else { return nil }
      let name = parts[0].dropLast(Self.diskSuffix.count)
      guard let policy = DiskEvictionPolicy(([name] + parts.dropFirst()).joined(separator: ":"))
      else { return nil }
      self = .disk(policy)
    }
  }

  /// The name that options use.
  public var description: String {
    switch self {
    case .online(let policy): return policy.description
    case .disk(let policy):
      var parts = policy.description.split(separator: ":").map(String.init)
      parts[0] += Self.diskSuffix
      return parts.joined(separator: ":")
    default: return Self.others.first { $0.policy == self }?.name ?? ""
    }
  }

  /// Whether it decides by later requests of the one cache that it is in: Belady's, the bound and the
  /// plan. Such a policy is not simulated in a ``Fleet``.
  public var needsFuture: Bool { subject == nil && self != .infinite }

  var subject: PolicyReplay.Subject? {
    switch self {
    case .online(let policy): .policy(policy)
    case .disk(let policy): .disk(policy)
    case .belady, .pfooL, .pfooLBytes, .greedy, .infinite: nil
    }
  }
}
