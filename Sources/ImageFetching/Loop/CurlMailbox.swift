import ImageModel

/// The queue of commands from tasks to the thread of a ``CurlEngine``, in order, from any thread.
final class CurlMailbox: Sendable {
  typealias ID = UInt64
  typealias Continuation = UnsafeContinuation<TransferEvent, Never>
  typealias UploadContinuation = UnsafeContinuation<Bool, Never>

  enum Command: Sendable {
    case start(TransferRequest, ID, Continuation)
    /// The chunk is used up: what comes next?
    case next(ID, Continuation)
    /// Bytes of a streamed request body, `nil` at its end; resumed when more may come, with `false`
    /// when none is wanted any more.
    case upload(ID, [UInt8]?, UploadContinuation)
    case cancel(ID)
    case stop
  }

  private struct State {
    var commands: [Command] = []
    var lastID: ID = 0
    var isWaiting = false
    var isClosed = false
  }
  private let state = Locked(State())
  /// Wakes the thread; `nil` before its handle exists, and after. It has a separate lock: a thread
  /// that is woken needs the lock of the commands at once.
  private let waker = Locked(Waker())
  private struct Waker: Sendable { var wake: (@Sendable () -> Void)? }

  func makeID() -> ID {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Starts an exchange and waits for its first event; commands for it may follow once it is
  /// posted. For a cancelled task, nothing is started.
  func start(_ request: TransferRequest, _ id: ID, posted: () -> Void = {}) async -> TransferEvent {
    await withUnsafeContinuation { continuation in
      // A cancellation handler runs after the flag is set: either its command comes after ours, or
      // we see the flag.
      let isOpen = add(.start(request, id, continuation)) { !Task.isCancelled }
      posted()
      if !isOpen { continuation.resume(returning: .cancelled) }
    }
  }

  func next(_ id: ID) async -> TransferEvent {
    await withUnsafeContinuation { continuation in
      if !add(.next(id, continuation)) { continuation.resume(returning: .cancelled) }
    }
  }

  /// Hands over a piece of a request body and waits until another may come; `false` if none may.
  func upload(_ id: ID, _ bytes: [UInt8]?) async -> Bool {
    await withUnsafeContinuation { continuation in
      if !add(.upload(id, bytes, continuation)) { continuation.resume(returning: false) }
    }
  }

  func post(_ command: Command) { _ = add(command) }

  /// Adds a command, unless `isWanted`, which runs under the lock, returns `false`. Returns `false`
  /// if the command was not added.
  private func add(_ command: Command, isWanted: () -> Bool = { true }) -> Bool {
    let (isOpen, wakes) = state.withLock { state in
      guard !state.isClosed, isWanted() else { return (false, false) }
      state.commands.append(command)
      defer { state.isWaiting = false }
      return (true, state.isWaiting)
    }
    if wakes { waker.withLock { $0.wake?() } }
    return isOpen
  }

  func drain(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    state.withLock { state in swap(&state.commands, &commands) }
  }

  /// Sets what wakes the thread from now on, until ``close()``; called by the thread.
  func open(_ wake: @escaping @Sendable () -> Void) { waker.withLock { $0.wake = wake } }

  /// Says that the thread is about to wait and must be woken for a command. Returns `false` when
  /// there is one already, and it must not wait.
  func beginWaiting() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commands.isEmpty
      return state.isWaiting
    }
  }

  func endWaiting() { state.withLock { $0.isWaiting = false } }

  /// Takes no command any more and answers those that wait; called by the thread at its end.
  func close() {
    waker.withLock { $0.wake = nil }
    let rest = state.withLock { state in
      state.isClosed = true
      defer { state.commands = [] }
      return state.commands
    }
    for command in rest {
      switch command {
      case .start(_, _, let waiting), .next(_, let waiting): waiting.resume(returning: .cancelled)
      case .upload(_, _, let waiting): waiting.resume(returning: false)
      case .cancel, .stop: break
      }
    }
  }
}
