import CachePolicies

/// Servers behind a load balancer, each with a separate cache, and a cache behind all of them.
public struct Fleet: Sendable, Hashable {
  /// A cache that all servers share: it receives what their own caches miss.
  public struct Tier: Sendable, Hashable {
    /// Its capacity.
    public let capacity: SimulatedCapacity
    /// Its eviction policy.
    public let policy: SimulatedPolicy
    /// The name of the policy, as it was requested.
    public let policyName: String

    /// The policy of a tier unless another is named: LRU, of all policies here the one that a model
    /// of Redis with `allkeys-lfu` is nearest to, whether its counters fade fast or never.
    ///
    /// `lfu` is not: it counts exactly and never forgets, where Redis compares five
    /// keys at random by counters of few values, which fade by the minute.
    public static let defaultPolicy = SimulatedPolicy.online(.lru)

    /// Creates a tier; `nil` for a policy that needs later requests. The name is the policy's own
    /// unless another is given.
    public init?(
      capacity: SimulatedCapacity, policy: SimulatedPolicy = Self.defaultPolicy,
      named name: String? = nil
    ) {
      if policy.needsFuture { return nil }
      self.capacity = capacity
      self.policy = policy
      policyName = name ?? policy.description
    }
  }

  /// The number of servers.
  public let serverCount: Int
  /// How the server of a request is chosen.
  public let choice: ServerChoice
  /// The tier behind the servers; `nil` for none.
  public let tier: Tier?

  /// The permitted numbers of servers.
  public static let serverCounts = 1...1_024

  /// Creates a fleet; `nil` for a number of servers outside ``serverCounts``.
  public init?(serverCount: Int = 1, choice: ServerChoice = .none, tier: Tier? = nil) {
    guard Self.serverCounts.contains(serverCount) else { return nil }
    self.serverCount = serverCount
    self.choice = choice
    self.tier = tier
  }
}
