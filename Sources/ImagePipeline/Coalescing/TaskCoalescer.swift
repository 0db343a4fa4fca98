import Synchronization

/// Lets many ask for one thing while it is made once.
///
/// The first who asks starts the work, others join it; each gets the value, or the failure, exactly
/// once. The work runs at the highest priority among those who wait. Whoever cancels leaves; with the
/// last one the work is cancelled, and who asks then starts it anew. Nothing is kept after the end.
///
/// A work may itself ask another coalescer, passing its ``SharedRun/priority`` on: so a graph of
/// downloads, decodes and processings is shared stage by stage.
final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable, Update: Sendable>: Sendable {
  private struct Waiter {
    /// Each is resumed once, by whoever takes the waiter out of the table.
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

    /// Lets one more wait. Returns what they have to be told, and whether the run's priority is another now.
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
    /// Set once nothing is made any more.
    var closure: (any Error)?
  }
  private let state = Locked(State())
  private let lastID = Atomic(0)
  private let executor: (any TaskExecutor)?

  /// Makes a coalescer.
  ///
  /// - Parameter executor: Where works run; `nil` for Swift's own threads. One that has threads of
  ///   its own spares works that block the way there and back.
  init(executor: (any TaskExecutor)? = nil) {
    self.executor = executor
  }

  /// Things that are being made.
  var count: Int { state.withLock { $0.entries.count } }

  /// Those who wait for anything.
  var waiterCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiters.count } } }

  /// Those who wait for one thing.
  func waiterCount(for key: Key) -> Int { state.withLock { $0.entries[key]?.waiters.count ?? 0 } }

  /// Returns what `body` makes for the key, joining one who makes it already.
  ///
  /// - Parameters:
  ///   - key: Equal keys share.
  ///   - priority: Of this caller; may be changed while it waits.
  ///   - onUpdate: Gets what the work sends while it goes on, the latest first where it was sent
  ///     before this call, in order, on any thread. Default: nothing.
  ///   - isWatching: Whether anybody looks at the updates now: asked for ``SharedRun/isWatched``.
  ///     Default: yes, where there is an `onUpdate`.
  ///   - body: Makes the value; it runs in a task of its own.
  /// - Throws: `CancellationError` when this caller's task is cancelled; else what `body` throws.
  func value(
    for key: Key, priority: LivePriority = LivePriority(),
    onUpdate: (@Sendable (Update) -> Void)? = nil,
    isWatching: (@Sendable () -> Bool)? = nil,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) async throws -> Value {
    let id = lastID.add(1, ordering: .relaxed).newValue
    // What never changes needs nobody who listens; thousands may share it.
    let token = priority.isConstant ? nil : listen(to: priority, for: key, id)
    defer { if let token { priority.forget(token) } }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let waiter = Waiter(
          continuation: continuation, priority: priority.value,
          onUpdate: onUpdate.map(Self.ordered),
          isWatching: isWatching)
        join(key, id, waiter, body)
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
    let (run, latest, raises, closure) = state.withLock {
      state -> (SharedRun<Update>?, (number: Int, update: Update)?, Bool, (any Error)?) in
      // The handler runs after the flag is set: either it finds us, or we see the flag.
      if Task.isCancelled { return (nil, nil, false, nil) }
      if let closure = state.closure { return (nil, nil, false, closure) }
      if state.entries[key] == nil { state.entries[key] = start(key, id, waiter.priority, body) }
      guard let place = state.entries.index(forKey: key) else { return (nil, nil, false, nil) }
      // In place: an entry with thousands of waiters is not to be moved for each.
      return state.entries.values[place].add(waiter, id)
    }
    guard let run else {
      return waiter.continuation.resume(throwing: closure ?? CancellationError())
    }
    if raises { refreshPriority(key, run) }
    if let latest { waiter.onUpdate?(latest.number, latest.update) }
  }

  /// Starts the work; called under the lock, before the work can end.
  private func start(
    _ key: Key, _ runID: Int, _ priority: LoadPriority,
    _ body: @escaping @Sendable (SharedRun<Update>) async throws -> Value
  ) -> Entry {
    let run = SharedRun<Update>(
      priority: priority, sink: { [weak self] in self?.send($0, for: key, runID) },
      isWatched: { [weak self] in self?.isWatched(key, runID) ?? false })
    var entry = Entry(run: run, runID: runID)
    entry.task = Task(executorPreference: executor) {
      let result: Result<Value, any Error>
      do { result = .success(try await body(run)) } catch { result = .failure(error) }
      self.finish(key, runID, result)
    }
    return entry
  }

  private func finish(_ key: Key, _ runID: Int, _ result: Result<Value, any Error>) {
    let waiters = state.withLock { state -> [Waiter] in
      // All have left already, or a later run has taken the place.
      guard state.entries[key]?.runID == runID else { return [] }
      return state.entries.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
    }
    for waiter in waiters { waiter.continuation.resume(with: result) }
  }

  /// Ends everything: works are cancelled, those who wait get the error, and so does whoever comes later.
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

  /// Gives the run the highest priority of those who wait. Set outside the lock, for listeners are told;
  /// whoever set an old value sees so afterwards and mends it.
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

  /// Drops what comes after something newer: the replay to one who joins may cross the next update. The
  /// listener is called under a lock of its own, so that it is never called twice at a time.
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

extension TaskCoalescer where Update == Never {
  /// Returns what `body` makes for the key, joining one who makes it already; for work that sends no
  /// updates and has no use for the priority.
  func value(
    for key: Key, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await value(for: key) { _ in try await body() }
  }
}
