import ImageModel

/// Whether the client of a connection is still connected: work for one that left is cancelled.
public final class ConnectionPresence: Sendable {
  private struct State {
    var hasLeft = false
    var lastID = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
    var trace: RequestTrace?
    var problem: String?
  }
  private let state = Locked(State())

  /// The connection that this task serves.
  @TaskLocal public static var current: ConnectionPresence?

  /// Whether the client reached a listener for operators, or one of this machine alone: a loopback
  /// address or a Unix socket.
  let isTrusted: Bool
  let address: String?
  /// The port that the client reached.
  let port: Int?
  /// The threads of the tasks that work for the client; `nil` for Swift's own.
  public let executor: (any TaskExecutor)?

  init(
    isTrusted: Bool = false, address: String? = nil, port: Int? = nil,
    executor: (any TaskExecutor)? = nil
  ) {
    self.isTrusted = isTrusted
    self.address = address
    self.port = port
    self.executor = executor
  }

  /// Notes the code of the problem that the response to the request is, for the access log.
  public func record(problem code: String) { state.withLock { $0.problem = code } }

  func drainProblem() -> String? {
    state.withLock { state in
      defer { state.problem = nil }
      return state.problem
    }
  }

  var trace: RequestTrace? {
    get { state.withLock { $0.trace } }
    set { state.withLock { $0.trace = newValue } }
  }

  /// Notes that the client has disconnected.
  public func leave() {
    let listeners = state.withLock { state in
      state.hasLeft = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener() }
  }

  /// Runs work that is cancelled when the client disconnects.
  func whilePresent<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task(executorPreference: executor) { try await work() }
    let id = listen { task.cancel() }
    defer { forget(id) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Calls a closure when the client disconnects, at once if it has already.
  ///
  /// - Returns: An identifier for ``forget(_:)``.
  public func listen(_ listener: @escaping @Sendable () -> Void) -> Int {
    let (id, hasLeft) = state.withLock { state in
      state.lastID += 1
      if !state.hasLeft { state.listeners[state.lastID] = listener }
      return (state.lastID, state.hasLeft)
    }
    if hasLeft { listener() }
    return id
  }

  /// Ends ``listen(_:)``.
  public func forget(_ id: Int) { state.withLock { $0.listeners[id] = nil } }
}
