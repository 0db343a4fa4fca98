/// The cost of one round of a comparison.
public struct Sample: Sendable {
  /// Nanoseconds of one of our operations.
  public let ours: Double
  /// Nanoseconds of one operation of the baseline; `nil` for none.
  public let limit: Double?

  /// The ratio of our cost to the baseline's.
  public var ratio: Double? { limit.map { ours / $0 } }
}
