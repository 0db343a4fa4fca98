import Dispatch
import Synchronization

/// Draws the lines of ``StatusLine`` again and again, on a thread of its own, with the terminal held.
final class StatusLoop: Sendable {
  /// Ten drawings a second at most.
  private static let interval = 0.1
  /// Shorter work shows no lines.
  private static let delay = Duration.milliseconds(150)

  private let wake = DispatchSemaphore(value: 0)
  private let queue = DispatchQueue(label: "imgcache.status")
  private let isEnded = Atomic(false)
  private let began = ContinuousClock.now

  /// Holds the terminal and begins to draw. `lines` returns lines that are not wider than the
  /// terminal, and may write above them by ``StatusLine/whileHidden(_:)``. It is called in the
  /// foreground, and once after the end, when the lines are not drawn.
  func start(_ lines: @escaping @Sendable (_ elapsed: Duration, _ isOver: Bool) -> String) {
    TerminalState.shared.claim(2) { [wake] event in
      switch event {
      case .stopping: StatusLine.shared.suspend()
      case .continued: StatusLine.shared.resume()
      case .resized:
        StatusLine.shared.erase()
        wake.signal()
      }
    }
    queue.async { [self] in run(lines) }
  }

  /// Removes the lines and restores the terminal. A second call does nothing.
  func end() async {
    guard !isEnded.exchange(true, ordering: .relaxed) else { return }
    wake.signal()
    // Not `queue.sync`: the queue may wait for the cache, and the cache for this thread.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    StatusLine.shared.draw("")
    TerminalState.shared.release()
  }

  private func run(_ lines: (Duration, Bool) -> String) {
    while true {
      let isOver = isEnded.load(ordering: .relaxed)
      let elapsed = ContinuousClock.now - began
      if TerminalState.shared.isForeground {
        let text = lines(elapsed, isOver)
        if !isOver, elapsed >= Self.delay { StatusLine.shared.draw(text) }
      }
      if isOver { return }
      _ = wake.wait(timeout: .now() + Self.interval)
    }
  }
}
