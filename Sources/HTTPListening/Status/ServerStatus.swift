/// The state of a server now and in the last hour: the object of `GET /status.json`, whose names
/// are in snake case there. Requests of operators do not count.
struct ServerStatus: Codable, Sendable, Hashable {
  /// Counts of a span of time.
  struct Figures: Codable, Sendable, Hashable {
    /// The length of the span in seconds.
    var seconds = 0.0
    /// Responses.
    var requests = 0
    /// Responses with a status of 400 through 499.
    var clientErrors = 0
    /// Responses with a status of 500 or more.
    var serverErrors = 0
    /// Bytes of bodies sent.
    var bytesSent = 0
    /// Responses by the name of their ``ServerMetrics/Source``.
    var answers: [String: Int] = [:]
    /// Entries evicted from memory.
    var memoryEvictions = 0
    /// Entries evicted from the disk.
    var diskEvictions = 0
    /// The median of the durations of requests for content, in seconds; `nil` without any.
    var p50Seconds: Double?
    /// The 90th percentile of these.
    var p90Seconds: Double?
    /// The 99th percentile of these.
    var p99Seconds: Double?

    /// Requests a second.
    var requestRate: Double { seconds > 0 ? Double(requests) / seconds : 0 }

    /// The share of the responses that came from a cache; `nil` without any.
    var hitShare: Double? { Self.hitShare(of: answers) }

    static func hitShare(of answers: [String: Int]) -> Double? {
      let total = answers.values.reduce(0) { $0 + Double($1) }
      let hits = ServerMetrics.Source.allCases.filter(\.isHit)
        .reduce(0) { $0 + Double(answers["\($1)"] ?? 0) }
      return total > 0 ? hits / total : nil
    }
  }

  /// The work in progress.
  struct Load: Codable, Sendable, Hashable {
    /// Requests without a complete response.
    var inFlight = 0
    /// Open connections.
    var connections = 0
    /// Work in progress, by the name of its queue.
    var running: [String: Int] = [:]
    /// Work that waits for a slot, by the name of its queue.
    var waiting: [String: Int] = [:]
    /// Bytes in transfer, from origins and to clients; `nil` if they are not counted.
    var bytesInFlight: Int?
  }

  /// The contents of a tier.
  struct Store: Codable, Sendable, Hashable {
    /// Entries.
    var entries = 0
    /// Their bytes.
    var bytes = 0
    /// The most bytes that it may hold.
    var limit = 0
  }

  /// The shared tier during the last hour.
  struct SharedTier: Codable, Sendable, Hashable {
    /// Whether it is suspended after failures.
    var isSuspended = false
    /// Values found.
    var hits = 0
    /// Values not found.
    var misses = 0
    /// Operations that failed.
    var errors = 0
  }

  /// The last hour in columns of one length, oldest first: at most 121 points of 30 s each.
  struct History: Codable, Sendable, Hashable {
    /// The length of each point in seconds.
    var seconds: [Double] = []
    /// ``Figures/requests`` of each point, and so on.
    var requests: [Int] = []
    /// Responses with a status of 400 or more.
    var errors: [Int] = []
    /// Responses by the name of their source.
    var answers: [String: [Int]] = [:]
    /// Entries evicted from memory.
    var memoryEvictions: [Int] = []
    /// Entries evicted from the disk.
    var diskEvictions: [Int] = []
    /// The median of the durations of requests for content, in seconds.
    var p50Seconds: [Double?] = []
    /// The 99th percentile of these.
    var p99Seconds: [Double?] = []
    /// The most work in progress, by the name of its queue.
    var running: [String: [Int]] = [:]
    /// The most work that waited, by the name of its queue.
    var waiting: [String: [Int]] = [:]
  }

  /// When it was read, in Unix seconds.
  var time = 0
  /// Seconds since the server began to listen.
  var uptimeSeconds = 0.0
  /// The last minute.
  var now = Figures()
  /// The last hour, or all of a shorter run.
  var hour = Figures()
  /// The work in progress.
  var load = Load()
  /// Entries in memory; `nil` without a cache there.
  var memory: Store?
  /// Entries on the disk; `nil` without a cache there.
  var disk: Store?
  /// The shared tier; `nil` without one.
  var shared: SharedTier?
  /// The last hour.
  var history = History()
}
