import Synchronization

/// How far many simulations at once are, drawn at the bottom of a terminal.
final class SimulationProgress: Sendable {
  private struct State {
    var requests = 0
    var finished = 0
    var lastDrawing = 0.0
  }

  private let state = Mutex(State())
  private let simulationCount: Int
  private let requestCount: Int

  /// For so many simulations of so many requests in all.
  init(simulationCount: Int, requestCount: Int) {
    self.simulationCount = simulationCount
    self.requestCount = requestCount
  }

  /// Counts requests, and draws ten times a second at most.
  func add(requests: Int, after seconds: Double) {
    let line = state.withLock { state -> String? in
      state.requests += requests
      guard seconds - state.lastDrawing > 0.1 else { return nil }
      state.lastDrawing = seconds
      return text(state, seconds)
    }
    if let line { StatusLine.shared.draw(line) }
  }

  /// Counts a simulation.
  func finishOne() { state.withLock { $0.finished += 1 } }

  private func text(_ state: State, _ seconds: Double) -> String {
    let share = requestCount == 0 ? 1 : min(1, Double(state.requests) / Double(requestCount))
    let filled = Int(share * 30)
    let rate = SimulationRow.fixed(Double(state.requests) / max(seconds, 0.001) / 1e6, 1)
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: "-", count: 30 - filled)
      + "] \(state.finished)/\(simulationCount) simulations, \(rate) million requests/s"
  }
}
