import ImageModel

/// The value of `Date` (RFC 9110 §6.6.1), formatted once a second.
final class DateField: Sendable {
  private let clock: @Sendable () -> Date
  private let cached = Locked((second: Int.min, text: ""))

  init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

  /// The same for another thread.
  func copy() -> DateField { DateField(clock: clock) }

  var text: String {
    let now = clock()
    let second = now.wholeSeconds
    return cached.withLock { cached in
      if cached.second != second { cached = (second, HTTPDate.format(now)) }
      return cached.text
    }
  }
}
