/// Ratios of a fleet; `nil` for a single cache. For a sample they are estimates for the whole trace,
/// made from the misses, as ``SimulationResult/hitRatio`` is.
extension SimulationResult {
  /// The share of hits among the requests that the tier received, 0 through 1; 0 when it received
  /// none, `nil` without a tier.
  public var tierHitRatio: Double? {
    guard let fleetCounts, fleet?.tier != nil else { return nil }
    return TraceFacts.ratio(fleetCounts.tierHits, fleetCounts.missCount)
  }

  /// The share of the bytes of hits among those that were requested of the tier, likewise.
  public var tierByteHitRatio: Double? {
    guard let fleetCounts, fleet?.tier != nil else { return nil }
    return TraceFacts.ratio(fleetCounts.tierHitByteCount, fleetCounts.missByteCount)
  }

  /// The share of all requests that the origin received.
  public var originShare: Double? {
    fleetCounts.map {
      1 - Self.ratio(missed: $0.originRequestCount, of: trace.expectedRequestCount)
    }
  }

  /// The share of all requested bytes that the origin sent.
  public var originByteShare: Double? {
    fleetCounts.map { 1 - Self.ratio(missed: $0.originByteCount, of: trace.expectedByteCount) }
  }

  /// The share of all requests that a server's cache or the tier answered.
  public var overallHitRatio: Double? {
    fleetCounts.map { Self.ratio(missed: $0.originRequestCount, of: trace.expectedRequestCount) }
  }

  /// The share of all requested bytes that a server's cache or the tier sent.
  public var overallByteHitRatio: Double? {
    fleetCounts.map { Self.ratio(missed: $0.originByteCount, of: trace.expectedByteCount) }
  }

  /// The share of all requests that the busiest server received: one in as many as there are
  /// servers where they are spread evenly.
  public var busiestShare: Double? {
    fleetCounts.map { TraceFacts.ratio($0.requestsByServer.max() ?? 0, requestCount) }
  }
}
