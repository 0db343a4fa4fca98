import Foundation
import Testing

/// Waits for conditions that no event reports.
enum Condition {
  /// Polls every two milliseconds for at most 300 seconds, on a thread of its own: a task that only
  /// yields would occupy one of Swift's few threads.
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
    if came != true {
      Issue.record("the condition was not met within 300 s", sourceLocation: sourceLocation)
    }
  }
}

/// Runs blocking closures on threads outside Swift's pool.
enum OffPool {
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
