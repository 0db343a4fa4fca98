/// Limits the decodes that run at once, and reserves a slot for small images while large ones are
/// decoded.
public final class DecodeGate: Sendable {
  private let all: JobQueue
  private let large: JobQueue

  /// The pixels from which an image is large: 4 megapixels take some 20 ms.
  static let largePixelCount = 4 << 20

  /// Creates a gate for so many decodes at once; where there are several, one of them is never
  /// large.
  public init(maximum: Int, waiting: WaitLimits = WaitLimits()) {
    all = JobQueue(maximumRunning: maximum, waiting: waiting)
    large = JobQueue(maximumRunning: max(1, maximum - 1), waiting: waiting)
  }

  /// The number of decodes that run.
  public var runningCount: Int { all.runningCount }
  /// The number of decodes that wait.
  public var pendingCount: Int { all.pendingCount + large.pendingCount }

  /// Waits for a slot and decodes.
  ///
  /// - Throws: `ImageError` with code `saturated`, or `CancellationError`; then `work` has not
  ///   begun. Else what `work` throws.
  public func run<Value>(
    priority: LivePriority, pixelCount: Int, _ work: () async throws -> sending Value
  ) async throws -> sending Value {
    guard pixelCount >= Self.largePixelCount else {
      return try await all.run(priority: priority, work)
    }
    // A large one takes a slot among all only once it may run, so that small ones do not wait for
    // it.
    return try await large.run(priority: priority) {
      try await all.run(priority: priority, work)
    }
  }
}
