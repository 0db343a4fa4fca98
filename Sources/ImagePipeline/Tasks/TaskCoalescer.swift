import ImageModel
import LoadScheduling
import Synchronization

/// Coalesces equal requests: one task makes the value for all of them.
///
/// The first waiter starts the task, others join it; each gets the value, or the error, exactly
/// once. The task runs at the highest priority of its waiters. Cancelling the last waiter cancels
/// the task, and a later request starts it again. Nothing is kept after the end.
///
/// A task may use another coalescer, passing on its ``SharedRun/priority``: so a graph of
/// downloads, decodes and processors is shared stage by stage.
///
/// Each waiter may state its `Need`, a part of what the task makes: the task reads those of the
/// waiters that it has by then. `Never` for tasks that make one thing.
final class TaskCoalescer<
  Key: Hashable & Sendable, Value: Sendable, Update: Sendable, Need: Sendable
>: Sendable {
  private struct Waiter {
    let id: Int
    /// Resumed once, by the code that removes the waiter from the table.
    let continuation: UnsafeContinuation<Value, any Error>
    var priority: LoadPriority
    let need: Need?
    let onUpdate: (@Sendable (_ number: Int, Update) -> Void)?
    let isWatching: (@Sendable () -> Bool)?
    var isListening: Bool { onUpdate != nil && (isWatching?() ?? true) }
  }
  private struct Entry {
    let run: SharedRun<Update>
    let runID: Int
    /// In no order. Thousands may join and one may leave: that one is searched for.
    var waiters: [Waiter] = []
    var counts = SIMD4<Int>()
    var latest: (number: Int, update: Update)?
    /// `nil` while the task begins on the thread of its first waiter.
    var task: Task<Void, Never>?

    var priority: LoadPriority {
      var rawValue = LoadPriority.high.rawValue
      while rawValue > 0, counts[rawValue] == 0 { rawValue -= 1 }
      return LoadPriority(rawValue: rawValue) ?? .prefetch
    }

    mutating func add(_ waiter: Waiter) {
      waiters.append(waiter)
      counts[waiter.priority.rawValue] += 1
    }

    mutating func remove(_ id: Int) -> Waiter? {
      guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
      waiters.swapAt(index, waiters.count - 1)
      let waiter = waiters.removeLast()
      counts[waiter.priority.rawValue] -= 1
      return waiter
    }

    /// Returns whether the waiter is here and had another priority.
    mutating func setPriority(_ priority: LoadPriority, of id: Int) -> Bool {
      guard let index = waiters.firstIndex(where: { $0.id == id }),
        waiters[index].priority != priority
      else { return false }
      counts[waiters[index].priority.rawValue] -= 1
      counts[priority.rawValue] += 1
      waiters[index].priority = priority
      return true
    }
  }
  private struct State {
    var entries: [Key: Entry] = [:]
    /// The error for waiters once the coalescer is closed.
    var closure: (any Error)?
    /// Tasks that have not ended, those without waiters included.
    var runningCount = 0
    var idleWaiters: [UnsafeContinuation<Void, Never>] = []
  }
  private let state = Locked(State())
  private let lastID = Atomic(0)
  private let executor: BlockingExecutor?

  /// `executor` runs the tasks: one with threads of its own saves blocking tasks two hops.
  init(executor: BlockingExecutor? = nil) {
    self.executor = executor
  }

  var count: Int { state.withLock { $0.entries.count } }

  var waiterCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiters.count } } }

  func waiterCount(for key: Key) -> Int { state.withLock { $0.entries[key]?.waiters.count ?? 0 } }

  /// Returns what the waiters of a run need of it now, in no order.
  func needs(for key: Key, of run: SharedRun<Update>) -> [Need] {
    state.withLock { state in
      guard let entry = state.entries[key], entry.run === run else { return [] }
      return entry.waiters.compactMap(\.need)
    }
  }

  /// Returns the value that `body` produces for the key, joining a task that is already producing
  /// it.
  ///
  /// - Parameters:
  ///   - key: Equal keys share.
  ///   - priority: Of this caller; may be changed while it waits.
  ///   - need: The caller's part of the value; see ``needs(for:of:)``. Default: none.
  ///   - onUpdate: Receives the updates of the task, beginning with the latest that was sent before
  ///     this call, in order, on any thread. Default: none.
  ///   - isWatching: Whether updates are needed now; see ``SharedRun/isWatched``. Default: yes, if
  ///     there is an `onUpdate`.
  ///   - beginsHere: Whether the task may begin on the calling thread, which saves two changes of
  ///     thread: `body` does not block before it first waits. On a thread of the executor, which
  ///     may block, it always does. Default: no.
  ///   - body: Produces the value; it runs in a separate task.
  /// - Throws: `CancellationError` when this caller's task is cancelled; else what `body` throws.
  func value(
    for key: Key, priority: LivePriority = LivePriority(), need: Need? = nil,
    onUpdate: (@Sendable (Update) -> Void)? = nil,
    isWatching: (@Sendable () -> Bool)? = nil, beginsHere: Bool = false,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) async throws -> Value {
    let id = lastID.add(1, ordering: .relaxed).newValue
    // A constant priority needs no listener; thousands of waiters may share it.
    let token = priority.isConstant ? nil : listen(to: priority, for: key, id)
    defer { if let token { priority.forget(token) } }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let waiter = Waiter(
          id: id, continuation: continuation, priority: priority.value, need: need,
          onUpdate: onUpdate.map(Self.ordered), isWatching: isWatching)
        join(key, waiter, priority, beginsHere, body)
      }
    } onCancel: {
      leave(key, id)
    }
  }

  private func listen(to priority: LivePriority, for key: Key, _ id: Int) -> Int {
    priority.onChange { [weak self, weak priority] in
      guard let priority else { return }
      self?.setPriority(priority.value, of: id, for: key)
    }
  }

  private enum Joining {
    case start(SharedRun<Update>)
    case wait(raising: SharedRun<Update>?, latest: (number: Int, update: Update)?)
    case refuse(any Error)
  }

  /// Adds a waiter. A separate function, so that the frames of thousands of waiters are small.
  @inline(never)
  private func join(
    _ key: Key, _ waiter: Waiter, _ priority: LivePriority, _ beginsHere: Bool,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) {
    let joining = state.withLock { state -> Joining in
      // The handler runs after the flag is set: either it finds us, or we see the flag.
      if Task.isCancelled { return .refuse(CancellationError()) }
      if let closure = state.closure { return .refuse(closure) }
      // In place, so that an entry with thousands of waiters is not moved for each.
      guard let place = state.entries.index(forKey: key) else {
        let id = waiter.id
        let run = SharedRun<Update>(
          priority: waiter.priority, send: { self.send($0, for: key, id) },
          isWatched: { self.isWatched(key, id) })
        var entry = Entry(run: run, runID: id)
        entry.add(waiter)
        state.entries[key] = entry
        state.runningCount += 1
        return .start(run)
      }
      state.entries.values[place].add(waiter)
      let run = state.entries.values[place].run
      return .wait(
        raising: waiter.priority > run.priority.value ? run : nil,
        latest: waiter.onUpdate == nil ? nil : state.entries.values[place].latest)
    }
    switch joining {
    case .start(let run): start(run, key, waiter.id, beginsHere, body)
    case .wait(let run, let latest):
      if let run { refreshPriority(key, run) }
      if let latest { waiter.onUpdate?(latest.number, latest.update) }
    case .refuse(let error): waiter.continuation.resume(throwing: error)
    }
    // It may have changed before there was a waiter to change.
    if !priority.isConstant { setPriority(priority.value, of: waiter.id, for: key) }
  }

  /// Starts the task: outside the lock, which it needs at once.
  private func start(
    _ run: SharedRun<Update>, _ key: Key, _ runID: Int, _ beginsHere: Bool,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) {
    let operation = { @Sendable in
      let result: Result<Value, any Error>
      do { result = .success(try await body(run)) } catch { result = .failure(error) }
      self.end(key, runID, result)
    }
    let task: Task<Void, Never>
    if beginsHere || executor?.isCurrent ?? false, #available(macOS 26, *) {
      task = Task.immediate(executorPreference: executor, operation: operation)
    } else {
      task = Task(executorPreference: executor, operation: operation)
    }
    let isWanted = state.withLock { state in
      guard state.entries[key]?.runID == runID else { return false }
      state.entries[key]?.task = task
      return true
    }
    // It has ended already, or all waiters have left.
    if !isWanted { task.cancel() }
  }

  private func end(_ key: Key, _ runID: Int, _ result: Result<Value, any Error>) {
    let (entry, idleWaiters) = state.withLock { state in
      state.runningCount -= 1
      var idleWaiters: [UnsafeContinuation<Void, Never>] = []
      if state.runningCount == 0 { swap(&idleWaiters, &state.idleWaiters) }
      // Otherwise all have left already, or a later run has taken the place.
      let isOurs = state.entries[key]?.runID == runID
      return (isOurs ? state.entries.removeValue(forKey: key) : nil, idleWaiters)
    }
    guard let entry else { return idleWaiters.forEach { $0.resume() } }
    let resume = {
      for waiter in entry.waiters { waiter.continuation.resume(with: result) }
      for waiter in idleWaiters { waiter.resume() }
    }
    // A task that ends where it began is a part of one that goes on.
    if let executor, entry.task != nil { executor.resumeLast(resume) } else { resume() }
  }

  /// Waits until no task runs, cancelled ones included.
  func finish() async {
    await withUnsafeContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.runningCount > 0 { state.idleWaiters.append(continuation) }
        return state.runningCount == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Ends all waits with the error, and all later ones.
  ///
  /// - Returns: The tasks, which the caller cancels: of several coalescers that share stages only
  ///   once all are closed, so that no waiter gets the `CancellationError` of a stage below it.
  func close(throwing error: any Error) -> [Task<Void, Never>] {
    let entries = state.withLock { state in
      state.closure = error
      defer { state.entries = [:] }
      return Array(state.entries.values)
    }
    for waiter in entries.flatMap(\.waiters) { waiter.continuation.resume(throwing: error) }
    return entries.compactMap(\.task)
  }

  private func isWatched(_ key: Key, _ runID: Int) -> Bool {
    let watching = state.withLock { state -> [Waiter] in
      guard let entry = state.entries[key], entry.runID == runID else { return [] }
      return entry.waiters
    }
    return watching.contains { $0.isListening }
  }

  private func leave(_ key: Key, _ id: Int) {
    let (waiter, task, run) = state.withLock {
      state -> (Waiter?, Task<Void, Never>?, SharedRun<Update>?) in
      guard let waiter = state.entries[key]?.remove(id) else { return (nil, nil, nil) }
      if state.entries[key]?.waiters.isEmpty == true {
        return (waiter, state.entries.removeValue(forKey: key)?.task, nil)
      }
      return (waiter, nil, state.entries[key]?.run)
    }
    task?.cancel()
    if let run { refreshPriority(key, run) }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  private func setPriority(_ priority: LoadPriority, of id: Int, for key: Key) {
    let run = state.withLock { state -> SharedRun<Update>? in
      guard state.entries[key]?.setPriority(priority, of: id) == true else { return nil }
      return state.entries[key]?.run
    }
    if let run { refreshPriority(key, run) }
  }

  /// Sets the run's priority to the highest of its waiters: outside the lock, because it calls
  /// listeners, and again where another thread changed it meanwhile.
  private func refreshPriority(_ key: Key, _ run: SharedRun<Update>) {
    while true {
      let wanted = state.withLock { state -> LoadPriority? in
        guard let entry = state.entries[key], entry.run === run else { return nil }
        return entry.priority
      }
      guard let wanted, run.priority.value != wanted else { return }
      run.priority.value = wanted
    }
  }

  private func send(_ update: Update, for key: Key, _ runID: Int) {
    let (number, listeners) = state.withLock { state in
      guard let entry = state.entries[key], entry.runID == runID else {
        return (0, [@Sendable (Int, Update) -> Void]())
      }
      let number = (entry.latest?.number ?? 0) + 1
      state.entries[key]?.latest = (number, update)
      return (number, entry.waiters.compactMap(\.onUpdate))
    }
    for listener in listeners { listener(number, update) }
  }

  /// Drops updates older than the last: the replay to a new waiter may cross the next update. The
  /// listener is called under a lock, so that two calls never overlap.
  private static func ordered(
    _ listener: @escaping @Sendable (Update) -> Void
  ) -> @Sendable (_ number: Int, Update) -> Void {
    let last = Locked(0)
    return { number, update in
      last.withLock { last in
        guard number > last else { return }
        last = number
        listener(update)
      }
    }
  }
}

/// The view of a shared task on its waiters.
final class SharedRun<Update: Sendable>: Sendable {
  let priority: LivePriority
  /// Sends an update to all waiters, and to later ones until the next update.
  let send: @Sendable (Update) -> Void
  /// Whether any waiter needs updates now; costly ones may be omitted otherwise.
  let isWatched: @Sendable () -> Bool

  init(
    priority: LoadPriority, send: @escaping @Sendable (Update) -> Void,
    isWatched: @escaping @Sendable () -> Bool
  ) {
    self.priority = LivePriority(priority)
    self.send = send
    self.isWatched = isWatched
  }
}
