/// What one client may take of the server.
public struct ConnectionLimits: Sendable, Hashable {
  /// Bytes of a request target; more is 414. Of the thumbnail server alone. Default: 8 KiB.
  public var maximumTargetByteCount = 8 << 10
  /// Bytes of all fields together; more is 431. Of the thumbnail server alone. Default: 16 KiB.
  public var maximumFieldByteCount = 16 << 10
  /// Fields of a request; more is 431. Of the thumbnail server alone. Default: 100.
  public var maximumFieldCount = 100
  /// How long a request's head may take to come. Default: 10 s.
  public var headTime = Duration.seconds(10)
  /// How long a connection may be idle between requests, or nothing may come of a request's body;
  /// longer than a balancer's. Default: 75 s.
  public var idleTime = Duration.seconds(75)
  /// How long a client may take nothing of an answer that waits for it; checked once a second.
  /// Default: 30 s.
  public var writeTime = Duration.seconds(30)
  /// Connections at once; further ones get a 503 and are ended. Default: 4,096.
  public var maximumConnections = 4096

  /// The defaults.
  public init() {}
}
