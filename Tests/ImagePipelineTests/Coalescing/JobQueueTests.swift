import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A job queue` {
  @Test func `runs no more jobs at once than allowed, and all of them`() async throws {
    let queue = JobQueue(maximumRunning: 3)
    let counts = Locked((now: 0, most: 0, total: 0))

    await withTaskGroup { group in
      for _ in 0..<500 {
        group.addTask {
          try? await queue.run(priority: LivePriority()) {
            counts.withLock {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            counts.withLock {
              $0.now -= 1
              $0.total += 1
            }
          }
        }
      }
    }

    #expect(counts.withLock { $0.most } <= 3)
    #expect(counts.withLock { $0.total } == 500)
    #expect(queue.runningCount == 0 && queue.pendingCount == 0)
  }

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

  @Test func `follows a priority that changes while the job waits`() async throws {
    let queue = JobQueue(maximumRunning: 1)
    let gate = Gate()
    let order = Locked<[Int]>([])
    let holder = Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    await gate.arrivals(1)
    let priorities = [LivePriority(.low), LivePriority(.low), LivePriority(.low)]

    var tasks: [Task<Void, any Error>] = []
    for (index, priority) in priorities.enumerated() {
      tasks.append(
        Task { try await queue.run(priority: priority) { order.withLock { $0.append(index) } } })
      await Condition.until { queue.pendingCount > index }
    }
    priorities[2].value = .high
    gate.open()
    for task in tasks { try await task.value }
    try await holder.value

    #expect(order.withLock { $0 } == [2, 0, 1])
  }

  @Test func `starts waiting jobs at once when the limit rises`() async throws {
    let queue = JobQueue(maximumRunning: 1)
    let gate = Gate()
    let tasks = (0..<3).map { _ in
      Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    }
    await gate.arrivals(1)

    queue.maximumRunning = 3
    await gate.arrivals(3)

    #expect(queue.runningCount == 3)
    gate.open()
    for task in tasks { try await task.value }
  }

  @Test func `a job that may start starts, however many wait for another host`() async throws {
    var limits = WaitLimits()
    limits.maximumCount = 1
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
