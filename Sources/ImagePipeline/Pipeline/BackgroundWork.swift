/// Work that nobody waits for: refreshing what was served stale. Ends with the pipeline.
final class BackgroundWork: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var lastID = 0
  }
  private let state = Locked(State())

  /// Pieces under way.
  var count: Int { state.withLock { $0.tasks.count } }

  /// Starts a piece of work.
  func start(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.lastID += 1
      let id = state.lastID
      state.tasks[id] = Task(priority: .low) { [weak self] in
        await body()
        self?.state.withLock { $0.tasks[id] = nil }
      }
    }
  }

  /// Cancels all of it.
  func cancelAll() {
    let tasks = state.withLock { Array($0.tasks.values) }
    for task in tasks { task.cancel() }
  }

  /// Waits for what was begun; where the caller is cancelled, that is cancelled too.
  func finish() async {
    await withTaskCancellationHandler {
      while let task = state.withLock({ $0.tasks.first?.value }) { await task.value }
    } onCancel: {
      cancelAll()
    }
  }
}
