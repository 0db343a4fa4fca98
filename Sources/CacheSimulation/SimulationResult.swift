/// What came of one simulation.
public struct SimulationResult: Sendable {
  /// The requests.
  public let trace: Trace
  /// Which of the traces that are compared it is, from 0; names may be the same.
  public let traceIndex: Int
  /// Who decided.
  public let policy: SimulatedPolicy
  /// What it is called: as it was asked for.
  public let policyName: String
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
  /// One standard deviation of the hit ratio that thinning the trace causes; `nil` where the trace is whole, or too
  /// little of it is left to tell.
  public var standardError: Double?

  init(
    simulation: Simulation, capacityValue: Int, counts: SimulationCounts, warmUpCount: Int,
    warmUpByteCount: Int,
    nanosecondsPerRequest: Double
  ) {
    trace = simulation.trace
    traceIndex = simulation.traceIndex
    policy = simulation.policy
    policyName = simulation.policyName
    capacity = simulation.capacity
    self.capacityValue = capacityValue
    self.counts = counts
    self.warmUpCount = warmUpCount
    self.warmUpByteCount = warmUpByteCount
    self.nanosecondsPerRequest = nanosecondsPerRequest
  }

  /// Whether the trace was thinned.
  public var isSampled: Bool { trace.sampleRate < 1 }
  /// Requests of the trace.
  public var requestCount: Int { trace.facts.requestCount }
  /// Hits among all requests; of a thinned trace an estimate for the whole one, made of the misses.
  public var hitRatio: Double {
    Self.ratio(missed: requestCount - counts.hits, of: trace.expectedRequestCount)
  }
  /// Bytes of hits among all bytes requested, likewise.
  public var byteHitRatio: Double {
    Self.ratio(
      missed: trace.facts.requestedByteCount - counts.hitByteCount, of: trace.expectedByteCount)
  }
  /// The hit ratio without the first fifth of the requests.
  public var warmHitRatio: Double? {
    counts.warmHits.map { hits in
      let count = requestCount - warmUpCount
      // Multiplied first: of a whole trace it is the count itself, to the last bit.
      let expected = trace.expectedRequestCount * Double(count) / Double(max(1, requestCount))
      return Self.ratio(missed: count - hits, of: expected)
    }
  }

  /// Where there was nothing to hit, nothing was hit.
  private static func ratio(missed: Int, of expected: Double) -> Double {
    expected > 0 ? min(1, max(0, (expected - Double(missed)) / expected)) : 0
  }

  /// The results of each trace, in the order of their first ones.
  public static func byTrace(_ results: [SimulationResult]) -> [[SimulationResult]] {
    var groups: [[SimulationResult]] = []
    var places: [Int: Int] = [:]
    for result in results {
      if let place = places[result.traceIndex] {
        groups[place].append(result)
      } else {
        places[result.traceIndex] = groups.count
        groups.append([result])
      }
    }
    return groups
  }

  /// Fills ``gapClosed`` in for all results of a trace and capacity where both LRU and a bound are among them:
  /// PFOO-L, or else Belady's where all objects count the same.
  public static func closingGaps(_ results: [SimulationResult]) -> [SimulationResult] {
    struct Cell: Hashable {
      let trace: Int
      let capacity: SimulatedCapacity

      init(_ result: SimulationResult) {
        trace = result.traceIndex
        capacity = result.capacity
      }
    }
    var floor: [Cell: Int] = [:]
    var ceiling: [Cell: Int] = [:]
    for result in results {
      let cell = Cell(result)
      if result.policy == .online(.lru) { floor[cell] = result.counts.hits }
      if result.policy == .pfooL { ceiling[cell] = result.counts.hits }
    }
    for result in results
    where result.policy == .belady
      && (result.capacity.countsObjects || !result.trace.facts.hasSizes)
    {
      let cell = Cell(result)
      if ceiling[cell] == nil { ceiling[cell] = result.counts.hits }
    }
    return results.map { result in
      var result = result
      let cell = Cell(result)
      if let low = floor[cell], let high = ceiling[cell], high > low, result.policy != .infinite {
        result.gapClosed = Double(result.counts.hits - low) / Double(high - low)
      }
      return result
    }
  }
}
