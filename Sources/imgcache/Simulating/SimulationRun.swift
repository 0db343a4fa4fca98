import CacheSimulation
import ImageModel

struct SimulationRun: Sendable {
  let simulations: [Simulation]
  let showsProgress: Bool

  func results() async throws -> [SimulationResult] {
    let clock = ContinuousClock()
    let start = clock.now
    let seconds: @Sendable () -> Double = { start.duration(to: clock.now) / .seconds(1) }
    let requestCount = simulations.reduce(0) { $0 + $1.trace.keys.count }
    let progress = Locked((requests: 0, finished: 0))
    let show: @Sendable (Int) -> Void = { [simulations] count in
      let (requests, finished) = progress.withLock { progress in
        progress.requests += count
        return progress
      }
      // Shorter work shows no line.
      guard seconds() > 0.1 else { return }
      StatusLine.shared.draw(ifDue: {
        let share = requestCount == 0 ? 1 : min(1, Double(requests) / Double(requestCount))
        let rate = SimulationRow.fixed(Double(requests) / max(seconds(), 0.001) / 1e6, 1)
        return ProgressBar.line(
          share: share,
          words: "\(finished)/\(simulations.count) simulations, \(rate) million requests/s",
          columns: StatusLine.columns)
      })
    }
    defer { if showsProgress { StatusLine.shared.draw("") } }

    return try await withThrowingTaskGroup(of: (Int, SimulationResult?).self) { group in
      for (index, simulation) in simulations.enumerated() {
        group.addTask { [showsProgress] in
          try Task.checkCancellation()
          var result = simulation.run(seconds: seconds) { count in
            if showsProgress { show(count) }
            return !Task.isCancelled
          }
          try Task.checkCancellation()
          if result?.isSampled == true { result?.standardError = simulation.standardError() }
          progress.withLock { $0.finished += 1 }
          return (index, result)
        }
      }
      var results = [SimulationResult?](repeating: nil, count: simulations.count)
      for try await (index, result) in group { results[index] = result }
      return results.compactMap { $0 }
    }
  }
}
