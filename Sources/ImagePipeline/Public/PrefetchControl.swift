import ImageModel

/// Pauses, resumes or stops a prefetch.
public final class PrefetchControl: Sendable {
  private struct State {
    var isPaused = false
    var isStopped = false
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var lastID = 0
    var onStop: [Int: @Sendable () -> Void] = [:]
  }
  private let state = Locked(State())

  /// Starts unpaused.
  public init() {}

  /// Starts nothing new; loads in progress are finished.
  public func pause() { state.withLock { $0.isPaused = true } }

  /// Resumes.
  public func resume() {
    let waiting = state.withLock { state in
      state.isPaused = false
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Stops the prefetch for good: loads in progress are cancelled, nothing new starts.
  public func stop() {
    let (waiting, listeners) = state.withLock { state in
      state.isStopped = true
      defer { (state.waiting, state.onStop) = ([:], [:]) }
      return (Array(state.waiting.values), Array(state.onStop.values))
    }
    for continuation in waiting { continuation.resume(throwing: CancellationError()) }
    for listener in listeners { listener() }
  }

  /// Whether it was ended.
  public var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Returns when something may begin.
  ///
  /// - Throws: `CancellationError` when it was ended, or the task is cancelled.
  func waitWhilePaused() async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if state.isStopped || Task.isCancelled { return .failure(CancellationError()) }
          if !state.isPaused { return .success(()) }
          state.waiting[id] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?
        .resume(throwing: CancellationError())
    }
  }

  func whileNotStopped<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let begun = state.withLock { state -> (id: Int, task: Task<Value, any Error>)? in
      guard !state.isStopped else { return nil }
      let task = Task { try await work() }
      state.lastID += 1
      state.onStop[state.lastID] = { task.cancel() }
      return (state.lastID, task)
    }
    guard let (id, task) = begun else { throw CancellationError() }
    defer { state.withLock { $0.onStop[id] = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
