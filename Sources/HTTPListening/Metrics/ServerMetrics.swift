import ImageModel
import Synchronization

/// The routes of a server: the groups of requests that its metrics and traces name.
public protocol ServerRoute: RawRepresentable<Int>, CaseIterable, Sendable {
  /// The route of a request target.
  init(target: String)
  /// Whether its requests are those of operators, which are not counted as clients'.
  var isForOperators: Bool { get }
  /// The path of a target, without what differs between the requests of the route; `nil` where there
  /// is none.
  func template(of target: String) -> String?
}

/// The metrics of a server.
public final class ServerMetrics: Sendable {
  /// The source of a response.
  public enum Tier: Int, Sendable, CaseIterable {
    /// It has no `Cache-Status`.
    case none
    case memory, disk, shared, miss, stale, placeholder

    /// Reads a `Cache-Status`.
    public init(status: String?) {
      guard let status else {
        self = .none
        return
      }
      if status.hasSuffix("detail=memory") {
        self = .memory
      } else if status.contains("detail=placeholder") {
        self = .placeholder
      } else if status.contains("detail=shared") {
        self = .shared
      } else if status.contains("fwd=stale") {
        self = .stale
      } else if status.contains("fwd=") {
        self = .miss
      } else {
        self = .disk
      }
    }
  }

  private struct Outcome: Hashable {
    let route: Int
    let status: Int
  }

  /// The values that `GET /metrics` writes.
  public let registry = PrometheusRegistry()
  /// The connections of the server, which count themselves.
  public let connections = OpenConnections()
  private let route: @Sendable (String) -> any ServerRoute
  private let names: [String]
  private let requests = Locked<[Outcome: PrometheusCounter]>([:])
  private let durations: [PrometheusHistogram]
  private let tiers: [PrometheusCounter]
  private let sentBytes: PrometheusCounter
  private let clientBytes = Atomic(0)
  private let inFlight = Atomic(0)

  /// The meaning of the counters and histograms.
  public static let help = [
    "imgcache_requests_total": "Responses by route and status.",
    "imgcache_request_duration_seconds": "From a request's head to the end of its response.",
    "imgcache_answers_total": "Responses from a cache, by where they came from.",
    "imgcache_sent_bytes_total": "Bytes of bodies sent.",
  ]

  /// Creates counters of 0.
  public init<Route: ServerRoute>(_ routes: Route.Type) {
    route = { Route(target: $0) }
    names = Route.allCases.map { "\($0)" }
    let registry = registry
    durations = names.map {
      registry.histogram("imgcache_request_duration_seconds", [("route", $0)])
    }
    tiers = Tier.allCases.map {
      $0 == .none
        ? PrometheusCounter() : registry.counter("imgcache_answers_total", [("source", "\($0)")])
    }
    sentBytes = registry.counter("imgcache_sent_bytes_total")
  }

  func requestBegan() { inFlight.wrappingAdd(1, ordering: .relaxed) }
  func requestEnded() { inFlight.wrappingSubtract(1, ordering: .relaxed) }

  /// The path of a target without what differs; see ``ServerRoute/template(of:)``.
  func template(of target: String) -> String? { route(target).template(of: target) }

  /// Counts a response.
  public func answered(_ entry: AccessLog.Entry, nanoseconds: Int64) {
    let route = route(entry.target)
    let outcome = Outcome(route: route.rawValue, status: entry.status)
    let counter = requests.withLock { requests in
      if let known = requests[outcome] { return known }
      let counter = registry.counter(
        "imgcache_requests_total", [("route", names[outcome.route]), ("code", "\(entry.status)")])
      requests[outcome] = counter
      return counter
    }
    counter.increment(by: 1)
    durations[outcome.route].recordNanoseconds(nanoseconds)
    tiers[entry.tier.rawValue].increment(by: 1)
    sentBytes.increment(by: Int64(entry.byteCount))
    if !route.isForOperators { clientBytes.wrappingAdd(entry.byteCount, ordering: .relaxed) }
  }

  // MARK: Readings

  /// The number of responses of a route by status, or of all routes.
  public func statuses(of route: (any ServerRoute)? = nil) -> [Int: Int] {
    requests.withLock { requests in
      requests.reduce(into: [:]) { sums, entry in
        guard route == nil || entry.key.route == route?.rawValue else { return }
        sums[entry.key.status, default: 0] += entry.value.value
      }
    }
  }

  /// The durations of a route's requests.
  public func durations(of route: some ServerRoute) -> Histogram { durations[route.rawValue].value }
  /// The number of responses from a tier.
  public func count(of tier: Tier) -> Int { tiers[tier.rawValue].value }
  /// The bytes of bodies sent.
  public var sentByteCount: Int { sentBytes.value }
  /// The bytes of bodies sent, without those for operators.
  public var clientByteCount: Int { clientBytes.load(ordering: .relaxed) }
  /// The number of requests without a complete response.
  public var inFlightCount: Int { inFlight.load(ordering: .relaxed) }
}
