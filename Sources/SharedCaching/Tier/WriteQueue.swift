import ImageModel

/// Work that no caller waits for, bounded: what finds no place is dropped.
final class WriteQueue: Sendable {
  private struct State {
    var waiting: [(byteCount: Int, isForced: Bool, work: @Sendable () async -> Void)] = []
    var byteCount = 0
    var runningCount = 0
    var droppedCount = 0
    var isClosed = false
    var finishing: [CheckedContinuation<Void, Never>] = []
  }

  private let limits: SharedTier.WaitingWrites
  private let state = Locked(State())

  init(_ limits: SharedTier.WaitingWrites) { self.limits = limits }

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Adds work.
  ///
  /// - Parameter isForced: Whether it is taken although the queue is full: it is small, and others
  ///   wait for it. Default: no.
  /// - Returns: Whether there was a place for it.
  @discardableResult
  func add(
    byteCount: Int, isForced: Bool = false, _ work: @escaping @Sendable () async -> Void
  ) -> Bool {
    let (isTaken, starts) = state.withLock { state -> (Bool, Bool) in
      let isFull =
        state.waiting.count >= limits.maximumCount
        || state.byteCount + byteCount > limits.maximumByteCount
      guard isForced || !state.isClosed && !isFull else {
        state.droppedCount += 1
        return (false, false)
      }
      state.waiting.append((byteCount, isForced, work))
      state.byteCount += byteCount
      guard state.runningCount < limits.maximumRunning else { return (true, false) }
      state.runningCount += 1
      return (true, true)
    }
    if starts { Task { await self.run() } }
    return isTaken
  }

  private func run() async {
    while let (byteCount, work) = next() {
      await work()
      state.withLock { $0.byteCount -= byteCount }
    }
  }

  private func next() -> (Int, @Sendable () async -> Void)? {
    let (found, finished) = state.withLock {
      state -> ((Int, @Sendable () async -> Void)?, [CheckedContinuation<Void, Never>]) in
      if !state.waiting.isEmpty {
        let first = state.waiting.removeFirst()
        return ((first.byteCount, first.work), [])
      }
      state.runningCount -= 1
      guard state.runningCount == 0 else { return (nil, []) }
      defer { state.finishing = [] }
      return (nil, state.finishing)
    }
    for continuation in finished { continuation.resume() }
    return found
  }

  /// Waits until there is no work.
  func finish() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state -> Bool in
        if state.runningCount > 0 { state.finishing.append(continuation) }
        return state.runningCount == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Drops what waits, but for what was forced, and what is added from now on.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.byteCount -= state.waiting.reduce(0) { $0 + ($1.isForced ? 0 : $1.byteCount) }
      state.waiting.removeAll { !$0.isForced }
    }
  }
}
