import ImagePipeline

/// Whether the client of a connection is still there: work that nobody waits for is cancelled.
final class ClientPresence: Sendable {
  private struct State {
    var hasLeft = false
    var lastID = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }
  private let state = Locked(State())

  /// The client of the connection that this task serves.
  @TaskLocal static var current: ClientPresence?

  /// Says that the client has left.
  func leave() {
    let listeners = state.withLock { state in
      state.hasLeft = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener() }
  }

  /// Runs work that is cancelled when the client leaves.
  ///
  /// - Throws: `CancellationError` then; else what the work throws.
  func whilePresent<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    let id = listen { task.cancel() }
    defer { forget(id) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Hears when the client leaves, at once where it has.
  ///
  /// - Returns: A number for ``forget(_:)``.
  func listen(_ listener: @escaping @Sendable () -> Void) -> Int {
    let (id, hasLeft) = state.withLock { state in
      state.lastID += 1
      if !state.hasLeft { state.listeners[state.lastID] = listener }
      return (state.lastID, state.hasLeft)
    }
    if hasLeft { listener() }
    return id
  }

  /// Ends ``listen(_:)``.
  func forget(_ id: Int) { state.withLock { $0.listeners[id] = nil } }
}
