import ImagePipeline

/// Tasks that outlive the requests that began them; their end can be waited for.
final class TaskTally: Sendable {
  private struct State {
    var running = 0
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }
  private let state = Locked(State())
  private let executor: BlockingExecutor

  /// - Parameter executor: Where the tasks run.
  init(on executor: BlockingExecutor) { self.executor = executor }

  /// Starts one.
  func start(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { $0.running += 1 }
    Task(executorPreference: executor) { [self] in
      await body()
      let waiting = state.withLock { state in
        state.running -= 1
        guard state.running == 0 else { return [UnsafeContinuation<Void, Never>]() }
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Waits until none runs.
  func drain() async {
    await withUnsafeContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running == 0 { return true }
        state.waiting.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }
}
