import Testing

@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

@Suite struct `A service behind the shared tier` {
  private let elapsed = ManualNanoseconds()
  private let lines = Locked<[String]>([])
  private let service: TierService

  init() {
    let (elapsed, lines) = (elapsed, lines)
    var clock = TierClock()
    clock.elapsed = { .nanoseconds(Int64(elapsed.now)) }
    service = TierService("the tier", clock: clock) { line in
      lines.withLock { $0.append(line) }
    }
  }

  private func fail(_ times: Int) {
    for _ in 0..<times where service.admits() { service.failed(RedisError(.timedOut, "no reply")) }
  }

  private func recover(after seconds: Int) {
    elapsed.advance(by: .seconds(seconds))
    #expect(service.admits())
    service.succeeded()
  }

  private static let failure = "the tier fails, and is not used until it responds: no reply"
  private static let end = "the tier can be used again"

  @Test func `that fails for long is mentioned once, and when it can be used again`() {
    fail(2)
    service.succeeded()
    fail(2)
    #expect(!service.isSuspended && service.suspensionCount == 0)
    #expect(lines.withLock { $0 } == [])
    service.succeeded()

    fail(3)
    #expect(service.isSuspended)
    for _ in 0..<100 {
      elapsed.advance(by: .seconds(2))
      fail(1)
    }
    #expect(service.suspensionCount == 101)
    #expect(lines.withLock { $0 } == [Self.failure])
    recover(after: 2)
    service.succeeded()

    #expect(!service.isSuspended)
    #expect(lines.withLock { $0 } == [Self.failure, Self.end])
  }

  @Test func `that comes and goes is mentioned once a minute`() {
    for _ in 0..<40 {
      fail(3)
      recover(after: 2)
      elapsed.advance(by: .seconds(1))
    }

    // In two minutes: at 0 and 60 s.
    #expect(
      lines.withLock { $0 } == [Self.failure, Self.end, Self.failure, Self.end])
  }

  @Test func `that fails again soon is mentioned a minute after the first time`() {
    fail(3)
    recover(after: 1)
    fail(3)
    for _ in 0..<29 {
      elapsed.advance(by: .seconds(2))
      fail(1)
    }
    #expect(lines.withLock { $0 } == [Self.failure, Self.end])
    elapsed.advance(by: .seconds(2))
    fail(1)

    #expect(lines.withLock { $0 } == [Self.failure, Self.end, Self.failure])
  }
}

@Suite struct `A circuit breaker under random calls` {
  /// A breaker, with what it must do next.
  private struct Trial {
    var generator: SplitMix64
    var breaker = CircuitBreaker()
    var now = Duration.zero
    /// `nil` while it is closed.
    var openedAt: Duration?
    var pause = Duration.zero

    mutating func pass(atMost milliseconds: Int) {
      now += .milliseconds(Int.random(in: 0...milliseconds, using: &generator))
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `admits nothing during a pause, and one call after it`(seed: UInt64) {
    var trial = Trial(generator: SplitMix64(seed: seed))
    for _ in 0..<500 {
      trial.pass(atMost: 400)
      let openings = trial.breaker.openCount
      let isOpen = trial.breaker.isOpen(at: trial.now)
      let isAdmitted = trial.breaker.admits(at: trial.now)
      if let openedAt = trial.openedAt {
        // A probe is admitted once the pause is over, not before.
        #expect(isAdmitted == (trial.now >= openedAt + trial.pause), "seed \(seed)")
        #expect(isOpen == !isAdmitted, "seed \(seed)")
      } else {
        #expect(isAdmitted && !isOpen, "seed \(seed)")
      }
      guard isAdmitted else { continue }
      if trial.openedAt != nil {
        let isAnotherAdmitted = trial.breaker.admits(at: trial.now)
        #expect(!isAnotherAdmitted, "seed \(seed)")
      }
      if Int.random(in: 0..<10, using: &trial.generator) < 7 {
        trial.breaker.failed(at: trial.now)
      } else {
        trial.breaker.succeeded(at: trial.now)
        trial.openedAt = nil
      }
      if trial.breaker.openCount > openings {
        // Twice the pause before, if the failure was that of a probe.
        trial.pause =
          trial.openedAt == nil ? .milliseconds(250) : min(trial.pause * 2, .seconds(2))
        trial.openedAt = trial.now
      }
    }
    #expect(trial.breaker.openCount > 0, "seed \(seed)")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `opens exactly after three failures in a row, or more than half of 20 in a second`(
    seed: UInt64
  ) {
    var generator = SplitMix64(seed: seed)
    var breaker = CircuitBreaker()
    var outcomes: [Bool] = []
    // All within one second.
    for step in 1...200 {
      let now = Duration.milliseconds(step)
      let isFailed = Int.random(in: 0..<100, using: &generator) < 52
      outcomes.append(isFailed)
      if isFailed { breaker.failed(at: now) } else { breaker.succeeded(at: now) }
      let isRow = outcomes.count >= 3 && outcomes.suffix(3).allSatisfy { $0 }
      let isMost =
        isFailed && outcomes.count >= 20 && 2 * outcomes.count { $0 } > outcomes.count
      #expect((breaker.openCount == 1) == (isRow || isMost), "seed \(seed), call \(step)")
      if breaker.openCount > 0 { return }
    }
  }

  @Test func `counts the failures of a second together, and not those of different ones`() {
    var breaker = CircuitBreaker()
    for call in 0..<100 {
      let now = Duration.milliseconds(call * 100)
      call % 3 == 0 ? breaker.succeeded(at: now) : breaker.failed(at: now)
    }

    #expect(breaker.openCount == 0)
  }

  @Test func `probes again if the probe was not made or never ended`() {
    var breaker = CircuitBreaker()
    for _ in 0..<3 { breaker.failed(at: .zero) }
    func admits(_ milliseconds: Int) -> Bool { breaker.admits(at: .milliseconds(milliseconds)) }
    let first = admits(250)
    breaker.wasNotMade(at: .milliseconds(250))

    #expect(first)
    #expect([499, 500, 2499, 2500].map(admits) == [false, true, false, true])
  }
}
