import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A blocking executor` {
  @Test func `runs closures on its own threads, highest priority first`() async throws {
    let executor = try BlockingExecutor(name: "test", threadCount: 1)
    defer { executor.stop() }
    let gate = Gate()
    let order = Locked<[String]>([])

    async let holder: Void = executor.run { gate.block() }
    await gate.arrivals(1)
    var tasks: [Task<Void, any Error>] = []
    for (index, priority) in [LoadPriority.low, .prefetch, .high, .low].enumerated() {
      tasks.append(
        Task {
          try await executor.run(priority: priority) {
            order.withLock { $0.append("\(priority)\(index)") }
          }
        })
      await Condition.until { executor.pendingCount > index }
    }
    gate.open()
    try await holder
    for task in tasks { try await task.value }

    #expect(order.withLock { $0 } == ["high2", "low0", "low3", "prefetch1"])
  }

  @Test func `a burst of blocking closures starts and wakes every thread`() async throws {
    let executor = try BlockingExecutor(name: "test", threadCount: 3)
    defer { executor.stop() }
    try await executor.run {}
    #expect(executor.threadCount == 1)
    for _ in 0..<20 {
      let gate = Gate()
      async let all: Void = withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { try await executor.run { gate.block() } } }
        try await group.waitForAll()
      }
      await gate.arrivals(3)
      #expect(executor.threadCount == 3)
      gate.open()
      try await all
    }
  }

  @Test func `a task resumed at the end of a job runs without a thread woken for it`()
    async throws
  {
    let executor = try BlockingExecutor(name: "test", threadCount: 2)
    defer { executor.stop() }
    for _ in 0..<100 {
      let gate = Gate()
      let tasks = (0..<3).map { number in
        Task(executorPreference: executor) {
          await gate.wait()
          return number
        }
      }
      await gate.arrivals(3)

      try await executor.run { executor.resumeLast { gate.open() } }

      for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
    }
  }

  @Test func `after shutdown a closure is refused, or runs if it cannot be, and tasks continue`()
    async throws
  {
    let executor = try BlockingExecutor(name: "test", threadCount: 1)
    let gate = Gate()
    let task = Task(executorPreference: executor) {
      await gate.wait()
      return 3
    }
    await gate.arrivals(1)
    await executor.shutdown()
    gate.open()

    #expect(await imageError { try await executor.run { 1 } }?.code == .invalidated)
    #expect(await executor.runUncancelled { 2 } == 2)
    #expect(await task.value == 3)
  }

  @Test func `what only a closure holds is released when its caller resumes`() async throws {
    final class Held: Sendable {}
    let executor = try BlockingExecutor(name: "test", threadCount: 1)
    defer { executor.stop() }
    for _ in 0..<1000 {
      var held: Held? = Held()
      weak let left = held
      _ = await executor.runUncancelled { [held] in held == nil }
      held = nil
      #expect(left == nil)
    }
  }

  @Test func `shutting down runs the submitted closures, then ends every thread`() async throws {
    let executor = try BlockingExecutor(name: "test", threadCount: 2)
    let gate = Gate()
    let count = Locked(0)
    async let holders: Void = withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { try await executor.run { gate.block() } } }
      for _ in 0..<4 { group.addTask { try await executor.run { count.withLock { $0 += 1 } } } }
      try await group.waitForAll()
    }
    await gate.arrivals(2)
    await Condition.until { executor.pendingCount == 4 }

    async let first: Void = executor.shutdown()
    async let second: Void = executor.shutdown()
    gate.open()
    _ = await (first, second)

    #expect(executor.threadCount == 0)
    #expect(count.withLock { $0 } == 4)
    try await holders
    await executor.shutdown()
  }

  @Test func `never runs a closure that was cancelled while it waited`() async throws {
    let executor = try BlockingExecutor(name: "test", threadCount: 1)
    defer { executor.stop() }
    let gate = Gate()
    async let holder: Void = executor.run { gate.block() }
    await gate.arrivals(1)

    let waiter = Task { try await executor.run { Issue.record("it ran") } }
    await Condition.until { executor.pendingCount != 0 }
    waiter.cancel()

    await #expect(throws: CancellationError.self) { try await waiter.value }
    gate.open()
    try await holder
  }
}
