import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

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

  /// Starts jobs of a host that end when the gate opens.
  private func start(_ count: Int, at gate: Gate) -> [Task<Void, any Error>] {
    (0..<count).map { _ in
      Task { [queue] in
        try await queue.run(priority: .constant(.normal), host: "a") { await gate.wait() }
      }
    }
  }

  @Test func `are one for each host that failed`() {
    limiter.note("a", Self.busy)
    limiter.note("b", Self.busy)
    limiter.note("a", Self.busy)
    limiter.note("c", nil)

    #expect(limiter.count == 2)
    #expect(limiter.pause(of: "a") == nil)
  }

  @Test func `let fewer jobs of the host run, and all again after successes`() async throws {
    let gate = Gate()

    limiter.note("a", Self.busy)
    let tasks = start(4, at: gate)
    await gate.arrivals(2)
    await Condition.until { [queue] in queue.pendingCount == 2 }
    let running = queue.runningCount
    limiter.note("a", nil)
    await gate.arrivals(3)
    limiter.note("a", nil)
    await gate.arrivals(4)

    #expect(running == 2)
    #expect(limiter.count == 0)
    gate.open()
    for task in tasks { try await task.value }
  }

  @Test func `hold a host for the rest of its Retry-After`() async {
    limiter.note("a", Self.busy(for: 10))
    await alarm.arrivals(1)

    var pauses = [limiter.pause(of: "a")]
    time.withLock { $0 = .seconds(4) }
    pauses.append(limiter.pause(of: "a"))
    time.withLock { $0 = .seconds(10) }
    pauses.append(limiter.pause(of: "a"))

    #expect(pauses == [.seconds(10), .seconds(6), nil])
    #expect(limiter.pause(of: "b") == nil)
    #expect(asked.withLock { $0 } == [.seconds(10)])
    alarm.open()
  }

  @Test func `hold a host until the latest end of several Retry-After`() async {
    limiter.note("a", Self.busy(for: 10))
    limiter.note("a", Self.busy(for: 5))
    limiter.note("a", Self.busy(for: 30))
    await alarm.arrivals(2)

    #expect(limiter.pause(of: "a") == .seconds(30))
    #expect(Set(asked.withLock { $0 }) == [.seconds(10), .seconds(30)])
    alarm.open()
  }

  @Test func `hold no host for a Retry-After of zero`() {
    limiter.note("a", Self.busy(for: 0))

    #expect(limiter.pause(of: "a") == nil)
    #expect(limiter.count == 1)
    #expect(asked.withLock { $0 } == [])
  }

  @Test func `still hold a host after a success of an earlier request`() async {
    limiter.note("a", Self.busy(for: 10))
    await alarm.arrivals(1)

    for _ in 0..<4 { limiter.note("a", nil) }

    #expect(limiter.pause(of: "a") == .seconds(10))
    #expect(limiter.count == 1)
    alarm.open()
  }

  @Test
  func
    `are as many as are remembered, and stay when another host answers with a failure that is not overload`()
  {
    var clock = QueueClock()
    clock.now = { .zero }
    let queue = JobQueue(maximumRunning: 100, maximumPerHost: 4, rate: nil, clock: clock)
    let limiter = HostLimiter(queue: queue, maximum: 4, clock: clock)
    for number in 0..<HostLimiter.maximumCount {
      limiter.note("\(number)", ImageError(.httpStatus, "", status: 503))
    }

    limiter.note("other", ImageError(.httpStatus, "", status: 404))

    #expect(limiter.count == HostLimiter.maximumCount)
  }
}
