import CacheSimulation
import Synchronization

/// Runs many simulations on all cores.
struct SimulationRun: Sendable {
  let simulations: [Simulation]
  let showsProgress: Bool

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

/// The progress of simulations, at the bottom of a terminal.
final class SimulationProgress: Sendable {
  private struct State {
    var requests = 0
    var finished = 0
    var lastDrawing = 0.0
  }

  private let state = Mutex(State())
  private let simulationCount: Int
  private let requestCount: Int

  init(simulationCount: Int, requestCount: Int) {
    self.simulationCount = simulationCount
    self.requestCount = requestCount
  }

  /// Counts requests, and draws at most ten times a second.
  func add(requests: Int, after seconds: Double) {
    let line = state.withLock { state -> String? in
      state.requests += requests
      guard seconds - state.lastDrawing > 0.1 else { return nil }
      state.lastDrawing = seconds
      return text(state, seconds)
    }
    if let line { StatusLine.shared.draw(line) }
  }

  func finishOne() { state.withLock { $0.finished += 1 } }

  private func text(_ state: State, _ seconds: Double) -> String {
    let share = requestCount == 0 ? 1 : min(1, Double(state.requests) / Double(requestCount))
    let rate = SimulationRow.fixed(Double(state.requests) / max(seconds, 0.001) / 1e6, 1)
    return ProgressBar.line(
      share: share,
      words: "\(state.finished)/\(simulationCount) simulations, \(rate) million requests/s",
      columns: StatusLine.columns)
  }
}
