/// A token bucket: a burst, of the capacity, passes at once, then the rate holds.
package struct TokenBucket: Sendable {
  package let rate: Double
  package let capacity: Double
  package private(set) var tokens: Double
  private var filledAt: Duration

  /// Starts full; `now` is of any clock that never goes back.
  package init(rate: Double, capacity: Double, now: Duration) {
    self.rate = rate
    self.capacity = capacity
    tokens = capacity
    filledAt = now
  }

  package mutating func refill(now: Duration) {
    guard now > filledAt else { return }
    tokens = min(capacity, tokens + rate * ((now - filledAt) / .seconds(1)))
    filledAt = now
  }

  package mutating func consume(_ count: Double, now: Duration) -> Bool {
    refill(now: now)
    guard tokens >= count else { return false }
    tokens -= count
    return true
  }

  package mutating func charge(_ count: Double) { tokens -= count }

  /// Returns the time until that many tokens are available, if none is taken meanwhile; a count
  /// above the capacity is treated as the capacity. At most some 30 years.
  package func delay(until count: Double) -> Duration {
    let missing = min(count, capacity) - tokens
    return missing <= 0 ? .zero : .seconds(min(1e9, missing / rate))
  }
}
