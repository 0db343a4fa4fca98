public import CoreMetrics
import ImageModel
public import NIOHTTP1

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

  let registry = PrometheusRegistry()
  let connections = OpenConnections()
  let routes: [any ServerRoute]
  let sources: [Source]
  private let route: @Sendable (HTTPRequestHead) -> any ServerRoute
  private let sourceOf: @Sendable (String) -> Source
  private let label: String
  private let names: [String]
  private let lanes = Locked<[MetricsLane]>([])

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
  }

  /// Counts for another thread, which are part of all readings.
  func lane() -> MetricsLane {
    let lane = MetricsLane(RequestCounts(routeCount: routes.count))
    lanes.withLock { $0.append(lane) }
    return lane
  }

  /// What counts for `GET /metrics`, also by swift-metrics.
  public var factory: any MetricsFactory { registry }

  /// Adds to a counter; `GET /metrics` also has one that 0 was added to.
  public func add(_ amount: Int, to counter: String) {
    registry.counter(counter).increment(by: Int64(amount))
  }

  func template(of head: HTTPRequestHead) -> String? { route(head).template(of: head.uri) }

  func isForOperators(_ head: HTTPRequestHead) -> Bool { route(head).isForOperators }

  func source(of cacheStatus: String?) -> Source { cacheStatus.map(sourceOf) ?? .none }

  func answered(_ entry: AccessLog.Entry, nanoseconds: Int64, in lane: MetricsLane) {
    let route = route(entry.head)
    lane.withLock {
      $0.add(
        entry, of: route.rawValue, isForOperators: route.isForOperators, nanoseconds: nanoseconds)
    }
  }

  // MARK: Readings

  /// The sums of all threads.
  var requests: RequestCounts {
    lanes.withLock { $0 }.reduce(into: RequestCounts(routeCount: routes.count)) { sums, lane in
      lane.withLock { sums.add($0) }
    }
  }

  func write(to text: inout PrometheusText, help: [String: String]) {
    let requests = requests
    let outcomes = requests.outcomes.map { outcome, count -> (PrometheusText.Labels, Int) in
      ([(label, names[outcome.route]), ("code", "\(outcome.status)")], count)
    }
    text.counters(
      "imgcache_answers_total", help,
      sources.map { ([("source", "\($0)")], requests.count(of: $0)) })
    text.histograms(
      "imgcache_request_duration_seconds", help,
      zip(names, requests.durations).map { ([(label, $0)], $1) })
    text.counters("imgcache_requests_total", help, outcomes)
    text.counters("imgcache_sent_bytes_total", help, [([], requests.sentByteCount)])
    registry.write(to: &text, help: help)
  }
}

extension RequestCounts {
  /// The responses by status, of one route or of all.
  func statuses(of route: (any ServerRoute)? = nil) -> [Int: Int] {
    outcomes.reduce(into: [:]) { sums, entry in
      guard route == nil || entry.key.route == route?.rawValue else { return }
      sums[entry.key.status, default: 0] += entry.value
    }
  }
}
