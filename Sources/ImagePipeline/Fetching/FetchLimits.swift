/// What one transfer may cost before it is given up.
public struct FetchLimits: Sendable, Hashable {
  /// Bytes of the body, after undoing compression. Default: 64 MiB.
  public var maximumByteCount = 64 << 20
  /// Fewer bytes than this within ``lowSpeedTime`` end the transfer. Default: 1024.
  public var lowSpeedByteCount = 1024
  /// The time over which ``lowSpeedByteCount`` is counted. Default: 30 s.
  public var lowSpeedTime = Duration.seconds(30)
  /// The time to connect, TLS included. Default: 30 s.
  public var connectTime = Duration.seconds(30)
  /// The time for one transfer in all. Default: 300 s.
  public var totalTime = Duration.seconds(300)
  /// Redirects that are followed. Default: 10.
  public var maximumRedirectCount = 10

  /// The defaults.
  public init() {}
}
