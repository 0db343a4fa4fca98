import Foundation
import Testing

@testable import ImageModel

/// Waits for the effects of other tasks, threads and processes.
enum Condition {
  /// Polls every 2 ms, for 5,000 turns of the cooperative pool: 10 s on an idle machine, longer
  /// while other tests occupy its few threads, on which the awaited work may run.
  ///
  /// Polls on a thread of its own, so that it occupies none of them.
  ///
  /// - Parameter turns: The bound; larger only where another program has to start.
  static func until(
    turns: Int = 5000, _ condition: @escaping @Sendable () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let isMet = try? await OffPool.run {
      let never = DispatchSemaphore(value: 0)
      let isIdle = Locked(true)
      var turn = 0
      while turn < turns {
        if condition() { return true }
        if isIdle.withLock({ $0 }) {
          turn += 1
          isIdle.withLock { $0 = false }
          Task { isIdle.withLock { $0 = true } }
        }
        _ = never.wait(timeout: .now() + .milliseconds(2))
      }
      return condition()
    }
    if isMet != true {
      Issue.record("the condition was not met in \(turns) turns", sourceLocation: sourceLocation)
    }
  }

  /// The bound for the start of a program, which may wait for a core behind all other tests.
  static let turnsOfStart = 30_000
}

/// Runs blocking work on a thread outside the cooperative pool.
enum OffPool {
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
