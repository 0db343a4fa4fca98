import Testing

@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A coalescer` {
  typealias Coalescer = TaskCoalescer<String, Int, String, Never>

  /// Work that waits at a gate and counts its starts and cancellations.
  final class Work: Sendable {
    let gate = Gate()
    let cancelled = Gate()
    private let state = Locked((begun: 0, run: SharedRun<String>?.none))
    var begun: Int { state.withLock { $0.begun } }
    var run: SharedRun<String>? { state.withLock { $0.run } }

    func make(_ run: SharedRun<String>) async throws -> Int {
      let number = state.withLock { state in
        state.begun += 1
        state.run = run
        return state.begun
      }
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        cancelled.open()
        gate.open()
      }
      try Task.checkCancellation()
      return number
    }
  }

  private func waiters(_ count: Int, at coalescer: Coalescer) async {
    await Condition.until { coalescer.waiterCount(for: "a") == count }
  }

  @Test(arguments: [1, 2, 500])
  func `runs one task for all callers of a key, and each gets its value`(count: Int) async throws {
    let coalescer = Coalescer()
    let work = Work()

    let tasks = (0..<count).map { _ in
      Task { try await coalescer.value(for: "a") { try await work.make($0) } }
    }
    await waiters(count, at: coalescer)
    work.gate.open()

    for task in tasks { #expect(try await task.value == 1) }
    #expect(work.begun == 1)
    #expect(coalescer.count == 0)
  }

  @Test func `a task starts on its caller's thread if it may, else on the executor`() async throws {
    let executor = try BlockingExecutor(name: "test", threadCount: 1)
    defer { executor.stop() }
    let coalescer = Coalescer(executor: executor)

    let here = try await coalescer.value(for: "a", beginsHere: true) { _ in
      executor.isCurrent ? 1 : 0
    }
    let there = try await coalescer.value(for: "a") { _ in executor.isCurrent ? 1 : 0 }
    let gate = Gate()
    async let after = coalescer.value(for: "a", beginsHere: true) { _ in
      await gate.wait()
      return executor.isCurrent ? 1 : 0
    }
    await gate.arrivals(1)
    gate.open()

    #expect(try await [here, there, after] == [0, 1, 1])
  }

  @Test func `a caller that joins at any moment gets the value`() async throws {
    let executor = try BlockingExecutor(name: "test", threadCount: 3)
    defer { executor.stop() }
    let coalescer = Coalescer(executor: executor)

    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask(executorPreference: lane < 4 ? executor : nil) {
          for round in 0..<200 {
            if (lane + round).isMultiple(of: 3) { await Task.yield() }
            let value = try? await coalescer.value(
              for: "\(round % 5)", beginsHere: lane.isMultiple(of: 2)
            ) { _ in
              if round.isMultiple(of: 2) { await Task.yield() }
              return 7
            }
            #expect(value == 7)
          }
        }
      }
    }

    await coalescer.finish()
    #expect(coalescer.count == 0)
  }

  @Test(arguments: [false, true])
  func `cancels the work with its last waiter, and starts again`(beginsHere: Bool) async throws {
    let coalescer = Coalescer()
    let work = Work()
    let tasks = (0..<2).map { _ in
      Task {
        try await coalescer.value(for: "a", beginsHere: beginsHere) { try await work.make($0) }
      }
    }
    await waiters(2, at: coalescer)

    for task in tasks { task.cancel() }

    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    await work.cancelled.wait()
    #expect(try await coalescer.value(for: "a") { _ in 7 } == 7)
    await coalescer.finish()
    #expect(coalescer.count == 0)
  }

  @Test func `starts nothing for a cancelled caller`() async throws {
    let coalescer = Coalescer()
    let gate = Gate()

    let task = Task {
      await gate.wait()
      return try await coalescer.value(for: "a") { _ in
        Issue.record("it began")
        return 1
      }
    }
    task.cancel()
    gate.open()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(coalescer.count == 0)
  }

  @Test func `runs at its waiters' highest priority, as it changes`() async throws {
    let coalescer = Coalescer()
    let work = Work()
    let low = LivePriority(.low)
    let first = Task {
      try await coalescer.value(for: "a", priority: low) { try await work.make($0) }
    }
    await work.gate.arrivals(1)
    let run = try #require(work.run)
    #expect(run.priority.value == .low)

    let second = Task {
      try await coalescer.value(for: "a", priority: LivePriority(.high)) { _ in 0 }
    }
    await waiters(2, at: coalescer)
    await Condition.until { run.priority.value == .high }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    await Condition.until { run.priority.value == .low }
    low.value = .normal

    #expect(run.priority.value == .normal)
    work.gate.open()
    _ = try await first.value
  }

  @Test func `gives a failure to each waiter exactly once`() async throws {
    let coalescer = Coalescer()
    let gate = Gate()
    let failures = Locked(0)

    await withTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          do {
            _ = try await coalescer.value(for: "a") { _ in
              await gate.wait()
              throw ImageError(.corrupt, "broken")
            }
          } catch {
            failures.withLock { $0 += 1 }
          }
        }
      }
      await waiters(50, at: coalescer)
      gate.open()
    }

    #expect(failures.withLock { $0 } == 50)
    #expect(coalescer.count == 0)
  }

  @Test func `gives a late joiner the latest event, and all the following ones`() async throws {
    let coalescer = Coalescer()
    let work = Work()
    let heard = Locked<[[String]]>([[], []])
    func listen(_ index: Int) -> @Sendable (String) -> Void {
      { update in heard.withLock { $0[index].append(update) } }
    }

    let first = Task {
      try await coalescer.value(for: "a", onUpdate: listen(0)) { try await work.make($0) }
    }
    await work.gate.arrivals(1)
    let run = try #require(work.run)
    run.send("1")
    run.send("2")
    let second = Task { try await coalescer.value(for: "a", onUpdate: listen(1)) { _ in 0 } }
    await Condition.until { !heard.withLock({ $0[1].isEmpty }) }
    run.send("3")
    work.gate.open()
    _ = try await (first.value, second.value)
    run.send("too late")

    #expect(heard.withLock { $0 } == [["1", "2", "3"], ["2", "3"]])
  }

  @Test func `answers every caller while many join and cancel at random`() async throws {
    let coalescer = Coalescer()

    let (values, cancellations) = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let task = Task {
            try await coalescer.value(for: "\(number % 7)") { _ in
              await Task.yield()
              return number
            }
          }
          if number % 3 == 0 { task.cancel() }
          return (try? await task.value) != nil
        }
      }
      return await group.reduce(into: (0, 0)) { sum, isValue in
        if isValue { sum.0 += 1 } else { sum.1 += 1 }
      }
    }

    #expect(values + cancellations == 1000)
    #expect(values >= 666)
    #expect(coalescer.count == 0)
  }
}
