import ArgumentParser
import CacheSimulation

struct FleetOptions: ParsableArguments {
  @Option(
    help: .value(
      "list", "Numbers of servers, separated by commas (default: 1).",
      "Each has a cache of --capacity."))
  var servers: String?

  @Option(
    help: .value(
      "list", "none, consistent, or both (default: none).",
      "How a load balancer chooses the server: none at random, consistent by a consistent hash of the key; none,consistent compares them."
    ), completion: .list(["none", "consistent", "none,consistent"]))
  var hashing: String?

  @Option(
    help: .value(
      "size[,policy]",
      "A cache that the servers share (default: none). Its capacity, and its policy, else \(Fleet.Tier.defaultPolicy), the nearest to Redis; repeat the option to compare, also with 'none'."
    ))
  var tier: [String] = []

  static let defaultPolicy = "default-disk"

  mutating func validate() throws { _ = try fleets() }

  var areNamed: Bool { servers != nil || hashing != nil || !tier.isEmpty }

  func fleets() throws -> [Fleet] {
    guard areNamed else { return [] }
    if hashing != nil, servers == nil {
      throw ValidationError("--hashing chooses one of several servers; add --servers")
    }
    let counts = try SimulationList.words(servers ?? "1", "--servers").map { text in
      let (count, range) = (Int(text) ?? 0, Fleet.serverCounts)
      try require(
        range.contains(count),
        "--servers is \(range.lowerBound) through \(range.upperBound), not '\(text)'")
      return count
    }
    let choices = try SimulationList.words(hashing ?? ServerChoice.none.rawValue, "--hashing")
      .map { text in
        guard let choice = ServerChoice(rawValue: text) else {
          let names = ServerChoice.allCases.map(\.rawValue).joined(separator: " or ")
          throw ValidationError("--hashing is \(names), not '\(text)'")
        }
        return choice
      }
    let tiers = tier.isEmpty ? [nil] : try tier.map(Self.tier)
    return tiers.flatMap { tier in
      counts.flatMap { count in
        choices.compactMap { Fleet(serverCount: count, choice: $0, tier: tier) }
      }
    }
  }

  private static func tier(_ text: String) throws -> Fleet.Tier? {
    if text == "none" { return nil }
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    let capacity = try SimulationList.capacity(String(parts[0]))
    guard parts.count > 1 else { return Fleet.Tier(capacity: capacity) }
    let name = String(parts[1])
    let policy = try SimulationList.policy(name)
    try check(policy, name, "--tier")
    return Fleet.Tier(capacity: capacity, policy: policy, named: name)
  }

  static func check(_ policy: SimulatedPolicy, _ name: String, _ option: String) throws {
    try require(
      !policy.needsFuture,
      """
      \(option) \(name) looks ahead in the requests of a single cache; with --servers, --hashing or \
      --tier name a policy that a cache can run, or inf
      """)
  }
}

enum SimulationList {
  static func words(_ text: String, _ option: String) throws -> [String] {
    let words = text.split(separator: ",").map(String.init)
    try require(!words.isEmpty, "\(option) names none")
    return words
  }

  static func policy(_ name: String) throws -> SimulatedPolicy {
    if let policy = SimulatedPolicy(name) { return policy }
    let hint = NearName.hint(String(name.prefix { $0 != ":" }), among: SimulatedPolicy.names)
    throw ValidationError(
      "Unknown policy \"\(name)\"\(hint.isEmpty ? "." : hint) "
        + "Policies: \(SimulatedPolicy.names.joined(separator: ", "))")
  }

  static func capacity(_ text: String) throws -> SimulatedCapacity {
    if let capacity = SimulatedCapacity(text, bytes: { ByteQuantity(argument: $0)?.count }) {
      return capacity
    }
    throw ValidationError("\"\(text)\" is not a capacity; write 64MiB, 1000obj, 1% or 1%obj")
  }
}
