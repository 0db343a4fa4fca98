public import RedisClustering

extension SharedTier {
  /// Where a tier is, and its limits.
  public struct Configuration: Sendable {
    /// How its servers are reached.
    public var servers: RedisConfiguration
    /// Keeps the values of several services on the same servers apart. Default: none.
    public var namespace = ""
    /// Longer bodies are not kept. Default: 8 MiB: a longer one holds up its server for too long.
    public var maximumBodyByteCount = 8 << 20
    /// For how long a lock is held at most. Default: 10 s.
    public var lockLifetime = Duration.seconds(10)
    /// For how long a value is kept at most. Default: 30 days.
    public var maximumLifetime = Duration.seconds(30 * 86_400)
    /// The time for which a local copy is used without a check whether its source was purged.
    /// Default: 30 s.
    public var confirmationLifetime = Duration.seconds(30)
    /// The time that one write in the background has. Default: 1 s.
    public var writeDeadline = Duration.seconds(1)
    var waitingWrites = WriteQueue.Limits()
    /// Stores originals, and thumbnails longer than ``maximumBodyByteCount``; the servers keep the
    /// generations, and a pointer to each object. Default: none.
    public var objects: (any TierObjectStore)?
    /// Longer bodies are not kept where there are ``objects``. Default: 32 MiB.
    public var maximumObjectByteCount = 32 << 20
    /// Receives a line for people when the servers or the object store fail so often that they are
    /// not used, at most once a minute each, and when they can be used again. Default: none.
    public var log: @Sendable (String) -> Void = { _ in }

    /// The defaults for some servers.
    public init(servers: RedisConfiguration) { self.servers = servers }
  }
}
