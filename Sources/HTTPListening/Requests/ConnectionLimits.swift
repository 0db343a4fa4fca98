/// The limits for one client of the server.
public struct ConnectionLimits: Sendable, Hashable {
  /// The maximum bytes of a request target; more is 414. Thumbnail server only. Default: 8 KiB.
  public var maximumTargetByteCount = 8 << 10
  /// The maximum bytes of all fields together; more is 431. Thumbnail server only. Default: 16 KiB.
  public var maximumFieldByteCount = 16 << 10
  /// The maximum number of fields of a request; more is 431. Thumbnail server only. Default: 100.
  public var maximumFieldCount = 100
  /// The time in which a request's head has to arrive. Default: 10 s.
  public var headTime = Duration.seconds(10)
  /// How long a connection may be idle between requests, or without a byte of a request's body;
  /// longer than a load balancer's. Default: 75 s.
  public var idleTime = Duration.seconds(75)
  /// How long a new connection may take to begin its first request while the server drains.
  /// Default: 1 s.
  public var firstRequestTime = Duration.seconds(1)
  /// How long a client may read nothing of a response that waits for it; checked once a second.
  /// Default: 30 s.
  public var writeTime = Duration.seconds(30)
  /// The bytes a second that a client reads at least of a response that waits for it, on average
  /// over ``writeTime``, and sends at least of a body that is waited for, over ``idleTime``.
  /// Default: 500.
  public var minimumByteRate = 500
  /// The maximum number of open connections; further ones get a 503 and are closed.
  /// Default: 4,096.
  public var maximumConnections = 4096

  /// The defaults.
  public init() {}
}
