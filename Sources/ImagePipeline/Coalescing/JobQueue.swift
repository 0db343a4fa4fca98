/// Runs asynchronous jobs under the limits of a ``JobSchedule``, on the tasks of their callers.
public final class JobQueue: Sendable {
  private struct State {
    var schedule: JobSchedule
    var nextID: JobSchedule.ID = 0
    var waiting: [JobSchedule.ID: CheckedContinuation<Void, any Error>] = [:]
    /// What ends the wait of a job when it lasts too long.
    var alarms: [JobSchedule.ID: Task<Void, Never>] = [:]
    /// `nil` where jobs may begin as fast as they come.
    var bucket: TokenBucket?
    var isWaitingForToken = false
  }
  private let state: Locked<State>
  private let clock: QueueClock
  private let waiting: WaitLimits

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - maximumRunning: Jobs at once.
  ///   - maximumPerHost: Jobs at once for one host. Default: no limit but the first.
  ///   - reservedForForeground: Slots that jobs of priority `prefetch` never take. Default: 0.
  ///   - rate: How fast jobs may begin. Default: as fast as they come.
  ///   - waiting: How many may wait, and for how long. Default: no limits.
  public convenience init(
    maximumRunning: Int, maximumPerHost: Int = .max, reservedForForeground: Int = 0,
    rate: RequestRate? = nil, waiting: WaitLimits = WaitLimits()
  ) {
    self.init(
      maximumRunning: maximumRunning, maximumPerHost: maximumPerHost,
      reservedForForeground: reservedForForeground, rate: rate, waiting: waiting,
      clock: QueueClock())
  }

  /// Makes a queue whose time is turned by hand.
  package init(
    maximumRunning: Int, maximumPerHost: Int = .max, reservedForForeground: Int = 0,
    rate: RequestRate?, waiting: WaitLimits = WaitLimits(), clock: QueueClock
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

  /// Jobs that wait for a slot.
  public var pendingCount: Int { state.withLock { $0.schedule.pendingCount } }
  /// Jobs that run.
  public var runningCount: Int { state.withLock { $0.schedule.runningCount } }

  /// Jobs at once. Raising it starts waiting ones before it returns; lowering lets running ones finish.
  public var maximumRunning: Int {
    get { state.withLock { $0.schedule.maximumRunning } }
    set { update { $0.maximumRunning = newValue } }
  }

  /// Jobs at once for one host; see ``setLimit(_:for:)`` for one host alone.
  public var maximumPerHost: Int {
    get { state.withLock { $0.schedule.maximumPerHost } }
    set { update { $0.setMaximumPerHost(newValue) } }
  }

  /// Gives one host a limit of its own: 0 holds its jobs, `nil` goes back to ``maximumPerHost``.
  public func setLimit(_ limit: Int?, for host: String) {
    update { $0.setLimit(limit, for: host) }
  }

  /// Waits for a slot, runs `work` in it and gives the slot back.
  ///
  /// - Parameters:
  ///   - priority: Followed while the job waits and while it runs.
  ///   - host: Whose limit applies; `nil` for none.
  /// - Throws: `CancellationError` when the task is cancelled before its turn, or ``ImageError`` with code
  ///   `saturated` beyond the limits of waiting, in which cases `work` never begins and no slot is taken; else what
  ///   `work` throws.
  public func run<Value>(
    priority: LivePriority, host: String? = nil, _ work: () async throws -> sending Value
  ) async throws -> sending Value {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let token = priority.onChange { [weak self, weak priority] in
      guard let priority else { return }
      self?.update { $0.setPriority(priority.value, of: id, host: host) }
    }
    defer { priority.forget(token) }
    try await waitForSlot(id, priority, host)
    defer { update { $0.finish(id) } }
    try Task.checkCancellation()
    return try await work()
  }

  private func waitForSlot(
    _ id: JobSchedule.ID, _ priority: LivePriority, _ host: String?
  ) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (refusal, begun) = state.withLock { state -> ((any Error)?, Start) in
          // The handler below runs after the flag is set: either it finds the job, or we see the flag.
          if Task.isCancelled { return (CancellationError(), Start()) }
          state.waiting[id] = continuation
          state.schedule.add(id, priority: priority.value, host: host)
          let begun = start(&state)
          // Who begins at once waits for nobody, however many wait: for a host that is full, say.
          guard state.waiting[id] != nil, state.schedule.pendingCount > waiting.maximumCount,
            state.schedule.cancel(id, host: host)
          else { return (nil, begun) }
          state.waiting[id] = nil
          return (waiting.refusal("\(state.schedule.pendingCount) others wait already"), begun)
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

  /// Ends the wait of a job that has not begun at once, when it lasts too long.
  private func startAlarm(_ id: JobSchedule.ID, _ host: String?) {
    guard let limit = waiting.maximumTime else { return }
    state.withLock { state in
      guard state.waiting[id] != nil else { return }
      state.alarms[id] = Task { [weak self, clock, waiting] in
        guard (try? await clock.sleep(limit)) != nil else { return }
        self?.stopWaiting(id, host, throwing: waiting.refusal("\(limit) were not enough"))
      }
    }
  }

  /// Who begins, and how long until the next token.
  private struct Start {
    var jobs: [CheckedContinuation<Void, any Error>] = []
    var delay: Duration?
  }

  /// Changes the schedule and starts whatever may start then.
  private func update(_ change: (inout JobSchedule) -> Void) {
    carryOut(
      state.withLock { state in
        change(&state.schedule)
        return start(&state)
      })
  }

  /// Whatever may start now.
  private func start(_ state: inout State) -> Start {
    var start = Start()
    while takeToken(&state) {
      guard let id = state.schedule.next() else {
        // Nobody could begin, so the token goes back.
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
      self?.tokenIsDue()
    }
  }

  private func tokenIsDue() {
    state.withLock { $0.isWaitingForToken = false }
    update { _ in }
  }

  private func takeToken(_ state: inout State) -> Bool {
    guard state.schedule.pendingCount > 0 else { return false }
    return state.bucket?.take(1, now: clock.now()) ?? true
  }

  /// How long until the next token, where somebody waits for it and is not told yet.
  private func wait(_ state: inout State) -> Duration? {
    guard let bucket = state.bucket, bucket.tokens < 1, state.schedule.pendingCount > 0,
      !state.isWaitingForToken
    else { return nil }
    state.isWaitingForToken = true
    return bucket.delay(until: 1)
  }
}
