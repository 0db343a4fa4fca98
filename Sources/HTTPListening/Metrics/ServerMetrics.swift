public import CoreMetrics
import ImageModel
public import NIOHTTP1
import Synchronization

/// The routes of a server: the groups of requests that its metrics and traces name.
public protocol ServerRoute: RawRepresentable<Int>, CaseIterable, Sendable {
  /// The label of the routes in metrics. Default: `route`.
  static var label: String { get }
  /// The sources that a response may have.
  static var sources: [ServerMetrics.Source] { get }
  /// The source of a response with a `Cache-Status`.
  static func source(of cacheStatus: String) -> ServerMetrics.Source
  /// The route of a request.
  init(_ head: HTTPRequestHead)
  /// Whether its requests are those of operators, which are not counted as clients'. Default: no.
  var isForOperators: Bool { get }
  /// Whether its durations are those of the server's content. Default: if not for operators.
  var isContent: Bool { get }
  /// The path of a target, without what differs between the requests of the route; `nil` where there
  /// is none. Default: `nil`.
  func template(of target: String) -> String?
}

extension ServerRoute {
  /// `route`.
  public static var label: String { "route" }
  /// `false`.
  public var isForOperators: Bool { false }
  /// `nil`.
  public func template(of target: String) -> String? { nil }
  /// Whether the route is not for operators.
  public var isContent: Bool { !isForOperators }
}

/// The metrics of a server.
public final class ServerMetrics: Sendable {
  /// Where a response came from.
  public enum Source: Int, Sendable, CaseIterable {
    /// It has no `Cache-Status`.
    case none
    /// From a cache: of the process, of the machine, of several servers, or of either of the former.
    case memory, disk, shared, hit
    /// From the origin, after it had confirmed or replaced a stale one, or past the cache.
    case miss, revalidated, pass
    /// In place of a fresh one.
    case stale, placeholder

    var isHit: Bool { [.memory, .disk, .shared, .hit].contains(self) }
  }

  private struct Outcome: Hashable {
    let route: Int
    let status: Int
  }

  let registry = PrometheusRegistry()
  let connections = OpenConnections()
  let routes: [any ServerRoute]
  let sources: [Source]
  private let route: @Sendable (HTTPRequestHead) -> any ServerRoute
  private let sourceOf: @Sendable (String) -> Source
  private let label: String
  private let names: [String]
  private let requests = Locked<[Outcome: PrometheusCounter]>([:])
  private let durations: [PrometheusHistogram]
  private let answers: [PrometheusCounter]
  private let sentBytes: PrometheusCounter
  private let clientBytes = Atomic(0)
  private let inFlight = Atomic(0)

  /// The counter of requests that shared the work of another one.
  public static let collapsed = "imgcache_collapsed_total"

  static let help = [
    "imgcache_requests_total": "Responses by route or method, and status.",
    "imgcache_request_duration_seconds": "From a request's head to the end of its response.",
    "imgcache_answers_total": "Responses from a cache, by where they came from.",
    "imgcache_sent_bytes_total": "Bytes of bodies sent.",
  ]

  /// Creates counters of 0.
  public init<Route: ServerRoute>(_ routes: Route.Type) {
    (self.routes, sources, label) = (Array(Route.allCases), Route.sources, Route.label)
    route = { Route($0) }
    sourceOf = { Route.source(of: $0) }
    names = Route.allCases.map { "\($0)" }
    let registry = registry
    durations = names.map {
      registry.histogram("imgcache_request_duration_seconds", [(Route.label, $0)])
    }
    answers = Source.allCases.map {
      Route.sources.contains($0)
        ? registry.counter("imgcache_answers_total", [("source", "\($0)")]) : PrometheusCounter()
    }
    sentBytes = registry.counter("imgcache_sent_bytes_total")
  }

  /// What counts for `GET /metrics`, also by swift-metrics.
  public var factory: any MetricsFactory { registry }

  /// Adds to a counter; `GET /metrics` also has one that 0 was added to.
  public func add(_ amount: Int, to counter: String) {
    registry.counter(counter).increment(by: Int64(amount))
  }

  func requestBegan() { inFlight.wrappingAdd(1, ordering: .relaxed) }
  func requestEnded() { inFlight.wrappingSubtract(1, ordering: .relaxed) }

  func template(of head: HTTPRequestHead) -> String? { route(head).template(of: head.uri) }

  func isForOperators(_ head: HTTPRequestHead) -> Bool { route(head).isForOperators }

  func source(of cacheStatus: String?) -> Source { cacheStatus.map(sourceOf) ?? .none }

  func answered(_ entry: AccessLog.Entry, nanoseconds: Int64) {
    let route = route(entry.head)
    let outcome = Outcome(route: route.rawValue, status: entry.status)
    let counter = requests.withLock { requests in
      if let known = requests[outcome] { return known }
      let counter = registry.counter(
        "imgcache_requests_total", [(label, names[outcome.route]), ("code", "\(entry.status)")])
      requests[outcome] = counter
      return counter
    }
    counter.increment(by: 1)
    durations[outcome.route].recordNanoseconds(nanoseconds)
    answers[entry.source.rawValue].increment(by: 1)
    sentBytes.increment(by: Int64(entry.byteCount))
    if !route.isForOperators { clientBytes.wrappingAdd(entry.byteCount, ordering: .relaxed) }
  }

  // MARK: Readings

  func statuses(of route: (any ServerRoute)? = nil) -> [Int: Int] {
    requests.withLock { requests in
      requests.reduce(into: [:]) { sums, entry in
        guard route == nil || entry.key.route == route?.rawValue else { return }
        sums[entry.key.status, default: 0] += entry.value.value
      }
    }
  }

  func durations(of route: any ServerRoute) -> Histogram { durations[route.rawValue].value }
  func count(of source: Source) -> Int { answers[source.rawValue].value }
  var sentByteCount: Int { sentBytes.value }
  /// The bytes of bodies sent, without those for operators.
  var clientByteCount: Int { clientBytes.load(ordering: .relaxed) }
  var inFlightCount: Int { inFlight.load(ordering: .relaxed) }
}
