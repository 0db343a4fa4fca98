/// How many may wait for a place, and for how long, before they are turned away.
public struct WaitLimits: Sendable, Hashable {
  /// Jobs that may wait at once. Default: any number.
  public var maximumCount = Int.max
  /// How long one may wait. Default: for as long as it takes.
  public var maximumTime: Duration?

  /// No limits.
  public init() {}

  /// Turns one away; it may come back in a second.
  func refusal(_ reason: String) -> ImageError {
    ImageError(.saturated, "too busy: \(reason)", retryAfter: .seconds(1))
  }
}
