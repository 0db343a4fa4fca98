import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A gate of decodes` {
  private struct Failure: Error {}
  private static let large = 4 << 20

  private static func gate(maximum: Int, maximumWaiting: Int = .max) -> DecodeGate {
    var limits = WaitLimits()
    limits.maximumCount = maximumWaiting
    return DecodeGate(maximum: maximum, waiting: limits)
  }

  /// Starts a decode that lasts until the hold opens.
  private static func start(
    _ gate: DecodeGate, pixelCount: Int, hold: Gate
  ) -> Task<Void, any Error> {
    Task {
      try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { await hold.wait() }
    }
  }

  @Test(arguments: [((4 << 20) - 1, 3), (4 << 20, 2)])
  func `keeps one of several places free of images from 4 megapixels on`(
    pixelCount: Int, running: Int
  ) async throws {
    let gate = Self.gate(maximum: 3)
    let hold = Gate()

    let tasks = (0..<3).map { _ in Self.start(gate, pixelCount: pixelCount, hold: hold) }
    await hold.arrivals(running)
    await Condition.until { gate.pendingCount == 3 - running }

    #expect(gate.runningCount == running)
    hold.open()
    for task in tasks { try await task.value }
    #expect(gate.runningCount == 0)
  }

  @Test func `with one place decodes a large image in it`() async throws {
    let gate = Self.gate(maximum: 1)

    let value = try await gate.run(priority: .constant(.normal), pixelCount: Self.large) { 1 }

    #expect(value == 1)
    #expect(gate.runningCount == 0)
  }

  @Test(arguments: [1, 4 << 20])
  func `refuses an image where too many wait, and does not decode it`(
    pixelCount: Int
  ) async throws {
    let gate = Self.gate(maximum: 1, maximumWaiting: 0)
    let hold = Gate()
    let holder = Self.start(gate, pixelCount: pixelCount, hold: hold)
    await hold.arrivals(1)

    let refusal = await imageError {
      try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) {
        Issue.record("it was decoded")
      }
    }

    #expect(refusal?.code == .saturated)
    #expect(refusal?.message == "too busy: 0 others are waiting")
    hold.open()
    try await holder.value
  }

  @Test(arguments: [1, 4 << 20])
  func `gives the place of a failed decode to the next one`(pixelCount: Int) async throws {
    let gate = Self.gate(maximum: 1)

    await #expect(throws: Failure.self) {
      try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { throw Failure() }
    }
    let next = try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { 2 }

    #expect(next == 2)
    #expect(gate.runningCount == 0)
    #expect(gate.pendingCount == 0)
  }

  @Test(arguments: [1, 4 << 20])
  func `never decodes for a task that was cancelled while it waited`(
    pixelCount: Int
  ) async throws {
    let gate = Self.gate(maximum: 1)
    let hold = Gate()
    let holder = Self.start(gate, pixelCount: 1, hold: hold)
    await hold.arrivals(1)
    let waiter = Task {
      try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) {
        Issue.record("it was decoded")
      }
    }
    await Condition.until { gate.pendingCount == 1 }

    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }

    #expect(gate.pendingCount == 0)
    hold.open()
    try await holder.value
    let next = try await gate.run(priority: .constant(.normal), pixelCount: pixelCount) { 3 }
    #expect(next == 3)
  }
}
