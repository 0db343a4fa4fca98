import Testing

@testable import ImageModel
@testable import LoadScheduling

@Suite struct `Bounded work` {
  @Test func `no more items are taken than may be in flight`() async throws {
    let (taken, finished) = (Locked(0), Locked(0))
    let numbers = AsyncStream<Int>(unfolding: {
      taken.withLock { count in
        count += 1
        return count <= 1000 ? count : nil
      }
    })
    let most = Locked(0)

    try await BoundedWork(maximumInFlight: 4).run(numbers) { number in
      let waiting = taken.withLock { $0 } - finished.withLock { $0 }
      most.withLock { $0 = max($0, waiting) }
      return number
    } finished: { _ in
      finished.withLock { $0 += 1 }
    }

    #expect(most.withLock { $0 } <= 4)
  }
}
