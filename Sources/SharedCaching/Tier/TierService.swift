import ImageModel

/// A service behind the tier: calls to it are suspended while it fails, which is logged.
final class TierService: Sendable {
  /// The least time between two lines about failures.
  static let reportInterval = Duration.seconds(60)

  private struct State {
    var breaker = CircuitBreaker()
    var isReported = false
    var latestReport: Duration?
  }

  private let name: String
  private let clock: TierClock
  private let log: @Sendable (String) -> Void
  private let state = Locked(State())

  init(_ name: String, clock: TierClock, log: @escaping @Sendable (String) -> Void) {
    self.name = name
    self.clock = clock
    self.log = log
  }

  var isSuspended: Bool { state.withLock { $0.breaker.isOpen(at: clock.elapsed()) } }
  var suspensionCount: Int { state.withLock { $0.breaker.openCount } }

  /// Whether a call may be made; if so, its outcome must be recorded.
  func admits() -> Bool { state.withLock { $0.breaker.admits(at: clock.elapsed()) } }

  func succeeded() {
    let isRecovered = state.withLock { state in
      state.breaker.succeeded(at: clock.elapsed())
      guard state.isReported, state.breaker.isClosed else { return false }
      state.isReported = false
      return true
    }
    if isRecovered { log("\(name) can be used again") }
  }

  func failed(_ error: some Error) {
    let isNews = state.withLock { state in
      let now = clock.elapsed()
      state.breaker.failed(at: now)
      guard !state.isReported, !state.breaker.isClosed,
        state.latestReport.map({ now >= $0 + Self.reportInterval }) ?? true
      else { return false }
      state.isReported = true
      state.latestReport = now
      return true
    }
    if isNews { log("\(name) fails, and is not used until it responds: \(error)") }
  }

  func wasNotMade() { state.withLock { $0.breaker.wasNotMade(at: clock.elapsed()) } }
}
