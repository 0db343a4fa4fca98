/// The raw counts of a simulation.
public struct SimulationCounts: Sendable, Hashable {
  /// The number of hits.
  public var hits = 0
  /// The bytes of the hits.
  public var hitByteCount = 0
  /// Hits after the warm-up; `nil` for a bound, which is not a sequence of events.
  public var warmHits: Int?
  /// The number of evictions; `nil` when it is unknown.
  public var evictions: Int?
}

extension SimulationCounts {
  /// Counts the hits of a cache that evicts nothing: only first requests miss.
  init(ofInfiniteCacheFor trace: CacheTrace, warmUp: Int) {
    self.init(warmHits: 0, evictions: 0)
    var isKnown = [Bool](repeating: false, count: trace.facts.objectCount)
    for (index, key) in trace.keys.enumerated() {
      if isKnown[Int(key)] {
        hits += 1
        hitByteCount += trace.sizes[index]
        if index >= warmUp { warmHits? += 1 }
      }
      isKnown[Int(key)] = true
    }
  }
}
