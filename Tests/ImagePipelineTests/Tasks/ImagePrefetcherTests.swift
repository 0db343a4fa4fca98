import Testing

@testable import ImageModel
@testable import ImagePipeline

/// Waits until the task is cancelled.
private func untilCancelled() async {
  let (stream, continuation) = AsyncStream<Void>.makeStream()
  defer { continuation.finish() }
  for await _ in stream {}
}

@Suite struct `Prefetcher` {
  private struct Numbers: AsyncSequence, Sendable {
    let count: Int
    let taken: Locked<Int>

    struct Iterator: AsyncIteratorProtocol {
      let numbers: Numbers
      var position = 0

      mutating func next() async -> Int? {
        guard position < numbers.count else { return nil }
        defer { position += 1 }
        numbers.taken.withLock { $0 += 1 }
        return position
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(numbers: self) }
  }

  @Test func `no more items are taken than may be in flight`() async throws {
    let numbers = Numbers(count: 1000, taken: Locked(0))
    let finished = Locked(0)
    let most = Locked(0)

    try await ImagePrefetcher(maximumInFlight: 4).run(numbers) { number in
      let waiting = numbers.taken.withLock { $0 } - finished.withLock { $0 }
      most.withLock { $0 = max($0, waiting) }
      return number
    } finished: { _ in
      finished.withLock { $0 += 1 }
    }

    // Four at work, and one that was taken and waits for room.
    #expect(most.withLock { $0 } <= 5)
  }

  @Test func `cancelling stops the work in progress`() async {
    let (started, starts) = AsyncStream<Void>.makeStream()
    let stopped = Locked(0)

    let task = Task {
      try await ImagePrefetcher(maximumInFlight: 3).run(Numbers(count: 10, taken: Locked(0))) {
        number in
        starts.yield()
        await untilCancelled()
        stopped.withLock { $0 += 1 }
        try Task.checkCancellation()
        return number
      } finished: { _ in
      }
    }
    var count = 0
    for await _ in started {
      count += 1
      if count == 3 { break }
    }
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stopped.withLock { $0 } == 3)
  }
}
