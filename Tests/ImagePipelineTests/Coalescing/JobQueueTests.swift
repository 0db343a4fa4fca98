import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A job queue` {
  @Test func `never begins a job that was cancelled while it waited`() async throws {
    let queue = JobQueue(maximumRunning: 1)
    let gate = Gate()
    let holder = Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    await gate.arrivals(1)

    let waiter = Task { try await queue.run(priority: LivePriority()) { Issue.record("it began") } }
    await Condition.until { queue.pendingCount != 0 }
    waiter.cancel()

    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(queue.pendingCount == 0)
    gate.open()
    try await holder.value
    #expect(queue.runningCount == 0)
  }

  @Test func `a job that may start starts, however many wait for another host`() async throws {
    let limits = with(WaitLimits()) { $0.maximumCount = 1 }
    let queue = JobQueue(maximumRunning: 2, waiting: limits)
    queue.setLimit(0, for: "a")
    let held = Task { try await queue.run(priority: LivePriority(), host: "a") { 1 } }
    await Condition.until { queue.pendingCount == 1 }

    let refusal = await imageError {
      try await queue.run(priority: LivePriority(), host: "a") { 2 }
    }
    let other = try await queue.run(priority: LivePriority(), host: "b") { 3 }

    #expect(refusal?.code == .saturated)
    #expect(other == 3)
    #expect(queue.pendingCount == 1)
    queue.setLimit(nil, for: "a")
    #expect(try await held.value == 1)
  }
}

@Suite struct `A priority that changes` {
  private let heard = Locked<[LoadPriority]>([])

  /// Records the value of a priority at each change.
  private func listen(to priority: LivePriority) -> Int {
    priority.onChange { [heard, weak priority] in
      if let priority { heard.withLock { $0.append(priority.value) } }
    }
  }

  @Test func `tells every listener of each new value, until it is forgotten`() {
    let priority = LivePriority()
    let first = listen(to: priority)
    let second = listen(to: priority)

    priority.value = .high
    priority.value = .high
    priority.forget(first)
    priority.value = .low
    priority.forget(second)
    priority.value = .normal

    #expect(first != second)
    #expect(heard.withLock { $0 } == [.high, .high, .low])
  }

  @Test func `a listener may change its listeners`() {
    let priority = LivePriority()
    let token = Locked(0)
    token.withLock {
      $0 = priority.onChange { [heard] in
        priority.forget(token.withLock { $0 })
        heard.withLock { $0.append(priority.value) }
      }
    }

    priority.value = .high
    priority.value = .low

    #expect(heard.withLock { $0 } == [.high])
  }
}
