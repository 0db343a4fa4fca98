import CachePolicies
import ImageModel

/// Work that no caller waits for: refreshing what was served stale. Ends with the pipeline.
final class BackgroundWork: Sendable {
  private let tasks = Locked<[MemoryKey: Task<Void, Never>]>([:])

  var count: Int { tasks.withLock { $0.count } }

  /// Starts a task, unless one for the same key is running or about to start: on a busy machine the
  /// second might start after the first has ended, and would repeat a request whose result is
  /// already available.
  func start(for key: MemoryKey, _ body: @escaping @Sendable () async -> Void) {
    tasks.withLock { tasks in
      guard tasks[key] == nil else { return }
      tasks[key] = Task(priority: .low) { [weak self] in
        await body()
        self?.tasks.withLock { $0[key] = nil }
      }
    }
  }

  func cancelAll() {
    let tasks = tasks.withLock { Array($0.values) }
    for task in tasks { task.cancel() }
  }

  /// Waits for what was begun; where the caller is cancelled, that is cancelled too.
  func finish() async {
    await withTaskCancellationHandler {
      while let task = tasks.withLock({ $0.first?.value }) { await task.value }
    } onCancel: {
      cancelAll()
    }
  }
}
