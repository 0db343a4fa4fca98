import ImagePipeline

/// One cell of the table: a trace, a policy, a capacity.
public struct Simulation: Sendable {
  /// The requests.
  public let trace: Trace
  /// Which of the traces that are compared it is, from 0.
  public let traceIndex: Int
  /// Who decides.
  public let policy: SimulatedPolicy
  /// What it is called: as it was asked for.
  public let policyName: String
  /// How much room there is.
  public let capacity: SimulatedCapacity

  /// A cell that is yet to be computed.
  ///
  /// - Parameter name: What the policy is to be called. Default: its own name.
  public init(
    trace: Trace, traceIndex: Int = 0, policy: SimulatedPolicy, named name: String? = nil,
    capacity: SimulatedCapacity
  ) {
    self.trace = trace
    self.traceIndex = traceIndex
    self.policy = policy
    policyName = name ?? policy.description
    self.capacity = capacity
  }

  /// The share of requests at the beginning that the warm column leaves out.
  public static let warmUpShare = 0.2

  /// Replays the trace.
  ///
  /// - Parameters:
  ///   - seconds: A clock that only moves forward, in seconds.
  ///   - progress: Hears how many more requests were done; `false` ends it.
  /// - Returns: What came of it; `nil` where it was ended early.
  public func run(
    seconds: () -> Double, progress: (Int) -> Bool = { _ in true }
  ) -> SimulationResult? {
    let warmUp = Int(Double(trace.keys.count) * Self.warmUpShare)
    let value = capacity.value(for: trace.facts)
    let scaled = scaledForSample(value)
    let start = seconds()
    var hasEnded = false
    let counts = count(scaled, warmUp: warmUp) { done in
      hasEnded = !progress(done)
      return !hasEnded
    }
    let elapsed = seconds() - start
    if hasEnded { return nil }
    return SimulationResult(
      simulation: self, capacityValue: value, counts: counts, warmUpCount: warmUp,
      warmUpByteCount: trace.sizes.prefix(warmUp).reduce(0, &+),
      nanosecondsPerRequest: elapsed * 1e9 / Double(max(1, trace.keys.count)))
  }

  /// A thinned trace is simulated in a cache as much smaller; a share is a share of what is there already.
  fileprivate func scaledForSample(_ value: Int) -> Int {
    switch capacity.amount {
    case .bytes, .objects: SimulatedCapacity.scaled(value, by: trace.sampleRate)
    case .shareOfBytes, .shareOfObjects: value
    }
  }

  fileprivate func count(
    _ capacity: Int, warmUp: Int, progress: (Int) -> Bool
  ) -> SimulationCounts {
    let objects = self.capacity.countsObjects
    if let subject = policy.subject {
      let requests = PolicyReplay.Requests(
        keys: trace.keys, sizes: trace.sizes, countsObjects: objects)
      // No more than will be resident: a table with room for all objects does not fit the processor's caches.
      let footprint = objects ? trace.facts.objectCount : trace.facts.footprint
      let share = min(1, Double(capacity) / Double(max(1, footprint)))
      let expected = Int(Double(trace.facts.objectCount) * share)
      let (first, rest) = PolicyReplay.run(
        subject, requests, capacity: capacity, warmUp: warmUp,
        expectedCount: min(expected, 1 << 24), progress: progress)
      return SimulationCounts(
        hits: first.hits + rest.hits, hitByteCount: first.hitSize + rest.hitSize,
        warmHits: rest.hits, evictions: first.evictions + rest.evictions)
    }
    let sizes = objects ? nil : trace.sizes
    defer { _ = progress(trace.keys.count) }
    switch policy {
    case .belady: return Belady.count(trace, sizes: sizes, capacity: capacity, warmUp: warmUp)
    case .pfooL: return PFOOL.count(trace, sizes: sizes, capacity: capacity)
    case .greedy: return GreedyPlan.count(trace, sizes: sizes, capacity: capacity, warmUp: warmUp)
    default: return InfiniteCache.count(trace, sizes: sizes, capacity: capacity, warmUp: warmUp)
    }
  }
}

/// Raw counts of a simulation.
public struct SimulationCounts: Sendable, Hashable {
  /// Requests that were hits.
  public var hits = 0
  /// Their bytes.
  public var hitByteCount = 0
  /// Hits after the warm-up; `nil` for a bound, which is no sequence of events.
  public var warmHits: Int?
  /// Objects that went for others; `nil` where nothing says how many.
  public var evictions: Int?
}

extension Simulation {
  /// Objects of mean size that the room of a part of a sample has to hold: in less all parts hit as good as nothing,
  /// and so agree.
  static let minimumPartRoom = 4

  /// One standard deviation of the hit ratio due to sampling, on the side of caution: the sample is cut into eight, each
  /// is simulated in an eighth of the room, and their spread is divided by the root of eight.
  ///
  /// - Returns: `nil` where the sample is too small to tell: an eighth of the room has no place for four objects of the
  ///   mean size, or there are not two keys in different parts.
  public func standardError() -> Double? {
    let facts = trace.facts
    let room = scaledForSample(capacity.value(for: facts)) / 8
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
    // What is estimated varies less than the parts' own ratios; the greater of the two errs on the side of caution.
    return max(
      Self.standardError(
        zip(parts, misses).map { 1 - Double($1) / $0.expectedRequestCount }),
      Self.standardError(
        zip(parts, misses).filter { !$0.0.keys.isEmpty }
          .map { 1 - TraceFacts.ratio($1, $0.keys.count) }))
  }

  /// Of the mean of some values.
  private static func standardError(_ values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    return (variance / count).squareRoot()
  }
}
