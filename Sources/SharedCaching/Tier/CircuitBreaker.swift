/// Decides whether requests are sent to a service that fails; a value, without a clock.
///
/// Closed, it admits every call. It opens after some failures in a row, or if more than half of
/// many calls of one second have failed; then it admits no call for an interval, and afterwards a
/// single one, whose outcome decides. Each time that call fails, the interval doubles.
/// Source: Nygard, "Release It!", 2007, "Circuit Breaker".
struct CircuitBreaker: Sendable {
  private static let failuresInARow = 3
  /// The least number of calls of one second of which more than half have to fail.
  private static let callsPerSecond = 20
  private static let shortestPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(2)

  private enum State {
    case closed
    case open(until: Duration, pause: Duration)
    /// One call is under way.
    case probing(since: Duration, pause: Duration)
  }

  private var state = State.closed
  private var failuresInARow = 0
  /// The calls of the second that began then.
  private var window = (start: Duration.zero, calls: 0, failures: 0)
  private(set) var openCount = 0

  var isClosed: Bool { if case .closed = state { true } else { false } }

  func isOpen(at now: Duration) -> Bool {
    switch state {
    case .closed: false
    case .open(let until, _): now < until
    case .probing: true
    }
  }

  /// Whether a call may be made at a moment; if so, the caller must record its outcome.
  mutating func admits(at now: Duration) -> Bool {
    switch state {
    case .closed: return true
    case .open(let until, let pause):
      guard now >= until else { return false }
      state = .probing(since: now, pause: pause)
      return true
    case .probing(let since, let pause):
      // The outcome of a call that was cancelled never comes.
      guard now >= since + Self.longestPause else { return false }
      state = .probing(since: now, pause: pause)
      return true
    }
  }

  mutating func succeeded(at now: Duration) {
    failuresInARow = 0
    count(failed: false, at: now)
    if case .probing = state { state = .closed }
  }

  mutating func failed(at now: Duration) {
    failuresInARow += 1
    count(failed: true, at: now)
    switch state {
    case .closed:
      let isMost = window.calls >= Self.callsPerSecond && 2 * window.failures > window.calls
      if failuresInARow >= Self.failuresInARow || isMost {
        open(for: Self.shortestPause, at: now)
      }
    case .probing(_, let pause): open(for: min(pause * 2, Self.longestPause), at: now)
    // A call that began before it opened.
    case .open: break
    }
  }

  /// Records that an admitted call was not made after all, which is not evidence about the service.
  mutating func wasNotMade(at now: Duration) {
    if case .probing(_, let pause) = state { state = .open(until: now + pause, pause: pause) }
  }

  private mutating func open(for pause: Duration, at now: Duration) {
    state = .open(until: now + pause, pause: pause)
    openCount += 1
    window = (now, 0, 0)
  }

  private mutating func count(failed: Bool, at now: Duration) {
    if now >= window.start + .seconds(1) || now < window.start { window = (now, 0, 0) }
    window.calls += 1
    if failed { window.failures += 1 }
  }
}
