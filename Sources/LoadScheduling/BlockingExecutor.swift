import CPlatform
import Dispatch
public import ImageModel

/// Threads for work that blocks or computes for long: decoding, resizing, files.
///
/// Swift's own task threads are as few as the machine has cores and must never block, so such work
/// runs here: as a closure by ``run(priority:_:)``, or a whole task with
/// `withTaskExecutorPreference`.
public final class BlockingExecutor: TaskExecutor {
  private typealias Waiter = CheckedContinuation<Void, Never>
  private enum Job {
    case closure(@Sendable () -> Void)
    /// A part of a task, up to its next wait.
    case part(UnownedJob)
  }
  private enum Step {
    /// Runs a job, and wakes another thread first where there is one to wake.
    case run(Job, waking: Help?)
    case sleep
    /// Ends, and resumes these when it is the last one.
    case end([Waiter])
  }
  private enum Help {
    case sleeper(DispatchSemaphore)
    /// A thread that is counted and not started yet.
    case newThread
  }
  private struct State {
    var jobs = PriorityLines<Job>()
    /// Queued jobs whose callers were cancelled.
    var cancelledCount = 0
    var isStopping = false
    var threadCount = 1
    var maximumThreadCount: Int
    /// The semaphore of each sleeping thread. The last one is woken first: its caches are warm.
    var sleepers: [DispatchSemaphore] = []
    /// Whether a thread was signalled or started that has not looked for a job since. It wakes the
    /// next one where there is more to do: a burst of short jobs wakes few threads.
    var isWaking = true
    var waiters: [Waiter] = []

    mutating func wakeOne() -> Help? {
      guard !jobs.isEmpty, !isWaking else { return nil }
      if let sleeper = sleepers.popLast() {
        isWaking = true
        return .sleeper(sleeper)
      }
      guard !isStopping, threadCount < maximumThreadCount else { return nil }
      isWaking = true
      threadCount += 1
      return .newThread
    }

    mutating func next(isWoken: Bool, _ semaphore: DispatchSemaphore) -> Step {
      if isWoken { isWaking = false }
      if let job = jobs.popFirst() { return .run(job, waking: wakeOne()) }
      if isStopping {
        threadCount -= 1
        return .end(threadCount == 0 ? waiters : [])
      }
      sleepers.append(semaphore)
      return .sleep
    }
  }
  private let name: String
  private let state: Locked<State>

  /// Starts the first thread; the others start when there is work for them. They end with
  /// ``stop()``; an executor that is never stopped is never freed.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers; at most 12 bytes.
  ///   - threadCount: The greatest number of threads; at least 1. When the system grants no more,
  ///     those that run do the work.
  /// - Throws: `ImageError` with code `outOfMemory` if the system grants no thread at all.
  public init(name: String, threadCount: Int) throws(ImageError) {
    precondition(threadCount > 0, "an executor needs a thread")
    self.name = name
    state = Locked(State(maximumThreadCount: threadCount))
    _ = try OSThread(name: "\(name)-0") { [self] in work() }
  }

  private func call(_ help: Help?) {
    switch help {
    case nil: break
    case .sleeper(let semaphore): semaphore.signal()
    case .newThread:
      let number = state.withLock { $0.threadCount - 1 }
      do throws(ImageError) {
        _ = try OSThread(name: "\(name)-\(number)") { [self] in work() }
      } catch {
        let (left, waiters) = state.withLock { state -> ([Job], [Waiter]) in
          state.threadCount -= 1
          state.maximumThreadCount = max(1, state.threadCount)
          state.isWaking = false
          guard state.threadCount == 0 else { return ([], []) }
          // The others have ended, and counted on this one.
          var left: [Job] = []
          while let job = state.jobs.popFirst() { left.append(job) }
          return (left, state.waiters)
        }
        for job in left {
          switch job {
          case .closure(let body): body()
          case .part(let part): globalConcurrentExecutor.enqueue(part)
          }
        }
        for waiter in waiters { waiter.resume() }
      }
    }
  }

  /// The number of running threads.
  public var threadCount: Int { state.withLock { $0.threadCount } }
  /// The number of closures and jobs that wait for a thread.
  public var pendingCount: Int { state.withLock { $0.jobs.count - $0.cancelledCount } }

  package var hasEnded: Bool { threadCount == 0 }

  /// Ends the threads after the work submitted so far, and returns without waiting for that.
  public func stop() {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [] }
      state.isStopping = true
      return state.sleepers
    }
    for sleeper in sleepers { sleeper.signal() }
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
  /// threads already, as a task that prefers this executor is, the closure runs at once. Otherwise
  /// higher priorities go first; the order inside one priority is that of the calls.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the closure began, which then
  ///   never runs; `ImageError` with code `invalidated` when the threads have ended; else what
  ///   the closure throws.
  public func run<Value>(
    priority: LoadPriority = .normal, _ body: @escaping @Sendable () throws -> sending Value
  ) async throws -> sending Value {
    if isCurrent {
      try Task.checkCancellation()
      return try body()
    }
    let ticket = Locked<CheckedContinuation<Value, any Error>?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let job = Job.closure { [self] in
          if let continuation = Self.removeValue(of: ticket) {
            continuation.resume(with: Result(catching: body))
          } else {
            state.withLock { $0.cancelledCount -= 1 }
          }
        }
        let isWaiting = add(job, priority) {
          // The handler below runs after the flag is set: either it finds the continuation, or we
          // see the flag.
          if Task.isCancelled { return false }
          ticket.withLock { $0 = continuation }
          return true
        }
        if !isWaiting {
          continuation.resume(
            throwing: Task.isCancelled
              ? CancellationError() : ImageError(.invalidated, "the threads have been stopped"))
        }
      }
    } onCancel: {
      guard let continuation = Self.removeValue(of: ticket) else { return }
      state.withLock { $0.cancelledCount += 1 }
      continuation.resume(throwing: CancellationError())
    }
  }

  private static func removeValue<Value: Sendable>(of ticket: Locked<Value?>) -> Value? {
    ticket.withLock { value in
      defer { value = nil }
      return value
    }
  }

  /// Runs a closure, whether or not the task is cancelled; on the calling thread once these ended.
  package nonisolated(nonsending) func runUncancelled<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let priority = Self.priority(of: Task.currentPriority)
    let work = Locked<(@Sendable () throws(Failure) -> Value)?>(body)
    let result: Result<Value, Failure> = await withUnsafeContinuation { continuation in
      let job: @Sendable () -> Void = { continuation.resume(returning: Self.run(work)) }
      if !add(.closure(job), priority) { job() }
    }
    return try result.get()
  }

  /// Releases the closure before the caller goes on: what only that held is gone then.
  private static func run<Value, Failure: Error>(
    _ work: Locked<(@Sendable () throws(Failure) -> Value)?>
  ) -> Result<Value, Failure> {
    guard let body = Self.removeValue(of: work) else { preconditionFailure("a job runs once") }
    return Result(catching: body)
  }

  package var isCurrent: Bool { imgc_thread_owner() == identity }

  /// Whether the calling thread belongs to an executor of this type, and so may block.
  package static var isCurrentThread: Bool { imgc_thread_owner() != nil }

  /// Takes a part of a task; called by Swift's runtime. Once the threads have ended, Swift's own
  /// threads run it: a task that is never resumed would hold its callers for ever.
  public func enqueue(_ job: consuming ExecutorJob) {
    let priority = Self.priority(of: TaskPriority(rawValue: job.priority.rawValue))
    let unowned = UnownedJob(job)
    if !add(.part(unowned), priority) { globalConcurrentExecutor.enqueue(unowned) }
  }

  /// Adds a job unless the threads have ended or `isWanted`, under the lock, returns `false`.
  private func add(_ job: Job, _ priority: LoadPriority, isWanted: () -> Bool = { true }) -> Bool {
    let isTakenHere = isCurrent && imgc_thread_is_ending()
    let (isAdded, help) = state.withLock { state -> (Bool, Help?) in
      guard state.threadCount > 0, isWanted() else { return (false, nil) }
      state.jobs.append(job, priority: priority)
      return (true, isTakenHere ? nil : state.wakeOne())
    }
    call(help)
    return isAdded
  }

  /// Calls a closure that resumes tasks and ends the calling one: its thread, which is free then,
  /// takes the first of them, and no other thread is woken for that.
  package func resumeLast(_ body: () -> Void) {
    guard isCurrent else { return body() }
    imgc_thread_set_ending(true)
    defer { imgc_thread_set_ending(false) }
    body()
  }

  private static func priority(of task: TaskPriority) -> LoadPriority {
    task < .medium ? .low : .normal
  }

  private var identity: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func work() {
    imgc_thread_set_owner(identity)
    let semaphore = DispatchSemaphore(value: 0)
    var isWoken = true
    while true {
      switch state.withLock({ $0.next(isWoken: isWoken, semaphore) }) {
      case .run(let job, let help):
        isWoken = false
        call(help)
        switch job {
        case .closure(let body): body()
        case .part(let part): part.runSynchronously(on: asUnownedTaskExecutor())
        }
      case .sleep:
        semaphore.wait()
        isWoken = true
      case .end(let waiters):
        for waiter in waiters { waiter.resume() }
        return
      }
    }
  }
}
