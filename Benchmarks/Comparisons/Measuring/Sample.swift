/// What one round of a comparison took.
public struct Sample: Sendable {
  /// Nanoseconds of one of our operations.
  public let ours: Double
  /// Nanoseconds of one operation of the baseline; `nil` for none.
  public let limit: Double?

  /// How many times the limit ours took.
  public var ratio: Double? { limit.map { ours / $0 } }
}
