/// How long clients may use stale responses if the origin does not specify it.
public struct StaleGrace: Sendable, Hashable {
  /// Seconds while revalidating (RFC 5861 §3). Default: none.
  public var whileRevalidating: Int?
  /// Seconds after an error (RFC 5861 §4). Default: none.
  public var onError: Int?

  /// The defaults.
  public init() {}
}
