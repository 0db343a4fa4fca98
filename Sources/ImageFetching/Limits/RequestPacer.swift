import ImageModel

/// Lets the requests to each host pass no faster than at a rate, one after the other.
final class RequestPacer: Sendable {
  private let interval: Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let turns = Locked<[String: ContinuousClock.Instant]>([:])
  private static let maximumHostCount = 1024

  init(rate: Double, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    interval = .seconds(min(1 / rate, 86_400))
    self.sleep = sleep
  }

  /// Returns how long it waited.
  func pass(to host: String) async throws -> Duration {
    let wait = turns.withLock { [interval] turns in
      let now = ContinuousClock.now
      if turns.count > Self.maximumHostCount { turns = turns.filter { $0.value > now } }
      let turn = max(now, turns[host] ?? now)
      turns[host] = turn + interval
      return turn - now
    }
    if wait > .zero { try await sleep(wait) }
    return wait
  }
}
