/// What came of one simulation.
public struct SimulationResult: Sendable {
  /// The requests.
  public let trace: Trace
  /// Who decided.
  public let policy: SimulatedPolicy
  /// How much room there was, as asked for.
  public let capacity: SimulatedCapacity
  /// The same in bytes or objects, of the whole trace.
  public let capacityValue: Int
  /// Raw counts.
  public let counts: SimulationCounts
  /// Requests that the warm column leaves out.
  public let warmUpCount: Int
  /// Their bytes.
  public let warmUpByteCount: Int
  /// Time it took.
  public let nanosecondsPerRequest: Double
  /// The share of hits between LRU and the bound that was gained, 1 at the bound; see ``closingGaps(_:)``.
  public var gapClosed: Double?
  /// One standard deviation of the hit ratio that thinning the trace causes.
  public var standardError: Double?

  init(
    trace: Trace, policy: SimulatedPolicy, capacity: SimulatedCapacity, capacityValue: Int,
    counts: SimulationCounts, warmUpCount: Int, warmUpByteCount: Int,
    nanosecondsPerRequest: Double
  ) {
    self.trace = trace
    self.policy = policy
    self.capacity = capacity
    self.capacityValue = capacityValue
    self.counts = counts
    self.warmUpCount = warmUpCount
    self.warmUpByteCount = warmUpByteCount
    self.nanosecondsPerRequest = nanosecondsPerRequest
  }

  /// Requests of the trace.
  public var requestCount: Int { trace.facts.requestCount }
  /// Hits among all requests.
  public var hitRatio: Double { TraceFacts.ratio(counts.hits, requestCount) }
  /// Bytes of hits among all bytes requested.
  public var byteHitRatio: Double {
    TraceFacts.ratio(counts.hitByteCount, trace.facts.requestedByteCount)
  }
  /// The hit ratio without the first fifth of the requests.
  public var warmHitRatio: Double? {
    counts.warmHits.map { TraceFacts.ratio($0, requestCount - warmUpCount) }
  }

  /// Fills ``gapClosed`` in for all results of a trace and capacity where both LRU and a bound are among them:
  /// PFOO-L, or else Belady's.
  public static func closingGaps(_ results: [SimulationResult]) -> [SimulationResult] {
    struct Cell: Hashable {
      let trace: String
      let capacity: SimulatedCapacity
    }
    var floor: [Cell: Int] = [:]
    var ceiling: [Cell: Int] = [:]
    for result in results {
      let cell = Cell(trace: result.trace.name, capacity: result.capacity)
      if result.policy == .online(.lru) { floor[cell] = result.counts.hits }
      if result.policy == .pfooL { ceiling[cell] = result.counts.hits }
    }
    for result in results where result.policy == .belady {
      let cell = Cell(trace: result.trace.name, capacity: result.capacity)
      if ceiling[cell] == nil { ceiling[cell] = result.counts.hits }
    }
    return results.map { result in
      var result = result
      let cell = Cell(trace: result.trace.name, capacity: result.capacity)
      if let low = floor[cell], let high = ceiling[cell], high > low, result.policy != .infinite {
        result.gapClosed = Double(result.counts.hits - low) / Double(high - low)
      }
      return result
    }
  }
}
