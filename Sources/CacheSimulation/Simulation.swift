import CachePolicies

/// One cell of the table: a trace, a policy and a capacity.
public struct Simulation: Sendable {
  /// The trace to replay.
  public let trace: CacheTrace
  /// The index of the trace among those compared, from 0.
  public let traceIndex: Int
  /// The eviction policy.
  public let policy: SimulatedPolicy
  /// The name of the policy, as it was requested.
  public let policyName: String
  /// The capacity of the cache; in a fleet that of each server's.
  public let capacity: SimulatedCapacity
  /// The servers that have such a cache each, and the tier behind them; `nil` for a single cache.
  public private(set) var fleet: Fleet?

  /// Creates a cell to compute. The name is the policy's own unless another is given.
  public init(
    trace: CacheTrace, traceIndex: Int = 0, policy: SimulatedPolicy, named name: String? = nil,
    capacity: SimulatedCapacity
  ) {
    self.trace = trace
    self.traceIndex = traceIndex
    self.policy = policy
    policyName = name ?? policy.description
    self.capacity = capacity
  }

  /// Creates a cell to compute in which each server of a fleet has such a cache; `nil` for a policy
  /// that needs later requests. A share of the trace as the capacity is one of the whole trace.
  public init?(
    trace: CacheTrace, traceIndex: Int = 0, policy: SimulatedPolicy, named name: String? = nil,
    capacity: SimulatedCapacity, fleet: Fleet
  ) {
    if policy.needsFuture { return nil }
    self.init(
      trace: trace, traceIndex: traceIndex, policy: policy, named: name, capacity: capacity)
    self.fleet = fleet
  }

  /// The share of requests at the beginning that the warm column leaves out.
  public static let warmUpShare = 0.2

  /// Replays the trace, by a clock in seconds that only moves forward; `nil` when it was stopped.
  /// `progress` receives how many more requests were replayed, and returns `false` to stop.
  public func run(
    seconds: () -> Double, progress: (Int) -> Bool = { _ in true }
  ) -> SimulationResult? {
    let warmUp = Int(Double(trace.keys.count) * Self.warmUpShare)
    let value = capacity.value(for: trace.facts)
    let start = seconds()
    var hasEnded = false
    func proceed(_ done: Int) -> Bool {
      hasEnded = !progress(done)
      return !hasEnded
    }
    let (counts, fleetCounts): (SimulationCounts, FleetCounts?) =
      if let fleet {
        count(fleet, warmUp: warmUp, progress: proceed)
      } else {
        (count(scaledForSample(value, of: capacity), warmUp: warmUp, progress: proceed), nil)
      }
    let elapsed = seconds() - start
    if hasEnded { return nil }
    return SimulationResult(
      simulation: self, capacityValue: value, counts: counts, fleetCounts: fleetCounts,
      warmUpCount: warmUp,
      nanosecondsPerRequest: elapsed * 1e9 / Double(max(1, trace.keys.count)))
  }

  /// Returns the capacity for a sampled trace, smaller by the sample rate; a share is one of the
  /// sample already.
  func scaledForSample(_ value: Int, of capacity: SimulatedCapacity) -> Int {
    switch capacity.amount {
    case .fixed: SimulatedCapacity.scaled(value, by: trace.sampleRate)
    case .share: value
    }
  }

  private func count(_ capacity: Int, warmUp: Int, progress: (Int) -> Bool) -> SimulationCounts {
    let objects = self.capacity.countsObjects
    if let subject = policy.subject {
      let requests = PolicyReplay.Requests(
        keys: trace.keys, sizes: trace.sizes, countsObjects: objects)
      let (first, rest) = PolicyReplay.run(
        subject, requests, capacity: capacity, warmUp: warmUp,
        expectedCount: expectedCount(capacity, countsObjects: objects), progress: progress)
      return SimulationCounts(
        hits: first.hits + rest.hits, hitByteCount: first.hitSize + rest.hitSize,
        warmHits: rest.hits, evictions: first.evictions + rest.evictions)
    }
    let sizes = objects ? nil : trace.sizes
    defer { _ = progress(trace.keys.count) }
    switch policy {
    case .belady: return Belady.count(trace, sizes: sizes, capacity: capacity, warmUp: warmUp)
    case .pfooL: return PFOOL.count(trace, sizes: sizes, capacity: capacity)
    case .pfooLBytes:
      return PFOOL.count(trace, sizes: sizes, capacity: capacity, byBytes: true)
    case .greedy: return GreedyPlan.count(trace, sizes: sizes, capacity: capacity, warmUp: warmUp)
    default: return SimulationCounts(ofInfiniteCacheFor: trace, warmUp: warmUp)
    }
  }

  /// Returns the number of objects to reserve room for: no more than will be resident, since a table
  /// for all objects does not fit the processor's caches.
  func expectedCount(_ capacity: Int, countsObjects: Bool) -> Int {
    let footprint = countsObjects ? trace.facts.objectCount : trace.facts.footprint
    let share = min(1, Double(capacity) / Double(max(1, footprint)))
    return min(Int(Double(trace.facts.objectCount) * share), 1 << 24)
  }

  /// The number of objects of mean size that the capacity of a part of a sample has to hold: with
  /// less, all parts hit almost nothing, and so agree.
  static let minimumPartRoom = 4

  /// Returns a conservative standard deviation of the hit ratio due to sampling: the sample is
  /// split into eight, each part is simulated in an eighth of the capacity, and their spread is
  /// divided by the root of eight.
  ///
  /// - Returns: `nil` for a fleet, and when the sample is too small: an eighth of the capacity has
  ///   no room for four objects of the mean size, or no two keys are in different parts.
  public func standardError() -> Double? {
    if fleet != nil { return nil }
    let facts = trace.facts
    let room = scaledForSample(capacity.value(for: facts), of: capacity) / 8
    let meanSize =
      capacity.countsObjects ? 1 : Double(facts.footprint) / Double(max(1, facts.objectCount))
    let isEnough = Double(room) >= Double(Self.minimumPartRoom) * meanSize
    guard isEnough || policy == .infinite else { return nil }
    let parts = trace.split(into: 8)
    guard parts.count(where: { !$0.keys.isEmpty }) > 1 else { return nil }
    let misses = parts.map { part in
      part.keys.count
        - Simulation(trace: part, policy: policy, capacity: capacity)
        .count(room, warmUp: 0, progress: { _ in true }).hits
    }
    // The estimate varies less than the parts' own ratios; the greater of the two is conservative.
    return max(
      Self.standardError(
        zip(parts, misses).map { 1 - Double($1) / $0.expectedRequestCount }),
      Self.standardError(
        zip(parts, misses).filter { !$0.0.keys.isEmpty }
          .map { 1 - TraceFacts.ratio($1, $0.keys.count) }))
  }

  private static func standardError(_ values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    return (variance / count).squareRoot()
  }

  func count(
    _ fleet: Fleet, warmUp: Int, progress: (Int) -> Bool
  ) -> (SimulationCounts, FleetCounts?) {
    let replay = FleetReplay(
      servers: (0..<fleet.serverCount).map { _ in
        cache(policy, capacity, sharedBy: fleet.serverCount)
      },
      tier: fleet.tier.map { cache($0.policy, $0.capacity, sharedBy: 1) })
    var chooser = ServerChooser(fleet.choice, serverCount: fleet.serverCount)
    let (caches, counts) = replay.run(
      keys: trace.keys, sizes: trace.sizes, warmUp: warmUp,
      choosing: { chooser.server(for: $0) }, progress: progress)
    return (caches, counts)
  }

  /// - Parameter count: How many caches share the requests of the trace.
  private func cache(
    _ policy: SimulatedPolicy, _ capacity: SimulatedCapacity, sharedBy count: Int
  ) -> PolicyReplay.Access {
    // A queue without a limit evicts nothing.
    let value =
      policy == .infinite ? .max : scaledForSample(capacity.value(for: trace.facts), of: capacity)
    let expected = expectedCount(value, countsObjects: capacity.countsObjects)
    let cache = PolicyReplay.cache(
      policy.subject ?? .policy(.fifo), capacity: value,
      expectedCount: min(expected, trace.keys.count / count))
    return capacity.countsObjects ? { cache($0, 1, &$2) } : cache
  }
}
