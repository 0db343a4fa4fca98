import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `The limits of waiting jobs` {
  private let gate = Gate()

  private func queue(
    maximumCount: Int = .max, maximumTime: Duration? = nil, clock: QueueClock = QueueClock()
  ) -> JobQueue {
    var limits = WaitLimits()
    limits.maximumCount = maximumCount
    limits.maximumTime = maximumTime
    return JobQueue(maximumRunning: 1, rate: nil, waiting: limits, clock: clock)
  }

  /// A job that occupies the only place until the gate opens.
  private func occupy(_ queue: JobQueue) async -> Task<Void, any Error> {
    let task = Task { [gate] in
      try await queue.run(priority: .constant(.normal)) { await gate.wait() }
    }
    await gate.arrivals(1)
    return task
  }

  private func job(_ queue: JobQueue) -> Task<Int, any Error> {
    Task { try await queue.run(priority: .constant(.normal)) { 1 } }
  }

  @Test(arguments: [0, 1, 3])
  func `refuse the job after the last that may wait, and name their number`(
    maximumCount: Int
  ) async throws {
    let queue = queue(maximumCount: maximumCount)
    let holder = await occupy(queue)
    let waiting = (0..<maximumCount).map { _ in job(queue) }
    await Condition.until { queue.pendingCount == maximumCount }

    let refusal = await imageError { try await job(queue).value }

    #expect(refusal?.code == .saturated)
    #expect(refusal?.message == "too busy: \(maximumCount) others are waiting")
    #expect(refusal?.retryAfter == .seconds(1))
    #expect(queue.pendingCount == maximumCount)
    gate.open()
    for task in waiting { #expect(try await task.value == 1) }
    try await holder.value
  }

  @Test func `take another job once one has ended its wait`() async throws {
    let queue = queue(maximumCount: 1)
    let holder = await occupy(queue)
    let cancelled = job(queue)
    await Condition.until { queue.pendingCount == 1 }

    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let next = job(queue)
    await Condition.until { queue.pendingCount == 1 }
    gate.open()

    #expect(try await next.value == 1)
    try await holder.value
  }

  @Test func `end the wait of a job after the longest time, and name it`() async throws {
    let asked = Locked<[Duration]>([])
    let alarm = Gate()
    var clock = QueueClock()
    clock.sleep = { duration in
      asked.withLock { $0.append(duration) }
      await alarm.wait()
    }
    let queue = queue(maximumTime: .seconds(5), clock: clock)
    let holder = await occupy(queue)

    let late = job(queue)
    await alarm.arrivals(1)
    alarm.open()
    let refusal = await imageError { try await late.value }

    #expect(refusal?.code == .saturated)
    #expect(refusal?.message == "too busy: not started within 5.0 seconds")
    #expect(refusal?.retryAfter == .seconds(1))
    #expect(asked.withLock { $0 } == [.seconds(5)])
    #expect(queue.pendingCount == 0)
    gate.open()
    try await holder.value
  }

  @Test func `do not end a job that has begun in time`() async throws {
    let alarm = Gate()
    var clock = QueueClock()
    clock.sleep = { _ in await alarm.wait() }
    let queue = queue(maximumTime: .seconds(5), clock: clock)
    let holder = await occupy(queue)
    let work = Gate()
    let waiting = Task {
      try await queue.run(priority: .constant(.normal)) {
        await work.wait()
        return 2
      }
    }
    await alarm.arrivals(1)

    gate.open()
    await work.arrivals(1)
    alarm.open()
    work.open()

    #expect(try await waiting.value == 2)
    try await holder.value
    #expect(queue.runningCount == 0)
  }

  @Test func `do not concern a job that finds a free place`() async throws {
    var clock = QueueClock()
    clock.sleep = { _ in Issue.record("a job waited") }
    let queue = queue(maximumCount: 0, maximumTime: .zero, clock: clock)

    let values = [try await job(queue).value, try await job(queue).value]

    #expect(values == [1, 1])
  }
}

@Suite struct `A job in a queue` {
  private struct Failure: Error {}

  @Test func `does not begin for a task that is cancelled already`() async throws {
    let queue = JobQueue(maximumRunning: 1)
    let gate = Gate()
    let task = Task {
      await gate.wait()
      _ = try await queue.run(priority: LivePriority()) { Issue.record("it began") }
    }

    task.cancel()
    gate.open()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(queue.runningCount == 0 && queue.pendingCount == 0)
  }
}

@Suite struct `A request rate` {
  @Test(arguments: [(2.5, 3, 2.5, 3), (0, 0, 1e-6, 1), (-1, -1, 1e-6, 1)])
  func `is positive with a burst of one at least`(
    perSecond: Double, burst: Int, keptRate: Double, keptBurst: Int
  ) {
    let rate = RequestRate(perSecond: perSecond, burst: burst)

    #expect(rate.perSecond == keptRate)
    #expect(rate.burst == keptBurst)
  }
}
