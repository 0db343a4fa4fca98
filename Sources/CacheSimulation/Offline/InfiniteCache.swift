/// A cache that evicts nothing: only first requests miss.
enum InfiniteCache {
  static func count(
    _ trace: Trace, sizes: [Int]?, capacity: Int, warmUp: Int
  ) -> SimulationCounts {
    var counts = SimulationCounts(warmHits: 0, evictions: 0)
    var isKnown = [Bool](repeating: false, count: trace.facts.objectCount)
    for (index, key) in trace.keys.enumerated() {
      if isKnown[Int(key)] {
        counts.hits += 1
        counts.hitByteCount += trace.sizes[index]
        if index >= warmUp { counts.warmHits? += 1 }
      }
      isKnown[Int(key)] = true
    }
    return counts
  }
}
