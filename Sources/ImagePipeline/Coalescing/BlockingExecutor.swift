import Dispatch

/// Threads for work that blocks or computes for long: decoding, resizing, files.
///
/// Swift's own task threads are as few as the machine has cores and must never wait, so such work runs
/// here: as a closure by ``run(priority:_:)``, or a whole task with `withTaskExecutorPreference`.
public final class BlockingExecutor: TaskExecutor {
  private struct State {
    var jobs = PriorityFIFO<@Sendable () -> Void>()
    var nextID: UInt64 = 0
    var isStopping = false
    var threadCount = 0
    /// The callers that wait for the last thread to end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Locked(State())
  private let available = DispatchSemaphore(value: 0)

  /// Starts the threads. They end with ``stop()``; an executor that is never stopped is never freed.
  ///
  /// - Parameters:
  ///   - name: What debuggers show; at most 12 bytes.
  ///   - threadCount: At least 1.
  /// - Throws: ``ImageError`` with code `outOfMemory` if the system grants not even one thread.
  public init(name: String, threadCount: Int) throws(ImageError) {
    precondition(threadCount > 0, "an executor needs a thread")
    for index in 0..<threadCount {
      do throws(ImageError) {
        state.withLock { $0.threadCount += 1 }
        _ = try OSThread(name: "\(name)-\(index)") { [self] in work() }
      } catch {
        state.withLock { $0.threadCount -= 1 }
        guard index > 0 else { throw error }
      }
    }
  }

  /// The number of running threads.
  public var threadCount: Int { state.withLock { $0.threadCount } }
  /// The number of closures and jobs that wait for a thread.
  public var pendingCount: Int { state.withLock { $0.jobs.count } }

  /// Ends the threads after the work submitted so far, and returns without waiting for that.
  public func stop() {
    let count = state.withLock { state in
      defer { state.isStopping = true }
      return state.isStopping ? 0 : state.threadCount
    }
    for _ in 0..<count { available.signal() }
  }

  /// Ends the threads after the work submitted so far, and waits for that without blocking a
  /// thread. The calling task must not prefer this executor, which could not resume it.
  public func shutdown() async {
    stop()
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if state.threadCount > 0 { state.waiters.append(continuation) }
        return state.threadCount == 0
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// Runs a closure on one of the threads and waits for it without blocking. A task that prefers this
  /// executor is on one of them already: there the closure runs at once.
  ///
  /// - Parameter priority: Higher ones go first; the order inside one priority is that of the calls.
  /// - Throws: `CancellationError` when the task is cancelled before the closure began, which then
  ///   never runs; else what it throws.
  public func run<Value>(
    priority: LoadPriority = .normal, _ body: @escaping @Sendable () throws -> sending Value
  ) async throws -> sending Value {
    if isCurrent {
      try Task.checkCancellation()
      return try body()
    }
    let id = makeID()
    let ticket = Locked<CheckedContinuation<Value, any Error>?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isWaiting = state.withLock { state in
          // The handler below runs after the flag is set: either it finds the job, or we see the flag.
          if Task.isCancelled { return false }
          ticket.withLock { $0 = continuation }
          state.jobs.insert(
            { ticket.withLock { $0 }?.resume(with: Result(catching: body)) },
            id: id, priority: priority)
          return true
        }
        if isWaiting {
          available.signal()
        } else {
          continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      // The signal of a job that was taken out stays: the thread it wakes finds nothing to do.
      guard state.withLock({ $0.jobs.remove(id) != nil }) else { return }
      ticket.withLock { $0 }?.resume(throwing: CancellationError())
    }
  }

  /// Takes a part of a task; called by Swift's runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let priority: LoadPriority =
      job.priority.rawValue < TaskPriority.medium.rawValue ? .low : .normal
    let unowned = UnownedJob(job)
    let id = makeID()
    state.withLock { state in
      state.jobs.insert(
        { [self] in unowned.runSynchronously(on: asUnownedTaskExecutor()) },
        id: id, priority: priority)
    }
    available.signal()
  }

  /// Whether the running task prefers this executor, and so is on one of its threads.
  private var isCurrent: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
  }

  private func makeID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  private func work() {
    while true {
      available.wait()
      let (job, isStopping) = state.withLock { ($0.jobs.popFirst()?.element, $0.isStopping) }
      if let job { job() } else if isStopping { return threadEnded() }
    }
  }

  private func threadEnded() {
    let waiters = state.withLock { state in
      state.threadCount -= 1
      return state.threadCount == 0 ? state.waiters : []
    }
    for waiter in waiters { waiter.resume() }
  }
}
