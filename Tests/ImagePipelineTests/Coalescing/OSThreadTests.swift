import Foundation
import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A thread of its own` {
  @Test func `has ended its work when the join returns`() async throws {
    let gate = Gate()
    let isDone = Locked(false)
    let thread = try OSThread(name: "test") {
      gate.block()
      isDone.withLock { $0 = true }
    }

    gate.open()
    try await OffPool.run { thread.join() }

    #expect(isDone.withLock { $0 })
  }

  @Test func `resumes every task that waits for its end`() async throws {
    let gate = Gate()
    let thread = try OSThread(name: "test") { gate.block() }
    let ended = Locked(0)
    let tasks = (0..<3).map { _ in
      Task {
        await thread.ended()
        ended.withLock { $0 += 1 }
      }
    }
    await gate.arrivals(1)

    let before = ended.withLock { $0 }
    gate.open()
    for task in tasks { await task.value }

    #expect(before == 0)
    #expect(ended.withLock { $0 } == 3)
  }

  @Test func `goes on when its last reference is released`() async throws {
    let gate = Gate()
    let after = Gate()
    var thread: OSThread? = try OSThread(name: "test") {
      gate.block()
      after.open()
    }
    #expect(thread != nil)

    thread = nil
    gate.open()

    await after.wait()
  }

}
