import Testing

@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `The control of a prefetch` {
  private let control = PrefetchControl()

  /// A task that waits for its turn.
  private func waiter(_ count: Locked<Int> = Locked(0)) -> Task<Void, any Error> {
    Task { [control] in
      try await control.waitWhilePaused()
      count.withLock { $0 += 1 }
    }
  }

  @Test func `ends the wait of a pause with a stop`() async {
    control.pause()
    let waiters = (0..<3).map { _ in waiter() }

    control.stop()

    for waiter in waiters {
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
  }

  @Test func `stays stopped, and lets no work begin`() async {
    control.stop()
    control.resume()

    await #expect(throws: CancellationError.self) { try await control.waitWhilePaused() }
    await #expect(throws: CancellationError.self) {
      try await control.whileNotStopped { Issue.record("it began") }
    }
    #expect(control.isStopped)
  }

  @Test func `ends the wait of a cancelled task, and of no other`() async throws {
    let begun = Locked(0)
    control.pause()
    let cancelled = waiter(begun)
    let other = waiter(begun)

    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    control.resume()
    try await other.value

    #expect(begun.withLock { $0 } == 1)
  }
}

@Suite struct `The work of a prefetch` {
  private let control = PrefetchControl()
  private let gate = Gate()

  @Test(arguments: [true, false])
  func `is cancelled by a stop, or with its caller`(isStop: Bool) async {
    let task = Task { [control, gate] in
      try await control.whileNotStopped { try await gate.waitUnlessCancelled() }
    }
    await gate.arrivals(1)

    if isStop { control.stop() } else { task.cancel() }

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(control.isStopped == isStop)
  }
}
