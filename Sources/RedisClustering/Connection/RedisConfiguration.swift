/// How servers are reached, and how long they are waited for.
public struct RedisConfiguration: Sendable {
  /// The servers from which the client discovers the others; at least one.
  public var servers: [RedisEndpoint]
  /// The user of the servers' access list; `nil` for the default user. Default: `nil`.
  public var user: String?
  /// The user's password; `nil` for no authentication. Default: `nil`.
  public var password: String?
  /// Encrypts connections and checks the servers' certificates; `nil` for plain connections.
  /// Default: `nil`.
  public var tls: RedisTLSRules?
  /// The time that commands have in all where a call names none; of it a read gives the first
  /// node half. Default: 100 ms.
  public var deadline = Duration.milliseconds(100)
  /// The time to connect, TLS included, and to authenticate, each. Default: 50 ms.
  public var connectTimeout = Duration.milliseconds(50)
  /// For how long a node that failed is left alone. Default: 500 ms.
  public var downTime = Duration.milliseconds(500)
  /// The least time between two questions for the nodes of the cluster. Default: 200 ms.
  public var topologyInterval = Duration.milliseconds(200)
  /// The most bytes that one reply may have, up to 1 GiB. Default: 64 MiB.
  public var maximumReplyByteCount = 64 << 20

  /// The defaults for some servers.
  public init(servers: [RedisEndpoint]) { self.servers = servers }
}

extension RedisConfiguration: CustomReflectable {
  /// The servers and the user, without the password; what is printed, too.
  public var customMirror: Mirror {
    Mirror(self, children: ["servers": servers, "user": user as Any], displayStyle: .struct)
  }
}

/// The rules for checking a server's certificate.
public struct RedisTLSRules: Sendable, Hashable {
  /// A PEM file of certificates to trust; `nil` for the system's. Default: `nil`.
  public var trustedCertificates: String?
  /// The name that all servers' certificates are for; `nil` for the name or address that each is
  /// reached by. Default: `nil`.
  public var serverName: String?

  /// The defaults.
  public init() {}
}

/// The group of commands that share a connection.
public enum RedisLane: Sendable, Hashable, CaseIterable {
  /// Short commands that a caller waits for.
  case interactive
  /// Large replies that a caller waits for: they delay no short command.
  case bulk
  /// Commands that no caller waits for, and those that keep their connection busy (`WAIT`).
  case background
}
