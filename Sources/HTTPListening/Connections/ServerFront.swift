import HTTPTypes
public import ImageModel
import NIOCore
public import NIOHTTP1
public import Tracing

/// Answers the requests of a server that have no response ready.
public protocol RequestResponding: Sendable {
  /// Answers a request, whose target is in origin form and whose body may be left unread.
  ///
  /// - Throws: An error if the client has disconnected, or the response broke off: then the
  /// connection is closed.
  func respond(
    to head: HTTPRequestHead, _ body: RequestBody, _ writer: ResponseWriter
  ) async throws
}

/// What the connections of a server share: the rules by which requests are refused before they are
/// routed, and what counts, logs and traces them.
public struct ServerFront: Sendable {
  /// How the server listens, and what its clients may use of it.
  public let listener: ListenerConfiguration
  /// The path in front of those of all requests, with a slash at its start and none at its end.
  /// Requests are routed without it, and refused with 404 where they are not below it. Default:
  /// empty, the root.
  public var pathPrefix = ""
  /// Whether it is that of a proxy: a host is checked only where a request names it with the
  /// listener's own port, as requests name the origin, and heads may have bytes that are not UTF-8
  /// and methods of any name. Default: no.
  public var isOfProxy = false
  /// Whether it is that of the listeners for operators, whose requests are not counted.
  var isForOperators = false
  /// The bounds of the parser, wider than those of ``refusal``, so that most violations get a proper
  /// response.
  public var bounds = NIOHTTPDecoderLimitConfiguration()
  /// Why a request is refused, whatever its target; `nil` if it is not.
  public var refusal: @Sendable (RequestFacts, HTTPRequestHead) -> Problem?
  /// The counters and histograms.
  public let metrics: ServerMetrics
  /// The threads of the tasks that serve connections, which responders may block.
  public var executor: any TaskExecutor
  let log: AccessLog?
  /// The tracer of the server's spans. Default: none.
  public var tracer: (any Tracer)?
  private(set) var dates: DateField
  /// The counts that its requests are added to.
  private(set) var lane: MetricsLane
  /// The pages of other origins that may read responses; `nil` for none.
  let crossOrigin: CrossOriginRule?

  /// Creates the front of a listener, which refuses no request. Its log, if any, has the targets
  /// that `shown` returns for those of requests. Default: the same.
  public init(
    _ listener: ListenerConfiguration, metrics: ServerMetrics,
    clock: @escaping @Sendable () -> Date, on executor: any TaskExecutor,
    log: AccessLog.Configuration?, shown: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.listener = listener
    self.metrics = metrics
    lane = metrics.lane()
    let dates = DateField(clock: clock)
    self.dates = dates
    self.log = log.map {
      AccessLog($0, trusting: listener.trustedProxies, clock: dates, shown: shown)
    }
    self.executor = executor
    crossOrigin = CrossOriginRule(listener.readingOrigins)
    refusal = { _, _ in nil }
  }

  /// The front for one event loop more, which writes to no memory of the others with each request.
  func forAnotherLoop() -> ServerFront {
    var own = self
    own.dates = dates.copy()
    own.lane = metrics.lane()
    return own
  }

  /// The target of a request without the path prefix; `nil` if it is not below that.
  public func routed(_ target: String) -> String? {
    guard !pathPrefix.isEmpty else { return target }
    guard target.hasPrefix(pathPrefix) else { return nil }
    let rest = Substring(target.utf8.dropFirst(pathPrefix.utf8.count))
    switch rest.first {
    case "/": return String(rest)
    case nil, "?": return "/" + rest
    default: return nil
    }
  }

  /// The head of a request, routed.
  func routed(_ head: HTTPRequestHead) -> HTTPRequestHead? {
    // Another target copies the head.
    guard !pathPrefix.isEmpty else { return head }
    guard let target = routed(head.uri) else { return nil }
    var head = head
    head.uri = target
    return head
  }

  /// Adds the fields by which pages of other origins may read the response to a request.
  func addCrossOrigin(to fields: inout HTTPFields, _ head: HTTPRequestHead) {
    guard let crossOrigin, !isForOperators, head.method == .GET || head.method == .HEAD,
      !metrics.isForOperators(head)
    else { return }
    let origins = head.headers["Origin"]
    crossOrigin.add(to: &fields, for: origins.count == 1 ? origins[0] : nil)
  }

  var isTracing: Bool { tracer != nil || log != nil }

  /// The hosts that requests of a connection may name; `nil` for any.
  func hosts(of channel: any Channel, isLoopback: Bool) -> HostRule? {
    guard isLoopback, !listener.serverNames.isEverything else { return nil }
    return HostRule(
      names: listener.serverNames, port: isOfProxy ? channel.localAddress?.port ?? 80 : nil)
  }

  func requestBegan() { lane.withLock { $0.inFlightCount += 1 } }
  func requestEnded() { lane.withLock { $0.inFlightCount -= 1 } }

  func answered(_ entry: AccessLog.Entry, _ trace: RequestTrace?, began: NIODeadline) {
    let nanoseconds = (NIODeadline.now() - began).nanoseconds
    if !isForOperators {
      var routed = entry
      routed.head = self.routed(entry.head) ?? entry.head
      metrics.answered(routed, nanoseconds: nanoseconds, in: lane)
    }
    log?.record(entry, seconds: Double(nanoseconds) / 1e9)
    trace?.end(entry)
  }
}
