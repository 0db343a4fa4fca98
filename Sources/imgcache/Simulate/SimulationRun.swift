import CacheSimulation

/// Runs many simulations on all cores.
struct SimulationRun: Sendable {
  let simulations: [Simulation]
  let showsProgress: Bool

  /// The results in the order of the simulations.
  func results() async throws -> [SimulationResult] {
    let clock = ContinuousClock()
    let start = clock.now
    let seconds: @Sendable () -> Double = { start.duration(to: clock.now) / .seconds(1) }
    let progress = SimulationProgress(
      simulationCount: simulations.count,
      requestCount: simulations.reduce(0) { $0 + $1.trace.keys.count })
    let showsProgress = showsProgress
    defer { if showsProgress { StatusLine.shared.draw("") } }

    return try await withThrowingTaskGroup(of: (Int, SimulationResult?).self) { group in
      for (index, simulation) in simulations.enumerated() {
        group.addTask {
          try Task.checkCancellation()
          var result = simulation.run(seconds: seconds) { count in
            if showsProgress { progress.add(requests: count, after: seconds()) }
            return !Task.isCancelled
          }
          try Task.checkCancellation()
          if result?.isSampled == true { result?.standardError = simulation.standardError() }
          progress.finishOne()
          return (index, result)
        }
      }
      var results = [SimulationResult?](repeating: nil, count: simulations.count)
      for try await (index, result) in group { results[index] = result }
      return results.compactMap { $0 }
    }
  }
}
