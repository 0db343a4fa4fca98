import HTTPTypes
import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `Backing off from a host` {
  static func complaint(_ status: Int = 503, retryAfter: Duration? = nil) -> ImageError {
    ImageError(.httpStatus, "", status: status, retryAfter: retryAfter)
  }

  @Test func `a failure halves the limit, simultaneous ones once, successes restore it`() {
    var backoff = HostBackoff(maximum: 8)

    for _ in 0..<8 { backoff.failed(Self.complaint(), now: .seconds(1)) }
    #expect(backoff.limit == 4)
    // It does not fall below two.
    for second in 3..<9 { backoff.failed(Self.complaint(), now: .seconds(2 * second)) }
    #expect(backoff.limit == 2)
    for _ in 0..<6 { backoff.succeeded() }
    #expect(backoff.limit == 8 && backoff.isForgettable)
    var single = HostBackoff(maximum: 1)
    single.failed(Self.complaint(), now: .seconds(1))
    #expect(single.limit == 1)
  }

  @Test func `Retry-After of a 429 pauses the host until then, and not indefinitely`() {
    var backoff = HostBackoff(maximum: 4)
    for status in [500, 502, 503, 504] {
      backoff.failed(Self.complaint(status, retryAfter: .seconds(60)), now: .seconds(9))
    }
    #expect(backoff.heldUntil == nil && backoff.limit(at: .seconds(9)) == 2)

    backoff.failed(Self.complaint(429, retryAfter: .seconds(5)), now: .seconds(10))
    #expect(backoff.limit(at: .seconds(14)) == 0)
    #expect(backoff.limit(at: .seconds(15)) == 2)
    backoff.failed(Self.complaint(429, retryAfter: .seconds(86_400)), now: .seconds(20))
    #expect(backoff.heldUntil == .seconds(80))
  }

  @Test func `only timeouts, connection failures, 429 and 5xx count against a host`() {
    let complaints = ImageError.Code.known.filter { HostBackoff.isComplaint(ImageError($0, "")) }

    #expect(Set(complaints) == [.timedOut, .connectionFailed, .connectionReset])
    #expect([400, 403, 404, 410].allSatisfy { !HostBackoff.isComplaint(Self.complaint($0)) })
    #expect([429, 500, 503].allSatisfy { HostBackoff.isComplaint(Self.complaint($0)) })
  }
}

@Suite struct `The rate of a queue` {
  /// A clock whose sleepers wake when the test advances it.
  private final class Turned: Sendable {
    let time = Locked(Duration.zero)
    let sleepers = Locked<[CheckedContinuation<Void, Never>]>([])
    var clock: QueueClock {
      var clock = QueueClock()
      clock.now = { [time] in time.withLock { $0 } }
      clock.sleep = { [sleepers] _ in
        await withCheckedContinuation { continuation in
          sleepers.withLock { $0.append(continuation) }
        }
      }
      return clock
    }

    func turn(to now: Duration) async {
      await Condition.until { !self.sleepers.withLock { $0.isEmpty } }
      time.withLock { $0 = now }
      let woken = sleepers.withLock { sleepers in
        defer { sleepers = [] }
        return sleepers
      }
      for continuation in woken { continuation.resume() }
    }
  }

  @Test func `a burst starts at once, then one job for each token`() async throws {
    let turned = Turned()
    let queue = JobQueue(
      maximumRunning: 100, rate: RequestRate(perSecond: 1, burst: 3), clock: turned.clock)
    let gate = Gate()
    let tasks = (0..<5).map { _ in
      Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    }

    await gate.arrivals(3)
    await Condition.until { queue.pendingCount >= 2 }
    #expect(queue.runningCount == 3)
    await turned.turn(to: .seconds(1))
    await gate.arrivals(4)
    #expect(queue.runningCount == 4 && queue.pendingCount == 1)
    await turned.turn(to: .seconds(2))
    await gate.arrivals(5)

    gate.open()
    for task in tasks { try await task.value }
  }

  @Test func `a cancelled job consumes no token`() async throws {
    let turned = Turned()
    let queue = JobQueue(maximumRunning: 100, rate: RequestRate(perSecond: 1), clock: turned.clock)
    let gate = Gate()
    let first = Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    await gate.arrivals(1)
    let cancelled = Task { try await queue.run(priority: LivePriority()) {} }
    await Condition.until { queue.pendingCount >= 1 }
    let waiting = Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    await Condition.until { queue.pendingCount >= 2 }

    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await turned.turn(to: .seconds(1))
    await gate.arrivals(2)

    gate.open()
    try await first.value
    try await waiting.value
  }

  @Test func `a full queue holds no tokens back`() async throws {
    let turned = Turned()
    let queue = JobQueue(
      maximumRunning: 1, rate: RequestRate(perSecond: 1, burst: 2), clock: turned.clock)
    let gate = Gate()
    let tasks = (0..<2).map { _ in
      Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    }
    await gate.arrivals(1)
    await Condition.until { queue.pendingCount >= 1 }

    gate.open()

    for task in tasks { try await task.value }
    #expect(queue.pendingCount == 0)
  }
}

@Suite struct `The limits of hosts that fail` {
  private let time = Locked(Duration.zero)
  private let alarm = Gate()
  private let asked = Locked<[Duration]>([])
  private let queue: JobQueue
  private let limiter: HostLimiter

  init() {
    var clock = QueueClock()
    clock.now = { [time] in time.withLock { $0 } }
    clock.sleep = { [asked, alarm] duration in
      asked.withLock { $0.append(duration) }
      await alarm.wait()
    }
    queue = JobQueue(maximumRunning: 100, maximumPerHost: 4, rate: nil, clock: clock)
    limiter = HostLimiter(queue: queue, maximum: 4, clock: clock)
  }

  private static let busy = ImageError(.httpStatus, "", status: 503)

  private static func busy(for seconds: Int) -> ImageError {
    ImageError(.httpStatus, "", status: 429, retryAfter: .seconds(seconds))
  }

  @Test func `are one for each host that failed`() {
    limiter.record("a", Self.busy)
    limiter.record("b", Self.busy)
    limiter.record("a", Self.busy)
    limiter.record("c", nil)

    #expect(limiter.count == 2)
    #expect(limiter.pause(of: "a") == nil)
  }

  @Test func `hold a host for the rest of its latest Retry-After, also after a success`() async {
    limiter.record("b", Self.busy(for: 0))
    for seconds in [10, 5, 30] { limiter.record("a", Self.busy(for: seconds)) }
    await alarm.arrivals(2)
    for _ in 0..<4 { limiter.record("a", nil) }

    let pauses = [0, 4, 30].map { seconds in
      time.withLock { $0 = .seconds(seconds) }
      return limiter.pause(of: "a")
    }

    #expect(pauses == [.seconds(30), .seconds(26), nil])
    #expect(limiter.pause(of: "b") == nil && limiter.count == 2)
    #expect(Set(asked.withLock { $0 }) == [.seconds(10), .seconds(30)])
    alarm.open()
  }

  @Test func `of as many hosts as are remembered stay when another one answers a 404`() {
    for number in 0..<HostLimiter.maximumCount { limiter.record("\(number)", Self.busy) }
    limiter.record("other", ImageError(.httpStatus, "", status: 404))

    #expect(limiter.count == HostLimiter.maximumCount)
  }
}
