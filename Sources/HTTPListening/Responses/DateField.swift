public import ImageModel

/// The value of `Date`, formatted once a second.
public final class DateField: Sendable {
  private let clock: @Sendable () -> Date
  private let cached = Locked((second: Int.min, text: ""))

  /// Uses a clock.
  public init(clock: @escaping @Sendable () -> Date) {
    self.clock = clock
  }

  /// The value of `Date` now (RFC 9110 §6.6.1), computed once a second.
  public var text: String {
    let now = clock()
    let second = now.wholeSeconds
    return cached.withLock { cached in
      if cached.second != second { cached = (second, HTTPDate.format(now)) }
      return cached.text
    }
  }
}
