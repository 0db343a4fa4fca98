/// What tasks say to the thread of a ``CurlEngine``, in order, from any thread.
final class CurlMailbox: Sendable {
  typealias ID = UInt64
  typealias Continuation = UnsafeContinuation<TransferEvent, Never>

  typealias UploadContinuation = UnsafeContinuation<Bool, Never>

  enum Command: Sendable {
    case start(TransferRequest, ID, Continuation)
    /// The chunk is used up: what comes next?
    case next(ID, Continuation)
    /// Bytes of a streamed request body, `nil` at its end; resumed when more may come, with `false` when none is
    /// wanted any more.
    case upload(ID, [UInt8]?, UploadContinuation)
    case cancel(ID)
    case stop
  }

  private struct State {
    var commands: [Command] = []
    var lastID: ID = 0
    /// Set while the thread waits and must be woken.
    var sleeper: CurlWaker?
    var isClosed = false
  }
  private let state = Locked(State())

  func makeID() -> ID {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Starts an exchange and waits for its first event. Of a cancelled task nothing is started.
  ///
  /// - Parameter posted: Called when the command is in line: what is said of the exchange then comes after it.
  func start(
    _ request: TransferRequest, _ id: ID, posted: () -> Void = {}
  ) async -> TransferEvent {
    await withUnsafeContinuation { continuation in
      // A cancellation handler runs after the flag is set: either its command comes after ours, or we
      // see the flag.
      let isOpen = state.withLock { state in
        guard !state.isClosed, !Task.isCancelled else { return false }
        Self.add(.start(request, id, continuation), &state)
        return true
      }
      posted()
      if !isOpen { continuation.resume(returning: .finished(TransferResult(outcome: .cancelled))) }
    }
  }

  /// Asks for the event after a chunk.
  func next(_ id: ID) async -> TransferEvent {
    await withUnsafeContinuation { continuation in
      let isOpen = state.withLock { state in
        guard !state.isClosed else { return false }
        Self.add(.next(id, continuation), &state)
        return true
      }
      if !isOpen { continuation.resume(returning: .finished(TransferResult(outcome: .cancelled))) }
    }
  }

  /// Hands over a piece of a request body and waits until another may come. `false`: none is wanted any more.
  func upload(_ id: ID, _ bytes: [UInt8]?) async -> Bool {
    await withUnsafeContinuation { continuation in
      let isOpen = state.withLock { state in
        guard !state.isClosed else { return false }
        Self.add(.upload(id, bytes, continuation), &state)
        return true
      }
      if !isOpen { continuation.resume(returning: false) }
    }
  }

  func post(_ command: Command) {
    state.withLock { state in
      if !state.isClosed { Self.add(command, &state) }
    }
  }

  /// All commands so far; called by the thread.
  func take(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    state.withLock { state in swap(&state.commands, &commands) }
  }

  /// Says that the thread is about to wait and must be woken for a command. Returns `false` when there
  /// is one already, and it must not wait.
  func beginWaiting(_ waker: CurlWaker) -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.sleeper = waker
      return true
    }
  }

  /// Says that the thread is awake.
  func endWaiting() { state.withLock { $0.sleeper = nil } }

  /// Takes no command any more and answers those that wait; called by the thread at its end.
  func close() {
    let rest = state.withLock { state in
      state.isClosed = true
      defer { state.commands = [] }
      return state.commands
    }
    for case .start(_, _, let continuation) in rest {
      continuation.resume(returning: .finished(TransferResult(outcome: .cancelled)))
    }
    for case .next(_, let continuation) in rest {
      continuation.resume(returning: .finished(TransferResult(outcome: .cancelled)))
    }
    for case .upload(_, _, let continuation) in rest { continuation.resume(returning: false) }
  }

  /// The thread is woken under the lock, so that its handle cannot go away meanwhile.
  private static func add(_ command: Command, _ state: inout State) {
    state.commands.append(command)
    state.sleeper?.wake()
    state.sleeper = nil
  }
}
