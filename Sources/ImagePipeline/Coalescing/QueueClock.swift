/// Time as the shells of this folder need it; tests turn it by hand.
package struct QueueClock: Sendable {
  /// Of a clock that never goes back.
  package var now: @Sendable () -> Duration = {
    ContinuousClock.now - QueueClock.start
  }
  /// Waits, or throws `CancellationError`.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  private static let start = ContinuousClock.now

  /// The real one.
  package init() {}
}
