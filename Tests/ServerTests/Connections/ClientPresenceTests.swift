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

  @Test func `cancels the work of a client that leaves`() async throws {
    let client = ConnectionPresence()
    let (started, cancelled) = (Gate(), Gate())
    let work = Task {
      try await client.whilePresent {
        try await withTaskCancellationHandler {
          started.open()
          await cancelled.wait()
          try Task.checkCancellation()
        } onCancel: {
          cancelled.open()
        }
      }
    }
    await started.wait()

    client.leave()

    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test func `cancels work that begins after the client has left`() async {
    let client = ConnectionPresence()
    client.leave()

    await #expect(throws: CancellationError.self) {
      try await client.whilePresent {
        let cancelled = Gate()
        await withTaskCancellationHandler {
          await cancelled.wait()
        } onCancel: {
          cancelled.open()
        }
        try Task.checkCancellation()
      }
    }
  }

  @Test func `passes the cancellation of its own task on`() async {
    let client = ConnectionPresence()
    let (started, cancelled) = (Gate(), Gate())
    let work = Task {
      try await client.whilePresent {
        await withTaskCancellationHandler {
          started.open()
          await cancelled.wait()
        } onCancel: {
          cancelled.open()
        }
        try Task.checkCancellation()
      }
    }
    await started.wait()

    work.cancel()

    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test func `has the work done on the threads of its connection`() async throws {
    let executor = try BlockingExecutor(name: "client", threadCount: 1)
    defer { executor.stop() }
    let client = ConnectionPresence(executor: executor)

    #expect(try await client.whilePresent { executor.isCurrent })
  }

  @Test func `is that of the connection whose task asks`() async {
    let client = ConnectionPresence(isTrusted: true)

    #expect(ConnectionPresence.current == nil)
    let found = await ConnectionPresence.$current.withValue(client) {
      await Task { ConnectionPresence.current }.value
    }

    #expect(found === client)
    #expect(found?.isTrusted == true)
    #expect(!ConnectionPresence().isTrusted)
  }
}
