import Foundation
import Testing

/// Waits for the effects of other tasks, threads and processes.
enum Condition {
  /// Polls every 2 ms, 5,000 times: 10 s on an idle machine, longer where threads wait for a core.
  ///
  /// Polls on a thread of its own: a task that only yields would occupy one of the few threads of
  /// the cooperative pool, which the awaited work may need.
  ///
  /// - Parameter polls: The bound; larger only where another program has to start.
  static func until(
    polls: Int = 5000, _ condition: @escaping @Sendable () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let isMet = try? await OffPool.run {
      let never = DispatchSemaphore(value: 0)
      for _ in 0..<polls {
        if condition() { return true }
        _ = never.wait(timeout: .now() + .milliseconds(2))
      }
      return condition()
    }
    if isMet != true {
      Issue.record("the condition was not met in \(polls) polls", sourceLocation: sourceLocation)
    }
  }

  /// The bound for the start of a program, which may wait for a core behind all other tests.
  static let pollsOfStart = 30_000
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
