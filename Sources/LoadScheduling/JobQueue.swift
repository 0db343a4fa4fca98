import ImageModel
import Synchronization

/// Runs asynchronous jobs under the limits of a ``JobSchedule``, on the tasks of their callers.
package final class JobQueue: Sendable {
  private struct State {
    var schedule: JobSchedule
    var waiting: [JobSchedule.ID: UnsafeContinuation<Void, any Error>] = [:]
    /// The tasks that end the wait of a job after the time limit.
    var alarms: [JobSchedule.ID: Task<Void, Never>] = [:]
    var bucket: TokenBucket?
    var isWaitingForToken = false
  }
  private let state: Locked<State>
  private let lastID = Atomic<JobSchedule.ID>(0)
  private let clock: QueueClock
  private let waiting: WaitLimits

  /// Jobs of priority `prefetch` do not take the reserved slots.
  package init(
    maximumRunning: Int, maximumPerHost: Int = .max, reservedForForeground: Int = 0,
    rate: RequestRate? = nil, waiting: WaitLimits = WaitLimits(), clock: QueueClock = QueueClock()
  ) {
    self.clock = clock
    self.waiting = waiting
    let schedule = JobSchedule(
      maximumRunning: maximumRunning, maximumPerHost: maximumPerHost,
      reservedForForeground: reservedForForeground)
    let bucket = rate.map {
      TokenBucket(rate: $0.perSecond, capacity: Double($0.burst), now: clock.now())
    }
    state = Locked(State(schedule: schedule, bucket: bucket))
  }

  package var pendingCount: Int { state.withLock { $0.schedule.pendingCount } }
  package var runningCount: Int { state.withLock { $0.schedule.runningCount } }

  /// Sets the limit of one host: 0 holds its jobs, `nil` restores the common one.
  func setLimit(_ limit: Int?, for host: String) { update { $0.setLimit(limit, for: host) } }

  /// Waits for a slot, runs `work` in it and releases the slot. The priority is followed
  /// throughout.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before its turn, or `ImageError`
  /// with code `saturated` beyond the limits of waiting; in both cases `work` does not begin.
  package func run<Value>(
    priority: LivePriority, host: String? = nil, _ work: () async throws -> sending Value
  ) async throws -> sending Value {
    try Task.checkCancellation()
    let id = lastID.add(1, ordering: .relaxed).newValue
    let token = priority.isConstant ? nil : listen(to: priority, id, host)
    defer { if let token { priority.forget(token) } }
    let hasBegun = state.withLock { state in
      // Where the rate is limited, tokens are given out in the order of the line.
      state.bucket == nil && state.schedule.begin(id, priority: priority.value, host: host)
    }
    if !hasBegun { try await waitForSlot(id, priority, host) }
    defer { update { $0.finish(id) } }
    try Task.checkCancellation()
    return try await work()
  }

  private func listen(to priority: LivePriority, _ id: JobSchedule.ID, _ host: String?) -> Int {
    priority.onChange { [weak self, weak priority] in
      guard let priority else { return }
      self?.update { $0.setPriority(priority.value, of: id, host: host) }
    }
  }

  private func waitForSlot(
    _ id: JobSchedule.ID, _ priority: LivePriority, _ host: String?
  ) async throws {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let (refusal, begun) = state.withLock { state -> ((any Error)?, Start) in
          // The handler below runs after the flag is set: either it finds the job, or we see the
          // flag.
          if Task.isCancelled { return (CancellationError(), Start()) }
          state.waiting[id] = continuation
          state.schedule.add(id, priority: priority.value, host: host)
          let begun = start(&state)
          // A job that begins at once is not refused, however many wait, such as for a full host.
          guard state.waiting[id] != nil, state.schedule.pendingCount > waiting.maximumCount,
            state.schedule.cancel(id, host: host)
          else { return (nil, begun) }
          state.waiting[id] = nil
          return (waiting.refusal("\(state.schedule.pendingCount) others are waiting"), begun)
        }
        carryOut(begun)
        if let refusal {
          continuation.resume(throwing: refusal)
        } else {
          startAlarm(id, host)
        }
      }
    } onCancel: {
      stopWaiting(id, host, throwing: CancellationError())
    }
  }

  private func stopWaiting(_ id: JobSchedule.ID, _ host: String?, throwing error: any Error) {
    let (waiting, alarm) = state.withLock { state in
      state.schedule.cancel(id, host: host)
        ? (state.waiting.removeValue(forKey: id), state.alarms.removeValue(forKey: id))
        : (nil, nil)
    }
    alarm?.cancel()
    waiting?.resume(throwing: error)
  }

  private func startAlarm(_ id: JobSchedule.ID, _ host: String?) {
    guard let limit = waiting.maximumTime else { return }
    state.withLock { state in
      guard state.waiting[id] != nil else { return }
      state.alarms[id] = Task { [weak self, clock, waiting] in
        guard (try? await clock.sleep(limit)) != nil else { return }
        self?.stopWaiting(id, host, throwing: waiting.refusal("not started within \(limit)"))
      }
    }
  }

  private struct Start {
    var jobs: [UnsafeContinuation<Void, any Error>] = []
    var delay: Duration?
  }

  private func update(_ change: (inout JobSchedule) -> Void) {
    carryOut(
      state.withLock { state in
        change(&state.schedule)
        return start(&state)
      })
  }

  private func start(_ state: inout State) -> Start {
    var start = Start()
    while state.schedule.pendingCount > 0, state.bucket?.consume(1, now: clock.now()) ?? true {
      guard let id = state.schedule.next() else {
        // No job could begin, so the token goes back.
        state.bucket?.charge(-1)
        break
      }
      if let continuation = state.waiting.removeValue(forKey: id) {
        start.jobs.append(continuation)
      }
      state.alarms.removeValue(forKey: id)?.cancel()
    }
    start.delay = wait(&state)
    return start
  }

  private func carryOut(_ start: Start) {
    for continuation in start.jobs { continuation.resume() }
    guard let delay = start.delay else { return }
    Task { [weak self, clock] in
      try? await clock.sleep(delay)
      self?.state.withLock { $0.isWaitingForToken = false }
      self?.update { _ in }
    }
  }

  /// Returns the time until the next token, where a job waits for it and no task does.
  private func wait(_ state: inout State) -> Duration? {
    guard let bucket = state.bucket, bucket.tokens < 1, state.schedule.pendingCount > 0,
      !state.isWaitingForToken
    else { return nil }
    state.isWaitingForToken = true
    return bucket.delay(until: 1)
  }
}

/// The clock of queues; tests replace it.
package struct QueueClock: Sendable {
  package var now: @Sendable () -> Duration = { ContinuousClock.now - QueueClock.start }
  package var sleep: @Sendable (Duration) async throws -> Void = {
    try await Task.sleep(for: $0.bounded)
  }

  private static let start = ContinuousClock.now

  package init() {}
}

/// Limits of waiting jobs, beyond which they are refused.
public struct WaitLimits: Sendable, Hashable {
  /// The maximum of jobs that wait at once. Default: none.
  public var maximumCount = Int.max
  /// The maximum time that one job waits. Default: none.
  public var maximumTime: Duration?

  /// Creates limits that refuse nothing.
  public init() {}

  /// Returns the error of a refused job, which may be retried after a second.
  func refusal(_ reason: String) -> ImageError {
    ImageError(.saturated, "too busy: \(reason)", retryAfter: .seconds(1))
  }
}

/// The rate at which jobs may begin: a burst at once, then steadily.
public struct RequestRate: Sendable, Hashable {
  /// Jobs a second, more than 0.
  public var perSecond: Double
  /// Jobs that may begin at once after a pause, at least 1.
  public var burst: Int

  /// Creates a rate; values that are not positive count as the smallest that are.
  public init(perSecond: Double, burst: Int = 1) {
    self.perSecond = max(perSecond, 1e-6)
    self.burst = max(1, burst)
  }
}
