/// What one round of a comparison took.
public struct Sample: Sendable {
  /// Nanoseconds of one of our operations.
  public let ours: Double
  /// Nanoseconds of one of what stands beside it; `nil` for nothing.
  public let limit: Double?

  /// How many times the limit ours took.
  public var ratio: Double? { limit.map { ours / $0 } }
}
