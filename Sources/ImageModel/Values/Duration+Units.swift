extension Duration {
  /// The duration in seconds, as `Date` counts.
  package var seconds: Double { self / .seconds(1) }

  /// Whole nanoseconds; the largest number, or the least, for more than 292 years.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = max(self, .nanoseconds(Int64.min)).bounded.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The duration, or 292 years where it is longer: what a task can sleep, and what can be
  /// multiplied and added to the time of a clock.
  package var bounded: Duration { min(self, .nanoseconds(Int64.max)) }
}
