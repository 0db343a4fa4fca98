/// Bounds the decodes that run at once, and keeps a place for small pictures while large ones are at work.
public final class DecodeGate: Sendable {
  private let all: JobQueue
  private let large: JobQueue

  /// From so many pixels on a picture is large: 4 megapixels take some 20 ms.
  static let largePixelCount = 4 << 20

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - maximum: Decodes at once; where there are several, all but one of them may be large ones.
  ///   - waiting: How many may wait, and for how long.
  public convenience init(maximum: Int, waiting: WaitLimits = WaitLimits()) {
    self.init(maximum: maximum, waiting: waiting, clock: QueueClock())
  }

  init(maximum: Int, waiting: WaitLimits, clock: QueueClock) {
    all = JobQueue(maximumRunning: maximum, rate: nil, waiting: waiting, clock: clock)
    large = JobQueue(
      maximumRunning: max(1, maximum - 1), rate: nil, waiting: waiting, clock: clock)
  }

  /// Decodes under way.
  public var runningCount: Int { all.runningCount }
  /// Decodes that wait.
  public var pendingCount: Int { all.pendingCount + large.pendingCount }

  /// Waits for a place and decodes.
  ///
  /// - Throws: ``ImageError`` with code `saturated`, or `CancellationError`; then `work` never began. Else what
  ///   `work` throws.
  package func run<Value>(
    priority: LivePriority, pixelCount: Int, _ work: () async throws -> sending Value
  ) async throws -> sending Value {
    guard pixelCount >= Self.largePixelCount else {
      return try await all.run(priority: priority, work)
    }
    // A large one takes its place among all only when it may run: else it would keep small ones waiting.
    return try await large.run(priority: priority) {
      try await all.run(priority: priority, work)
    }
  }
}
