/// How fast jobs may begin: a burst at once, then a steady rate.
public struct RequestRate: Sendable, Hashable {
  /// Jobs a second, more than 0.
  public var perSecond: Double
  /// Jobs that may begin at once after a rest, at least 1.
  public var burst: Int

  /// Names a rate; what is not positive counts as the smallest that is.
  public init(perSecond: Double, burst: Int = 1) {
    self.perSecond = max(perSecond, 1e-6)
    self.burst = max(1, burst)
  }
}
