import Synchronization

/// Counts calls from any thread.
final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  /// Whether this call is the last one counted.
  func isOver() -> Bool { left.subtract(1, ordering: .relaxed).newValue == 0 }
}
