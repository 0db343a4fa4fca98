import HTTPListening
import ImagePipeline

/// What the server has done, counted where it happens.
final class ServerMetrics: PipelineObserver {
  /// What is asked for, by the first step of the path.
  enum Route: Int, Sendable, CaseIterable {
    case thumb, image, days, reader, operation, other

    /// The route of a target.
    init(target: String) {
      if target.hasPrefix("/thumb") {
        self = .thumb
      } else if target.hasPrefix("/image") {
        self = .image
      } else if target.hasPrefix("/days") {
        self = .days
      } else if target == "/" || target.hasPrefix("/reader") {
        self = .reader
      } else if ["/healthz", "/readyz", "/metrics", "/stats"].contains(target) {
        self = .operation
      } else {
        self = .other
      }
    }
  }

  /// Where an answer came from.
  enum Tier: Int, Sendable, CaseIterable {
    case none, memory, disk, miss, stale, placeholder

    /// Reads a `Cache-Status`.
    init(status: String?) {
      guard let status else {
        self = .none
        return
      }
      if status.hasSuffix("detail=memory") {
        self = .memory
      } else if status.contains("detail=placeholder") {
        self = .placeholder
      } else if status.contains("fwd=stale") {
        self = .stale
      } else if status.contains("fwd=") {
        self = .miss
      } else {
        self = .disk
      }
    }
  }

  struct Reading: Sendable {
    /// Answers by route, then by status from 0 on.
    fileprivate var answers = [Int](repeating: 0, count: Route.allCases.count * 600)
    var tiers = [Int](repeating: 0, count: Tier.allCases.count)
    /// By route.
    var durations = [Histogram](repeating: Histogram(), count: Route.allCases.count)
    var stages: [LoadStage: Histogram] = [:]
    var bytesSent = 0
    var collapsed = 0
    var inFlight = 0
    /// Connections that are open and served.
    var connections = 0
    /// Connections above the limit.
    var refused = 0
    /// Pauses in accepting.
    var pauses = 0

    /// How many answers of a route had which status.
    func statuses(of route: Route) -> [(status: Int, count: Int)] {
      (100..<600).compactMap { status in
        let count = answers[route.rawValue * 600 + status]
        return count > 0 ? (status, count) : nil
      }
    }
  }
  private let state = Locked(Reading())
  /// The connections of the server, which count themselves.
  let connections = OpenConnections()

  var reading: Reading {
    var reading = state.withLock { $0 }
    reading.connections = connections.servedCount
    reading.refused = connections.refusedTotal
    reading.pauses = connections.pauseTotal
    return reading
  }

  func requestBegan() { state.withLock { $0.inFlight += 1 } }
  func requestEnded() { state.withLock { $0.inFlight -= 1 } }

  /// A request was answered.
  func answered(_ route: Route, status: Int, tier: Tier, byteCount: Int, seconds: Double) {
    state.withLock { state in
      state.answers[route.rawValue * 600 + min(max(status, 0), 599)] += 1
      state.durations[route.rawValue].add(seconds)
      state.tiers[tier.rawValue] += 1
      state.bytesSent += byteCount
    }
  }

  // MARK: PipelineObserver

  func stageEnded(_ step: LoadStep, of request: ImageRequest) {
    state.withLock {
      $0.stages[step.stage, default: Histogram()].add(step.elapsed / .seconds(1))
    }
  }

  func requestFinished(_ trace: LoadTrace) {
    guard case .success(let ending) = trace.result, ending.wasShared else { return }
    state.withLock { $0.collapsed += 1 }
  }
}
