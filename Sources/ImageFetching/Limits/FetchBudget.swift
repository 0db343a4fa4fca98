import ImageModel

/// The costs of a fetch so far, and the time that it has: its attempts share them.
struct FetchBudget {
  var requestCount = 0
  var receivedByteCount = 0
  var deadline: ContinuousClock.Instant
  private let time: Duration
  private let now: @Sendable () -> ContinuousClock.Instant

  init(_ time: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    (self.time, self.now) = (time, now)
    deadline = now() + time.bounded
  }

  var rest: Duration { now().duration(to: deadline) }

  func exceeded(_ url: String) -> ImageError {
    ImageError(.timedOut, "\(url): timed out: not done within \(time), all attempts together")
  }
}
