import Dispatch
import Synchronization

/// Runs an operation on a thread that no task needs; `nil` if it takes longer than the patience.
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
