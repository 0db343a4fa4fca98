import ImageModel

/// Work that no caller waits for, bounded: what finds no place is dropped.
final class WriteQueue: Sendable {
  struct Limits: Sendable {
    var maximumCount = 1000
    var maximumByteCount = 64 << 20
    var maximumRunning = 4
  }

  private struct Work {
    let byteCount: Int
    let isForced: Bool
    let orElse: @Sendable () -> Void
    let body: @Sendable () async -> Void
  }

  private struct State {
    var waiting: [Work] = []
    var byteCount = 0
    var runningCount = 0
    var droppedCount = 0
    var isClosed = false
    var finishing: [CheckedContinuation<Void, Never>] = []
  }

  private let limits: Limits
  private let state = Locked(State())

  init(_ limits: Limits) { self.limits = limits }

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Adds work; `orElse` is called if it is dropped, now or later. What is forced is taken although
  /// the queue is full, and goes first: it is small, and others wait for it.
  func add(
    byteCount: Int, isForced: Bool = false, orElse: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () async -> Void
  ) {
    let (isTaken, starts) = state.withLock { state -> (Bool, Bool) in
      let isFull =
        state.waiting.count >= limits.maximumCount
        || state.byteCount + byteCount > limits.maximumByteCount
      guard isForced || !state.isClosed && !isFull else {
        state.droppedCount += 1
        return (false, false)
      }
      let work = Work(byteCount: byteCount, isForced: isForced, orElse: orElse, body: body)
      if isForced {
        state.waiting.insert(work, at: 0)
      } else {
        state.waiting.append(work)
      }
      state.byteCount += byteCount
      guard state.runningCount < limits.maximumRunning else { return (true, false) }
      state.runningCount += 1
      return (true, true)
    }
    if starts { Task { await self.run() } }
    if !isTaken { orElse() }
  }

  private func run() async {
    while let work = next() {
      await work.body()
      state.withLock { $0.byteCount -= work.byteCount }
    }
  }

  private func next() -> Work? {
    let (found, finished) = state.withLock { state -> (Work?, [CheckedContinuation<Void, Never>]) in
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
      state.runningCount -= 1
      guard state.runningCount == 0 else { return (nil, []) }
      defer { state.finishing = [] }
      return (nil, state.finishing)
    }
    for continuation in finished { continuation.resume() }
    return found
  }

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
    let dropped = state.withLock { state in
      state.isClosed = true
      let dropped = state.waiting.filter { !$0.isForced }
      state.byteCount -= dropped.reduce(0) { $0 + $1.byteCount }
      state.waiting.removeAll { !$0.isForced }
      return dropped
    }
    for work in dropped { work.orElse() }
  }
}
