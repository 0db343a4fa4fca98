import ImageModel

/// Time and chance, which tests replace.
struct TierClock: Sendable {
  var now: @Sendable () -> Date = { Date() }
  /// Time since some moment; it never goes back.
  var elapsed: @Sendable () -> Duration = { ContinuousClock.now - TierClock.start }
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0.bounded) }
  /// The factor for a lifetime: 0.9 to 1.1.
  var jitter: @Sendable () -> Double = { Double.random(in: 0.9...1.1) }
  /// A name that no other process chooses.
  var token: @Sendable () -> String = {
    String(UInt64.random(in: .min ... .max), radix: 16)
      + String(UInt64.random(in: .min ... .max), radix: 16)
  }

  private static let start = ContinuousClock.now
}

extension Duration {
  /// The duration, or 292 years where it is longer.
  var bounded: Duration { min(self, .nanoseconds(Int64.max)) }

  /// Whole milliseconds, of 292 years at most.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = bounded.components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
