/// The object of `GET /status.json`, whose names are in snake case there: the state of a server now
/// and in the last hour, without requests of operators.
struct ServerStatus: Codable, Sendable, Hashable {
  struct Figures: Codable, Sendable, Hashable {
    var seconds = 0.0
    var requests = 0
    var clientErrors = 0
    var serverErrors = 0
    var bytesSent = 0
    /// Responses by the name of their ``ServerMetrics/Source``.
    var answers: [String: Int] = [:]
    var memoryEvictions = 0
    var diskEvictions = 0
    /// The median of the durations of requests for content, in seconds; `nil` without any.
    var p50Seconds: Double?
    var p90Seconds: Double?
    var p99Seconds: Double?

    var errors: Int { clientErrors + serverErrors }
    var requestRate: Double { seconds > 0 ? Double(requests) / seconds : 0 }

    var hitShare: Double? { Self.hitShare(of: answers) }

    static func hitShare(of answers: [String: Int]) -> Double? {
      let total = answers.values.reduce(0) { $0 + Double($1) }
      let hits = ServerMetrics.Source.allCases.filter(\.isHit)
        .reduce(0) { $0 + Double(answers["\($1)"] ?? 0) }
      return total > 0 ? hits / total : nil
    }
  }

  struct Load: Codable, Sendable, Hashable {
    var inFlight = 0
    var connections = 0
    var running: [String: Int] = [:]
    var waiting: [String: Int] = [:]
    /// Bytes in transfer, from origins and to clients; `nil` if they are not counted.
    var bytesInFlight: Int?
  }

  struct Store: Codable, Sendable, Hashable {
    var entries = 0
    var bytes = 0
    /// The most bytes that it may hold.
    var limit = 0
  }

  /// The shared tier during the last hour.
  struct SharedTier: Codable, Sendable, Hashable {
    var isSuspended = false
    var hits = 0
    var misses = 0
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
    var answers: [String: [Int]] = [:]
    var memoryEvictions: [Int] = []
    var diskEvictions: [Int] = []
    var p50Seconds: [Double?] = []
    var p99Seconds: [Double?] = []
    /// The most work in progress, by the name of its queue.
    var running: [String: [Int]] = [:]
    var waiting: [String: [Int]] = [:]
  }

  /// When it was read, in Unix seconds.
  var time = 0
  /// Seconds since the server began to listen.
  var uptimeSeconds = 0.0
  var now = Figures()
  /// The last hour, or all of a shorter run.
  var hour = Figures()
  var load = Load()
  var memory: Store?
  var disk: Store?
  var shared: SharedTier?
  var history = History()
}
