import CachePolicies
import DiskCaching
import HTTPListening
import ImageModel
import Synchronization

/// The metrics of the server. They are counted through the registry, which also takes those of the
/// pipeline's ``MetricsObserver``.
final class ServerMetrics: Sendable {
  /// The route of a request, by the first segment of its path.
  enum Route: Int, Sendable, CaseIterable {
    case thumb, image, info, days, purge, reader, operation, other

    /// The route of a target.
    init(target: String) {
      if target.hasPrefix("/thumb") {
        self = .thumb
      } else if target.hasPrefix("/image") {
        self = .image
      } else if target.hasPrefix("/info") {
        self = .info
      } else if target.hasPrefix("/days") {
        self = .days
      } else if target.hasPrefix("/purge") || target.hasPrefix("/tags/") {
        self = .purge
      } else if target == "/" || target.hasPrefix("/?") || target.hasPrefix("/reader") {
        self = .reader
      } else if Self.operationPaths.contains(String(target.prefix { $0 != "?" })) {
        self = .operation
      } else {
        self = .other
      }
    }

    private static let operationPaths: Set = [
      "/healthz", "/readyz", "/metrics", "/stats", "/status", "/status.json", "/status/status.css",
      "/status/status.js",
    ]
  }

  /// The source of a response.
  enum Tier: Int, Sendable, CaseIterable {
    case none, memory, disk, shared, miss, stale, placeholder

    /// Reads a `Cache-Status`.
    init(status: String?) {
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
    let route: Route
    let status: Int
  }

  /// The values that `GET /metrics` writes.
  let registry = PrometheusRegistry()
  /// The connections of the server, which count themselves.
  let connections = OpenConnections()
  private let requests = Locked<[Outcome: PrometheusCounter]>([:])
  private let durations: [PrometheusHistogram]
  private let tiers: [PrometheusCounter]
  private let sentBytes: PrometheusCounter
  private let purgedEntries: PrometheusCounter
  private let clientBytes = Atomic(0)
  private let inFlight = Atomic(0)
  /// The memory hits and misses that the cache directory has counted already.
  private let reported = Locked((hits: 0, misses: 0))

  /// The meaning of the counters and histograms.
  static let help = [
    "imgcache_requests_total": "Responses by route and status.",
    "imgcache_request_duration_seconds": "From a request's head to the end of its response.",
    "imgcache_answers_total": "Responses with an image, by where it came from.",
    "imgcache_sent_bytes_total": "Bytes of bodies sent.",
    "imgcache_purged_total": "Entries removed by request.",
    "imgcache_stage_duration_seconds": "Stages of loads.",
    "imgcache_collapsed_total": "Loads that shared the work of another one.",
    "imgcache_loads_total": "Loads of images by tier and outcome.",
    "imgcache_load_duration_seconds": "Duration of successful loads.",
    "imgcache_load_bytes_total": "Bytes of successful loads.",
    "imgcache_documents_total": "Loads of feed documents and story pages by tier and outcome.",
  ]

  init() {
    let registry = registry
    durations = Route.allCases.map {
      registry.histogram("imgcache_request_duration_seconds", [("route", "\($0)")])
    }
    tiers = Tier.allCases.map {
      $0 == .none
        ? PrometheusCounter() : registry.counter("imgcache_answers_total", [("source", "\($0)")])
    }
    sentBytes = registry.counter("imgcache_sent_bytes_total")
    purgedEntries = registry.counter("imgcache_purged_total")
  }

  func requestBegan() { inFlight.wrappingAdd(1, ordering: .relaxed) }
  func requestEnded() { inFlight.wrappingSubtract(1, ordering: .relaxed) }

  /// Counts entries that were removed by request.
  func purged(_ count: Int) { purgedEntries.increment(by: Int64(count)) }

  /// Counts a response.
  func answered(_ route: Route, status: Int, tier: Tier, byteCount: Int, nanoseconds: Int64) {
    let outcome = Outcome(route: route, status: status)
    let counter = requests.withLock { requests in
      if let known = requests[outcome] { return known }
      let counter = registry.counter(
        "imgcache_requests_total", [("route", "\(route)"), ("code", "\(status)")])
      requests[outcome] = counter
      return counter
    }
    counter.increment(by: 1)
    durations[route.rawValue].recordNanoseconds(nanoseconds)
    tiers[tier.rawValue].increment(by: 1)
    sentBytes.increment(by: Int64(byteCount))
    if route != .operation { clientBytes.wrappingAdd(byteCount, ordering: .relaxed) }
  }

  /// Adds the memory hits and misses since the last call to those that the cache directory counts.
  func report(_ memory: MemoryStatistics, to cache: DiskCache) {
    reported.withLock { reported in
      cache.count(.memoryHits, by: memory.hitCount - reported.hits)
      cache.count(.memoryMisses, by: memory.missCount - reported.misses)
      reported = (memory.hitCount, memory.missCount)
    }
  }

  // MARK: Readings

  /// The number of responses of a route by status, or of all routes.
  func statuses(of route: Route? = nil) -> [Int: Int] {
    requests.withLock { requests in
      requests.reduce(into: [:]) { sums, entry in
        guard route == nil || entry.key.route == route else { return }
        sums[entry.key.status, default: 0] += entry.value.value
      }
    }
  }

  /// The durations of a route's requests.
  func durations(of route: Route) -> Histogram { durations[route.rawValue].value }
  /// The number of responses from a tier.
  func count(of tier: Tier) -> Int { tiers[tier.rawValue].value }
  /// The bytes of bodies sent.
  var sentByteCount: Int { sentBytes.value }
  /// The bytes of bodies sent, without those for operators.
  var clientByteCount: Int { clientBytes.load(ordering: .relaxed) }
  /// The number of requests without a complete response.
  var inFlightCount: Int { inFlight.load(ordering: .relaxed) }
  /// The number of loads that shared the work of another one.
  var collapsedCount: Int { registry.counter("imgcache_collapsed_total").value }
}
