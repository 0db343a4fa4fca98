import CachePolicies

extension Simulation {
  /// Replays the trace through the caches of a fleet.
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
  ) -> FleetReplay.Cache {
    // A queue without a limit evicts nothing.
    let value =
      policy == .infinite ? .max : scaledForSample(capacity.value(for: trace.facts), of: capacity)
    let expected = expectedCount(value, countsObjects: capacity.countsObjects)
    return FleetReplay.Cache(
      cache: ReplayCache(
        policy.subject ?? .policy(.fifo), capacity: value,
        expectedCount: min(expected, trace.keys.count / count)),
      countsObjects: capacity.countsObjects)
  }
}
