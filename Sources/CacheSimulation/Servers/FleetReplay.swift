import CachePolicies

/// The caches of several servers, and a tier behind them, through which a trace is replayed.
///
/// A request is looked up in the cache of its server; if that misses, in the tier; if that misses,
/// it goes to the origin. A missing entry is inserted wherever it was missing, if the policy admits
/// it. Allocates memory for the caches, and none for the trace.
struct FleetReplay {
  let servers: [PolicyReplay.Access]
  let tier: PolicyReplay.Access?

  /// Replays a trace; the caches are left full.
  ///
  /// - Parameters:
  ///   - warmUp: The number of requests at the beginning that the warm count leaves out.
  ///   - choose: Returns the number of a request's server, from 0, by its key; called once for each
  ///     request, in order.
  ///   - progress: Receives how many more requests were replayed; returns `false` to stop.
  /// - Returns: The counts of all servers' caches together, and the rest.
  func run(
    keys: [UInt32], sizes: [Int], warmUp: Int, choosing choose: (UInt32) -> Int,
    progress: (Int) -> Bool = { _ in true }
  ) -> (caches: SimulationCounts, fleet: FleetCounts) {
    var counts = SimulationCounts()
    var fleet = FleetCounts(serverCount: servers.count)
    var (evictions, warmHits) = (0, 0)
    var reported = 0
    for (index, key) in keys.enumerated() {
      if index - reported == 1 << 16 {
        guard progress(index - reported) else { return (counts, fleet) }
        reported = index
      }
      let size = sizes[index]
      let server = choose(key)
      fleet.requestsByServer[server] += 1
      if servers[server](key, size, &evictions) {
        counts.hits += 1
        counts.hitByteCount += size
        if index >= warmUp { warmHits += 1 }
      } else {
        fleet.missCount += 1
        fleet.missByteCount += size
        if let tier, tier(key, size, &fleet.tierEvictions) {
          fleet.tierHits += 1
          fleet.tierHitByteCount += size
        }
      }
    }
    _ = progress(keys.count - reported)
    counts.evictions = evictions
    counts.warmHits = warmHits
    return (counts, fleet)
  }
}
