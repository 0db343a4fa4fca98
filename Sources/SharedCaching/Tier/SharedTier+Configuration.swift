import RedisClustering

extension SharedTier {
  /// Where a tier is, and its limits.
  public struct Configuration: Sendable {
    /// How its servers are reached.
    public var servers: RedisClient.Configuration
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
    /// The time for which a copy in memory is used without even a local check. Default: 20 s, so
    /// that a purge of which every message was lost takes effect within a minute, also if creating
    /// the copy took a while.
    public var memoryLifetime = Duration.seconds(20)
    /// The time between two readings of the purges by tag. Default: 10 s.
    public var purgeReadingInterval = Duration.seconds(10)
    /// The time that one write in the background has. Default: 1 s.
    public var writeDeadline = Duration.seconds(1)
    /// Values that wait to be written; more are dropped. Default: 1,000, and 64 MiB in all.
    public var waitingWrites = WaitingWrites()
    /// The rules for suspending requests to the servers when they fail.
    public var breaker = CircuitBreaker.Rules()
    /// Stores originals, and thumbnails longer than ``maximumBodyByteCount``; the servers keep the
    /// generations, and a pointer to each object. Default: none.
    public var objects: (any TierObjectStore)?
    /// Longer bodies are not kept where there are ``objects``. Default: 32 MiB.
    public var maximumObjectByteCount = 32 << 20
    /// The time to read an object. Default: 1 s.
    public var objectReadDeadline = Duration.seconds(1)
    /// The time to write or delete an object, in the background. Default: 30 s.
    public var objectWriteDeadline = Duration.seconds(30)
    /// Receives a line for people when the servers or the object store fail so often that they are
    /// not used, at most once a minute each, and when they can be used again. Default: none.
    public var log: @Sendable (String) -> Void = { _ in }

    /// The defaults for some servers.
    public init(servers: RedisClient.Configuration) { self.servers = servers }
  }

  /// How many values may wait to be written.
  public struct WaitingWrites: Sendable, Hashable {
    /// Their number. Default: 1,000.
    public var maximumCount = 1000
    /// Their bytes. Default: 64 MiB.
    public var maximumByteCount = 64 << 20
    /// How many are written at once. Default: 4.
    public var maximumRunning = 4

    /// The defaults.
    public init() {}
  }
}
