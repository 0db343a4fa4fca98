import Dispatch

@testable import ImageModel

/// A gate that tests open by hand: waiting tasks and threads resume when it is opened.
///
/// Tasks wait with ``wait()``, threads with ``block()``; both return at once when it is open
/// already.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var tasks: [CheckedContinuation<Void, Never>] = []
    var threads: [DispatchSemaphore] = []
    var arrived = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Locked(State())

  /// Resumes all waiters, and lets later ones pass at once.
  func open() {
    let (tasks, threads) = state.withLock { state in
      state.isOpen = true
      defer { (state.tasks, state.threads) = ([], []) }
      return (state.tasks, state.threads)
    }
    for task in tasks { task.resume() }
    for thread in threads { thread.signal() }
  }

  /// Waits as a task; not ended by cancellation.
  func wait() async {
    await withCheckedContinuation { continuation in
      arrive { state in
        if state.isOpen { return true }
        state.tasks.append(continuation)
        return false
      } ifOpen: {
        continuation.resume()
      }
    }
  }

  /// Waits as a task; a cancellation opens the gate for all, and throws.
  func waitUnlessCancelled() async throws {
    await withTaskCancellationHandler {
      await wait()
    } onCancel: {
      open()
    }
    try Task.checkCancellation()
  }

  /// Waits as a thread of its own.
  func block() {
    let semaphore = DispatchSemaphore(value: 0)
    arrive { state in
      if state.isOpen { return true }
      state.threads.append(semaphore)
      return false
    } ifOpen: {
      semaphore.signal()
    }
    semaphore.wait()
  }

  /// Waits until so many have come to the gate, whether they went through or not.
  func arrivals(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.arrived >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func arrive(_ join: (inout State) -> Bool, ifOpen pass: () -> Void) {
    let (isOpen, reached) = state.withLock { state in
      let isOpen = join(&state)
      state.arrived += 1
      let reached = state.watchers.filter { $0.count <= state.arrived }
      state.watchers.removeAll { $0.count <= state.arrived }
      return (isOpen, reached)
    }
    for watcher in reached { watcher.continuation.resume() }
    if isOpen { pass() }
  }
}
