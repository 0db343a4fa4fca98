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
    service = TierService("the tier", CircuitBreaker.Rules(), clock: clock) { line in
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
