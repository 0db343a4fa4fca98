/// Decides whether requests are sent to a service that fails; a value, without a clock.
///
/// Closed, it admits every call. It opens after some failures in a row, or if more than half of
/// many calls of one second have failed; then it admits no call for an interval, and afterwards a
/// single one, whose outcome decides. Each time that call fails, the interval doubles.
/// Source: Nygard, "Release It!", 2007, "Circuit Breaker".
public struct CircuitBreaker: Sendable {
  /// When it opens, and for how long.
  public struct Rules: Sendable, Hashable {
    /// Failures in a row that open it. Default: 3.
    public var failuresInARow = 3
    /// The least number of calls of one second of which more than half have to fail. Default: 20.
    public var callsPerSecond = 20
    /// For how long it is open the first time. Default: 250 ms.
    public var shortestPause = Duration.milliseconds(250)
    /// The longest time for which it is open. Default: 2 s.
    public var longestPause = Duration.seconds(2)

    /// The defaults.
    public init() {}
  }

  private enum State {
    case closed
    case open(until: Duration, pause: Duration)
    /// One call is under way.
    case probing(since: Duration, pause: Duration)
  }

  private let rules: Rules
  private var state = State.closed
  private var failuresInARow = 0
  /// The calls of the second that began then.
  private var window = (start: Duration.zero, calls: 0, failures: 0)
  /// How often it has opened.
  public private(set) var openCount = 0

  /// Creates one that is closed.
  public init(_ rules: Rules = Rules()) { self.rules = rules }

  /// Whether all calls are admitted.
  public var isClosed: Bool { if case .closed = state { true } else { false } }

  /// Whether calls are refused.
  public func isOpen(at now: Duration) -> Bool {
    switch state {
    case .closed: false
    case .open(let until, _): now < until
    case .probing: true
    }
  }

  /// Whether a call may be made at a moment; if so, the caller must record its outcome.
  public mutating func admits(at now: Duration) -> Bool {
    switch state {
    case .closed: return true
    case .open(let until, let pause):
      guard now >= until else { return false }
      state = .probing(since: now, pause: pause)
      return true
    case .probing(let since, let pause):
      // The outcome of a call that was cancelled never comes.
      guard now >= since + rules.longestPause else { return false }
      state = .probing(since: now, pause: pause)
      return true
    }
  }

  /// Notes that a call has succeeded.
  public mutating func succeeded(at now: Duration) {
    failuresInARow = 0
    count(failed: false, at: now)
    if case .probing = state { state = .closed }
  }

  /// Notes that a call has failed.
  public mutating func failed(at now: Duration) {
    failuresInARow += 1
    count(failed: true, at: now)
    switch state {
    case .closed:
      let isMost = window.calls >= rules.callsPerSecond && 2 * window.failures > window.calls
      if failuresInARow >= rules.failuresInARow || isMost {
        open(for: rules.shortestPause, at: now)
      }
    case .probing(_, let pause): open(for: min(pause * 2, rules.longestPause), at: now)
    // A call that began before it opened.
    case .open: break
    }
  }

  /// Records that an admitted call was not made after all, which is no evidence about the service.
  public mutating func wasNotMade(at now: Duration) {
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
