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
    let clock = with(QueueClock()) { $0.sleep = { _ in await alarm.wait() } }
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
}

@Suite struct `A gate of decodes` {
  private struct Failure: Error {}

  private static func gate(maximum: Int) -> DecodeGate {
    DecodeGate(maximum: maximum, waiting: WaitLimits())
  }

  /// Starts a decode that lasts until the hold opens.
  private static func start(
    _ gate: DecodeGate, pixelCount: Int, hold: Gate
  ) -> Task<Void, any Error> {
    Task {
      try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { await hold.wait() }
    }
  }

  @Test(arguments: [((4 << 20) - 1, 3), (4 << 20, 2)])
  func `keeps one of several places free of images from 4 megapixels on`(
    pixelCount: Int, running: Int
  ) async throws {
    let gate = Self.gate(maximum: 3)
    let hold = Gate()

    let tasks = (0..<3).map { _ in Self.start(gate, pixelCount: pixelCount, hold: hold) }
    await hold.arrivals(running)
    await Condition.until { gate.pendingCount == 3 - running }

    #expect(gate.runningCount == running)
    hold.open()
    for task in tasks { try await task.value }
    #expect(gate.runningCount == 0)
  }

  @Test(arguments: [1, 4 << 20])
  func `gives its only place to an image of any size, also after a failed decode`(
    pixelCount: Int
  ) async throws {
    let gate = Self.gate(maximum: 1)

    await #expect(throws: Failure.self) {
      try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { throw Failure() }
    }
    let next = try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { 2 }

    #expect(next == 2)
    #expect(gate.runningCount == 0 && gate.pendingCount == 0)
  }
}
