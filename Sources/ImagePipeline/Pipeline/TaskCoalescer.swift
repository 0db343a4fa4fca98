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
final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable, Update: Sendable>: Sendable {
  private struct Waiter {
    /// Resumed once, by the code that removes the waiter from the table.
    let continuation: UnsafeContinuation<Value, any Error>
    var priority: LoadPriority
    let onUpdate: (@Sendable (_ number: Int, Update) -> Void)?
    let isWatching: (@Sendable () -> Bool)?
    var isListening: Bool { onUpdate != nil && (isWatching?() ?? true) }
  }
  private struct Entry {
    let run: SharedRun<Update>
    let runID: Int
    var waiters: [Int: Waiter] = [:]
    var counts = [Int](repeating: 0, count: LoadPriority.allCases.count)
    var latest: (number: Int, update: Update)?
    var task: Task<Void, Never>?

    var priority: LoadPriority {
      LoadPriority.allCases.last { counts[$0.rawValue] > 0 } ?? .prefetch
    }

    /// Adds a waiter. Returns the run, the latest update, and whether the priority of the run
    /// rises.
    mutating func add(
      _ waiter: Waiter, _ id: Int
    ) -> (SharedRun<Update>?, (number: Int, update: Update)?, Bool, (any Error)?) {
      waiters[id] = waiter
      counts[waiter.priority.rawValue] += 1
      return (run, latest, waiter.priority > run.priority.value, nil)
    }
  }
  private struct State {
    var entries: [Key: Entry] = [:]
    /// The error for waiters once the coalescer is closed.
    var closure: (any Error)?
    /// Tasks that have not ended, those without waiters included.
    var runningCount = 0
    /// The callers of ``finish()``.
    var idleWaiters: [UnsafeContinuation<Void, Never>] = []
  }
  private let state = Locked(State())
  private let lastID = Atomic(0)
  private let executor: (any TaskExecutor)?

  /// Creates a coalescer.
  ///
  /// - Parameter executor: The executor of the tasks; `nil` for Swift's own. One with threads of
  ///   its own saves blocking tasks two hops.
  init(executor: (any TaskExecutor)? = nil) {
    self.executor = executor
  }

  /// The number of tasks.
  var count: Int { state.withLock { $0.entries.count } }

  /// The number of waiters.
  var waiterCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiters.count } } }

  /// Returns the number of waiters for a key.
  func waiterCount(for key: Key) -> Int { state.withLock { $0.entries[key]?.waiters.count ?? 0 } }

  /// Returns what `body` makes for the key, joining a task that is making it.
  ///
  /// - Parameters:
  ///   - key: Equal keys share.
  ///   - priority: Of this caller; may be changed while it waits.
  ///   - onUpdate: Receives the updates of the task, beginning with the latest that was sent before
  ///     this call, in order, on any thread. Default: none.
  ///   - isWatching: Whether updates are wanted now; see ``SharedRun/isWatched``. Default: yes,
  ///     where there is an `onUpdate`.
  ///   - body: Makes the value; it runs in a task of its own.
  /// - Throws: `CancellationError` when this caller's task is cancelled; else what `body` throws.
  func value(
    for key: Key, priority: LivePriority = LivePriority(),
    onUpdate: (@Sendable (Update) -> Void)? = nil,
    isWatching: (@Sendable () -> Bool)? = nil,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) async throws -> Value {
    let id = lastID.add(1, ordering: .relaxed).newValue
    // A constant priority needs no listener; thousands of waiters may share it.
    let token = priority.isConstant ? nil : listen(to: priority, for: key, id)
    defer { if let token { priority.forget(token) } }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let waiter = Waiter(
          continuation: continuation, priority: priority.value,
          onUpdate: onUpdate.map(Self.ordered),
          isWatching: isWatching)
        join(key, id, waiter, body)
        // It may have changed before there was a waiter to change.
        if token != nil { setPriority(priority.value, of: id, for: key) }
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

  private func join(
    _ key: Key, _ id: Int, _ waiter: Waiter,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) {
    var isNew = false
    let (run, latest, raises, closure) = state.withLock {
      state -> (SharedRun<Update>?, (number: Int, update: Update)?, Bool, (any Error)?) in
      // The handler runs after the flag is set: either it finds us, or we see the flag.
      if Task.isCancelled { return (nil, nil, false, nil) }
      if let closure = state.closure { return (nil, nil, false, closure) }
      isNew = state.entries[key] == nil
      if isNew { state.entries[key] = Entry(run: makeRun(key, id, waiter.priority), runID: id) }
      guard let place = state.entries.index(forKey: key) else { return (nil, nil, false, nil) }
      // In place, so that an entry with thousands of waiters is not moved for each.
      return state.entries.values[place].add(waiter, id)
    }
    guard let run else {
      return waiter.continuation.resume(throwing: closure ?? CancellationError())
    }
    if isNew { start(run, key, id, body) }
    if raises { refreshPriority(key, run) }
    if let latest { waiter.onUpdate?(latest.number, latest.update) }
  }

  private func makeRun(
    _ key: Key, _ runID: Int, _ priority: LoadPriority
  ) -> SharedRun<Update> {
    SharedRun(
      priority: priority, sink: { [weak self] in self?.send($0, for: key, runID) },
      isWatched: { [weak self] in self?.isWatched(key, runID) ?? false })
  }

  /// Starts the task: outside the lock, which it needs at once on its own thread.
  private func start(
    _ run: SharedRun<Update>, _ key: Key, _ runID: Int,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) {
    let isWaitedFor = state.withLock { state in
      guard state.entries[key]?.runID == runID else { return false }
      state.runningCount += 1
      return true
    }
    guard isWaitedFor else { return }
    let task = Task(executorPreference: executor) {
      let result: Result<Value, any Error>
      do { result = .success(try await body(run)) } catch { result = .failure(error) }
      self.finish(key, runID, result)
      self.leaveRunning()
    }
    let isWanted = state.withLock { state in
      guard state.entries[key]?.runID == runID else { return false }
      state.entries[key]?.task = task
      return true
    }
    // It has ended already, or all waiters have left.
    if !isWanted { task.cancel() }
  }

  private func finish(_ key: Key, _ runID: Int, _ result: Result<Value, any Error>) {
    let waiters = state.withLock { state -> [Waiter] in
      // All have left already, or a later run has taken the place.
      guard state.entries[key]?.runID == runID else { return [] }
      return state.entries.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
    }
    for waiter in waiters { waiter.continuation.resume(with: result) }
  }

  private func leaveRunning() {
    let waiters = state.withLock { state in
      state.runningCount -= 1
      guard state.runningCount == 0 else { return [UnsafeContinuation<Void, Never>]() }
      defer { state.idleWaiters = [] }
      return state.idleWaiters
    }
    for waiter in waiters { waiter.resume() }
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

  /// Cancels all tasks; waiters get the error, and so do all later ones.
  func close(throwing error: any Error) {
    let entries = state.withLock { state in
      state.closure = error
      defer { state.entries = [:] }
      return Array(state.entries.values)
    }
    for entry in entries {
      entry.task?.cancel()
      for waiter in entry.waiters.values { waiter.continuation.resume(throwing: error) }
    }
  }

  private func isWatched(_ key: Key, _ runID: Int) -> Bool {
    let watching = state.withLock { state in
      state.entries[key].map { entry in
        entry.runID == runID ? Array(entry.waiters.values) : []
      } ?? []
    }
    return watching.contains { $0.isListening }
  }

  private func leave(_ key: Key, _ id: Int) {
    let (waiter, task, run) = state.withLock {
      state -> (Waiter?, Task<Void, Never>?, SharedRun<Update>?) in
      guard let waiter = state.entries[key]?.waiters.removeValue(forKey: id) else {
        return (nil, nil, nil)
      }
      state.entries[key]?.counts[waiter.priority.rawValue] -= 1
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
      guard let old = state.entries[key]?.waiters[id]?.priority, old != priority else { return nil }
      state.entries[key]?.waiters[id]?.priority = priority
      state.entries[key]?.counts[old.rawValue] -= 1
      state.entries[key]?.counts[priority.rawValue] += 1
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
      guard var entry = state.entries[key], entry.runID == runID else {
        return (0, [@Sendable (Int, Update) -> Void]())
      }
      let number = (entry.latest?.number ?? 0) + 1
      entry.latest = (number, update)
      state.entries[key] = entry
      return (number, entry.waiters.values.compactMap(\.onUpdate))
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
  /// The highest priority of the waiters, as it changes.
  let priority: LivePriority
  private let sink: @Sendable (Update) -> Void
  private let watched: @Sendable () -> Bool

  init(
    priority: LoadPriority, sink: @escaping @Sendable (Update) -> Void,
    isWatched: @escaping @Sendable () -> Bool
  ) {
    self.priority = LivePriority(priority)
    self.sink = sink
    watched = isWatched
  }

  /// Whether any waiter wants updates now; costly ones may be left out otherwise.
  var isWatched: Bool { watched() }

  /// Sends an update to all waiters, and to later ones until the next update.
  func send(_ update: Update) { sink(update) }
}
