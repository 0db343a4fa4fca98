import ImageModel

/// Counts of requests and their responses.
struct RequestCounts: Sendable {
  struct Outcome: Hashable {
    let route: Int
    let status: Int
  }

  /// Responses.
  private(set) var outcomes: [Outcome: Int] = [:]
  /// From a request's head to the end of its response, by route.
  private(set) var durations: [Histogram]
  private var sources = [Int](repeating: 0, count: ServerMetrics.Source.allCases.count)
  /// Bytes of bodies.
  private(set) var sentByteCount = 0
  /// The same, without those for operators.
  private(set) var clientByteCount = 0
  /// Requests without a complete response; in one lane of several it may be negative.
  var inFlightCount = 0

  init(routeCount: Int) { durations = Array(repeating: Histogram(), count: routeCount) }

  func count(of source: ServerMetrics.Source) -> Int { sources[source.rawValue] }

  mutating func add(
    _ entry: AccessLog.Entry, of route: Int, isForOperators: Bool, nanoseconds: Int64
  ) {
    outcomes[Outcome(route: route, status: entry.status), default: 0] += 1
    durations[route].add(Double(nanoseconds) / 1e9)
    sources[entry.source.rawValue] += 1
    sentByteCount += entry.byteCount
    if !isForOperators { clientByteCount += entry.byteCount }
  }

  mutating func add(_ other: RequestCounts) {
    outcomes.merge(other.outcomes, uniquingKeysWith: +)
    for index in durations.indices { durations[index].add(other.durations[index]) }
    for index in sources.indices { sources[index] += other.sources[index] }
    sentByteCount += other.sentByteCount
    clientByteCount += other.clientByteCount
    inFlightCount += other.inFlightCount
  }
}

/// The counts that one event loop adds to. Each has its own, so that the threads of a server do not
/// write to the same memory with every request.
typealias MetricsLane = Locked<RequestCounts>
