import Dispatch
import Synchronization

/// Runs an operation and waits for it, on a thread that no task needs.
///
/// - Parameter patience: How long it may take. Default: any time.
/// - Returns: `nil` if it takes longer.
func awaited<Value: Sendable>(
  within patience: DispatchTimeInterval = .never, _ body: @escaping @Sendable () async -> Value
) -> Value? {
  let result = Mutex<Value?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    let value = await body()
    result.withLock { $0 = value }
    isDone.signal()
  }
  _ = isDone.wait(timeout: .now() + patience)
  return result.withLock { $0 }
}

/// Runs `body` and then `end`, also after an error.
func finally<Result: Sendable>(
  _ end: () async -> Void, after body: () async throws -> Result
) async throws -> Result {
  do {
    let result = try await body()
    await end()
    return result
  } catch {
    await end()
    throw error
  }
}
