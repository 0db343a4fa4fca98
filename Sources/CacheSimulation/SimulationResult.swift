import CachePolicies

/// The result of one simulation, with the members of the simulation itself.
@dynamicMemberLookup
public struct SimulationResult: Sendable {
  let simulation: Simulation
  /// The capacity in bytes or objects, for the whole trace.
  public let capacityValue: Int
  /// The raw counts; those of all servers' caches together in a fleet.
  public let counts: SimulationCounts
  /// The counts of the fleet; `nil` for a single cache.
  public let fleetCounts: FleetCounts?
  /// The number of requests that the warm column leaves out.
  public let warmUpCount: Int
  /// The time that the simulation took.
  public let nanosecondsPerRequest: Double
  /// The share of the hits between LRU and the bound that was gained, 1 at the bound; see
  /// ``closingGaps(_:)``.
  public var gapClosed: Double?
  /// The standard deviation of the hit ratio due to sampling; `nil` when the trace is whole, or the
  /// sample is too small.
  public var standardError: Double?

  /// A member of the simulation.
  public subscript<Value>(dynamicMember member: KeyPath<Simulation, Value>) -> Value {
    simulation[keyPath: member]
  }

  var trace: CacheTrace { simulation.trace }
  /// Whether the trace is a sample.
  public var isSampled: Bool { trace.sampleRate < 1 }
  /// The number of requests of the trace.
  public var requestCount: Int { trace.facts.requestCount }
  /// The share of hits among all requests; for a sample an estimate for the whole trace, made from
  /// the misses.
  public var hitRatio: Double {
    Self.ratio(missed: requestCount - counts.hits, of: trace.expectedRequestCount)
  }
  /// The share of the bytes of hits among all bytes requested, likewise.
  public var byteHitRatio: Double {
    Self.ratio(
      missed: trace.facts.requestedByteCount - counts.hitByteCount, of: trace.expectedByteCount)
  }
  /// The hit ratio without the first fifth of the requests.
  public var warmHitRatio: Double? {
    counts.warmHits.map { hits in
      let count = requestCount - warmUpCount
      // Multiplied first: for a whole trace this is the count itself, to the last bit.
      let expected = trace.expectedRequestCount * Double(count) / Double(max(1, requestCount))
      return Self.ratio(missed: count - hits, of: expected)
    }
  }

  static func ratio(missed: Int, of expected: Double) -> Double {
    expected > 0 ? min(1, max(0, (expected - Double(missed)) / expected)) : 0
  }

  /// Groups results by trace, in the order of their first ones.
  public static func byTrace(_ results: [SimulationResult]) -> [[SimulationResult]] {
    let groups = Dictionary(grouping: results) { $0.traceIndex }
    var seen: Set<Int> = []
    return results.filter { seen.insert($0.traceIndex).inserted }
      .compactMap { groups[$0.traceIndex] }
  }

  /// Sets ``gapClosed`` for all results of a trace and capacity where both LRU and a bound are
  /// among them: PFOO-L, or else Belady's where all objects count the same.
  public static func closingGaps(_ results: [SimulationResult]) -> [SimulationResult] {
    struct Cell: Hashable {
      let trace: Int
      let capacity: SimulatedCapacity
    }
    func cell(_ result: SimulationResult) -> Cell {
      Cell(trace: result.traceIndex, capacity: result.capacity)
    }
    var (floor, bound, optimum) = ([Cell: Int](), [Cell: Int](), [Cell: Int]())
    for result in results {
      switch result.policy {
      case .online(.lru): floor[cell(result)] = result.counts.hits
      case .pfooL: bound[cell(result)] = result.counts.hits
      case .belady where result.capacity.countsObjects || !result.trace.facts.hasSizes:
        optimum[cell(result)] = result.counts.hits
      default: break
      }
    }
    return results.map { result in
      var result = result
      let cell = cell(result)
      if let low = floor[cell], let high = bound[cell] ?? optimum[cell], high > low,
        result.policy != .infinite
      {
        result.gapClosed = Double(result.counts.hits - low) / Double(high - low)
      }
      return result
    }
  }

  // MARK: A fleet

  // `nil` for a single cache. For a sample they are estimates for the whole trace, made from the
  // misses, as ``hitRatio`` is.

  /// The share of hits among the requests that the tier received, 0 through 1; 0 when it received
  /// none, `nil` without a tier.
  public var tierHitRatio: Double? {
    guard let fleetCounts, simulation.fleet?.tier != nil else { return nil }
    return TraceFacts.ratio(fleetCounts.tierHits, fleetCounts.missCount)
  }

  /// The share of the bytes of hits among those that were requested of the tier, likewise.
  public var tierByteHitRatio: Double? {
    guard let fleetCounts, simulation.fleet?.tier != nil else { return nil }
    return TraceFacts.ratio(fleetCounts.tierHitByteCount, fleetCounts.missByteCount)
  }

  /// The share of all requests that a server's cache or the tier answered.
  public var overallHitRatio: Double? {
    fleetCounts.map { Self.ratio(missed: $0.originRequestCount, of: trace.expectedRequestCount) }
  }

  /// The share of all requested bytes that a server's cache or the tier sent.
  public var overallByteHitRatio: Double? {
    fleetCounts.map { Self.ratio(missed: $0.originByteCount, of: trace.expectedByteCount) }
  }

  /// The share of all requests that the origin received.
  public var originShare: Double? { overallHitRatio.map { 1 - $0 } }
  /// The share of all requested bytes that the origin sent.
  public var originByteShare: Double? { overallByteHitRatio.map { 1 - $0 } }

  /// The share of all requests that the busiest server received: one in as many as there are
  /// servers where they are spread evenly.
  public var busiestShare: Double? {
    fleetCounts.map { TraceFacts.ratio($0.requestsByServer.max() ?? 0, requestCount) }
  }
}
