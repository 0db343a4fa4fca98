import ImageModel
import LoadScheduling
import Testing

@testable import HTTPListening
@testable import TestSupport

/// Work for a client that may disconnect at any time.
@Suite struct `The presence of a client` {
  private struct Failure: Error {}

  @Test func `ends with one call of each listener`() {
    let client = ConnectionPresence()
    let calls = Locked<[String]>([])
    _ = client.listen { calls.withLock { $0.append("a") } }
    let forgotten = client.listen { calls.withLock { $0.append("b") } }
    _ = client.listen { calls.withLock { $0.append("c") } }
    client.forget(forgotten)

    client.leave()
    client.leave()

    #expect(calls.withLock { $0.sorted() } == ["a", "c"])
  }

  @Test func `that has ended is told at once`() {
    let client = ConnectionPresence()
    client.leave()
    let calls = Locked(0)

    let id = client.listen { calls.withLock { $0 += 1 } }
    client.leave()
    client.forget(id)

    #expect(calls.withLock { $0 } == 1)
  }

  @Test func `has no effect on work that ends before it`() async throws {
    let client = ConnectionPresence()

    #expect(try await client.whilePresent { 7 } == 7)
    await #expect(throws: Failure.self) { try await client.whilePresent { throw Failure() } }
    client.leave()
  }

  @Test(arguments: [true, false])
  func `cancels the work of a client that leaves, or whose own task is cancelled`(
    isLeaving: Bool
  ) async throws {
    let client = ConnectionPresence()
    let (started, cancelled) = (Gate(), Gate())
    let work = Task { try await client.whilePresent { try await wait(started, cancelled) } }
    await started.wait()

    if isLeaving { client.leave() } else { work.cancel() }

    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test func `cancels work that begins after the client has left`() async {
    let client = ConnectionPresence()
    client.leave()

    await #expect(throws: CancellationError.self) {
      try await client.whilePresent { try await wait(Gate(), Gate()) }
    }
  }

  /// Waits until the task is cancelled.
  private func wait(_ started: Gate, _ cancelled: Gate) async throws {
    await withTaskCancellationHandler {
      started.open()
      await cancelled.wait()
    } onCancel: {
      cancelled.open()
    }
    try Task.checkCancellation()
  }

  @Test func `has the work done on the threads of its connection`() async throws {
    let executor = try BlockingExecutor(name: "client", threadCount: 1)
    defer { executor.stop() }
    let client = ConnectionPresence(executor: executor)

    #expect(try await client.whilePresent { executor.isCurrent })
  }
}
