import CPlatform
import Dispatch
import ImageModel

/// Threads for work that blocks or computes for long: decoding, resizing, files.
///
/// Swift's own task threads are as few as the machine has cores and must never block, so such work
/// runs here: as a closure by ``run(priority:_:)``, or a whole task with
/// `withTaskExecutorPreference`.
public final class BlockingExecutor: TaskExecutor {
  private typealias Waiter = CheckedContinuation<Void, Never>
  private struct State {
    var jobs = PriorityFIFO<@Sendable () -> Void>()
    var nextID: UInt64 = 0
    var isStopping = false
    var threadCount = 0
    /// The callers of ``shutdown()``.
    var waiters: [Waiter] = []
  }
  private let state = Locked(State())
  private let available = DispatchSemaphore(value: 0)

  /// Starts the threads. They end with ``stop()``; an executor that is never stopped is never
  /// freed.
  ///
  /// - Parameters:
  ///   - name: What debuggers show; at most 12 bytes.
  ///   - threadCount: At least 1.
  /// - Throws: ``ImageError`` with code `outOfMemory` if the system grants no thread at all.
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

  /// Whether the threads have ended.
  package var hasEnded: Bool { threadCount == 0 }

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

  /// Runs a closure on one of the threads and waits for it without blocking. On one of these
  /// threads already, as a task that prefers this executor is, the closure runs at once.
  ///
  /// - Parameter priority: Higher ones go first; the order inside one priority is that of the
  ///   calls.
  /// - Throws: `CancellationError` when the task is cancelled before the closure began, which then
  ///   never runs; ``ImageError`` with code `invalidated` when the threads have ended; else what
  ///   the closure throws.
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
          // The handler below runs after the flag is set: either it finds the job, or we see the
          // flag.
          if Task.isCancelled || state.threadCount == 0 { return false }
          ticket.withLock { $0 = continuation }
          state.jobs.insert(
            { ticket.withLock { $0 }?.resume(with: Result(catching: body)) },
            id: id, priority: priority)
          return true
        }
        if isWaiting {
          available.signal()
        } else {
          continuation.resume(
            throwing: Task.isCancelled
              ? CancellationError() : ImageError(.invalidated, "the threads have been stopped"))
        }
      }
    } onCancel: {
      // The signal of a job that was taken out stays: the thread it wakes finds nothing to do.
      guard state.withLock({ $0.jobs.remove(id) != nil }) else { return }
      ticket.withLock { $0 }?.resume(throwing: CancellationError())
    }
  }

  /// Runs a closure on one of the threads whether or not the task is cancelled; once the threads
  /// have ended, on the calling thread.
  package nonisolated(nonsending) func runUncancelled<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let priority = Self.priority(of: Task.currentPriority)
    let work = Locked<(@Sendable () throws(Failure) -> Value)?>(body)
    let result: Result<Value, Failure> = await withUnsafeContinuation { continuation in
      let job: @Sendable () -> Void = { continuation.resume(returning: Self.run(work)) }
      let id = makeID()
      let isWaiting = state.withLock { state in
        if state.threadCount > 0 { state.jobs.insert(job, id: id, priority: priority) }
        return state.threadCount > 0
      }
      if isWaiting { available.signal() } else { job() }
    }
    return try result.get()
  }

  /// Runs a closure and releases it before the caller goes on: what only the closure held is gone
  /// then.
  private static func run<Value, Failure: Error>(
    _ work: Locked<(@Sendable () throws(Failure) -> Value)?>
  ) -> Result<Value, Failure> {
    let body = work.withLock { body in
      defer { body = nil }
      return body
    }
    guard let body else { preconditionFailure("a job runs once") }
    return Result(catching: body)
  }

  /// Whether the calling thread is one of this executor's.
  var isCurrent: Bool { imgc_thread_owner() == identity }

  /// Whether the calling thread belongs to an executor of this type, and so may block.
  package static var isCurrentThread: Bool { imgc_thread_owner() != nil }

  /// Takes a part of a task; called by Swift's runtime. Once the threads have ended, Swift's own
  /// threads run it: a task that is never resumed would hold its callers for ever.
  public func enqueue(_ job: consuming ExecutorJob) {
    let priority = Self.priority(of: TaskPriority(rawValue: job.priority.rawValue))
    let unowned = UnownedJob(job)
    let id = makeID()
    let isWaiting = state.withLock { state in
      if state.threadCount > 0 {
        state.jobs.insert(
          { [self] in unowned.runSynchronously(on: asUnownedTaskExecutor()) },
          id: id, priority: priority)
      }
      return state.threadCount > 0
    }
    if isWaiting { available.signal() } else { globalConcurrentExecutor.enqueue(unowned) }
  }

  private static func priority(of task: TaskPriority) -> LoadPriority {
    task < .medium ? .low : .normal
  }

  /// What the threads are marked with.
  private var identity: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func makeID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  private func work() {
    imgc_thread_set_owner(identity)
    while true {
      available.wait()
      let (job, waiters) = state.withLock { state -> ((@Sendable () -> Void)?, [Waiter]?) in
        if let job = state.jobs.popFirst()?.element { return (job, nil) }
        guard state.isStopping else { return (nil, nil) }
        // With the same lock as the look at the queue, so that no job is left without a thread.
        state.threadCount -= 1
        return (nil, state.threadCount == 0 ? state.waiters : [])
      }
      job?()
      if let waiters {
        for waiter in waiters { waiter.resume() }
        return
      }
    }
  }
}
