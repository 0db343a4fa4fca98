import Foundation
import Testing

/// Waits for what others do.
enum Condition {
  /// Looks every other millisecond, on a thread of its own: a task that only yields would keep one
  /// of Swift's few threads from those it waits for.
  static func until(
    _ condition: @escaping @Sendable () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let came = try? await OffPool.run {
      let start = ContinuousClock.now
      let never = DispatchSemaphore(value: 0)
      while !condition() {
        if ContinuousClock.now - start > .seconds(300) { return false }
        _ = never.wait(timeout: .now() + .milliseconds(2))
      }
      return true
    }
    if came != true { Issue.record("it never came to that", sourceLocation: sourceLocation) }
  }
}

/// Runs what waits on a thread that nobody else needs.
enum OffPool {
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
