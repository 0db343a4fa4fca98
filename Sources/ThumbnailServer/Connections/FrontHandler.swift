import HTTPListening
import ImagePipeline
import NIOCore
import NIOHTTP1
import Tracing

/// Refuses requests out of bounds before the routes see them, and counts, dates and logs the
/// responses.
///
/// It follows the pipelining handler, which passes on one request of a connection at a time.
final class FrontHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The services that all connections of a server share.
  struct Services: Sendable {
    let memory: ResponseCache
    /// The clock of ``memory``.
    let clock: @Sendable () -> UInt64
    let metrics: ServerMetrics
    let accesses: CacheTraceRecorder?
    let log: AccessLog?
    let dates: DateField
    let limits: ConnectionLimits
    let tracer: (any Tracer)?

    /// Whether the trace of a request from memory is of use.
    var isTracing: Bool { tracer != nil || log != nil }

    /// Counts and logs a response, and ends its span.
    func answered(_ entry: AccessLog.Entry, _ trace: RequestTrace?, began: NIODeadline) {
      let nanoseconds = (NIODeadline.now() - began).nanoseconds
      metrics.answered(
        ServerMetrics.Route(target: entry.target), status: entry.status, tier: entry.tier,
        byteCount: entry.byteCount, nanoseconds: nanoseconds)
      log?.note(entry, seconds: Double(nanoseconds) / 1e9)
      trace?.end(entry)
    }
  }

  /// A request whose response is not written yet.
  private struct Exchange {
    var entry: AccessLog.Entry
    var trace: RequestTrace?
    let began = NIODeadline.now()
    let version: HTTPVersion
    /// Whether it was refused here and its rest is dropped.
    let isRefused: Bool
    var closes: Bool
  }

  /// The status that is counted and logged for a client that closed the connection before its
  /// response began, as in nginx.
  static let clientLeft = 499

  private let services: Services
  /// `nil` to allow any host.
  private let hosts: HostRule?
  private let timer: ConnectionTimer
  private let presence: ClientPresence
  private var exchange: Exchange?
  private var isClosing = false
  private let hits: HitHandler

  init(
    _ services: Services, hosts: HostRule?, hits: HitHandler, timer: ConnectionTimer,
    presence: ClientPresence
  ) {
    self.services = services
    self.hosts = hosts
    self.hits = hits
    self.timer = timer
    self.presence = presence
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, data, context)
    case .body:
      if exchange?.isRefused != true { context.fireChannelRead(data) }
    case .end:
      timer.bodyChanged(isReceiving: false)
      if exchange?.isRefused == false { context.fireChannelRead(data) }
    }
  }

  private func begin(
    _ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext
  ) {
    guard !isClosing else { return }
    services.metrics.requestBegan()
    let facts = RequestFacts(head)
    let maximumBody =
      head.method == .POST && head.uri == "/purge" ? PurgeRequest.maximumByteCount : 0
    let problem =
      facts.problem(head, services.limits, maximumBody: maximumBody)
      ?? hosts?.problem(for: facts.host)
    timer.requestBegan(isReceiving: facts.hasBody && problem == nil)
    let trace = RequestTrace(facts, head, services.tracer)
    presence.scope = trace?.scope
    exchange = Exchange(
      entry: AccessLog.Entry(
        method: head.method.rawValue, target: head.uri, traceID: trace?.traceID),
      trace: trace, version: head.version, isRefused: problem != nil,
      closes: problem != nil || !head.isKeepAlive)
    if let problem { refuse(problem, context) } else { context.fireChannelRead(data) }
  }

  private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
    let (head, body) = problem.refusal
    respond(head, body: exchange?.entry.method == "HEAD" ? nil : body, context)
  }

  /// Writes a complete response.
  private func respond(
    _ head: HTTPResponseHead, body: ByteBuffer?, _ context: ChannelHandlerContext
  ) {
    write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
    if let body {
      write(context: context, data: wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
    context.flush()
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      finishHead(&head)
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let body):
      exchange?.entry.byteCount += body.readableBytes
      context.write(data, promise: promise)
    case .end:
      guard let ended = exchange else { return context.write(data, promise: promise) }
      exchange = nil
      timer.isOpenEnded = false
      conclude(ended)
      if ended.closes {
        isClosing = true
        context.writeAndClose(data, promise: promise)
      } else {
        context.write(data, promise: promise)
      }
    }
  }

  private func finishHead(_ head: inout HTTPResponseHead) {
    guard let version = exchange?.version else { return }
    head.headers.replaceOrAdd(name: "Date", value: services.dates.text)
    if head.status.code == 400, head.headers.contains(name: "Connection") {
      // Hummingbird answers a malformed request, and then closes the connection.
      exchange?.closes = true
    }
    if version == .http1_0, head.headers.contains(name: "Transfer-Encoding") {
      // HTTP/1.0 has no chunks: the body ends with the connection (RFC 9112 §6.1).
      head.headers.remove(name: "Transfer-Encoding")
      exchange?.closes = true
    }
    if exchange?.closes == true {
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    } else if version == .http1_0 {
      head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
    }
    // Hummingbird gives every response a length (RFC 9110 §8.6: a 204 has none, a 304 that of a
    // 200).
    if head.status == .notModified || head.status == .noContent {
      head.headers.remove(name: "Content-Length")
    }
    timer.isOpenEnded = head.isOpenEnded
    exchange?.entry.status = Int(head.status.code)
    exchange?.entry.tier = ServerMetrics.Tier(status: head.headers.first(name: "Cache-Status"))
  }

  private func conclude(_ ended: Exchange) {
    timer.requestEnded()
    // A response that ends with the connection is followed by no other.
    if !ended.closes { hits.pendingEnded() }
    services.metrics.requestEnded()
    services.answered(ended.entry, ended.trace, began: ended.began)
  }

  // MARK: Closing

  func channelInactive(context: ChannelHandlerContext) {
    if var left = exchange {
      exchange = nil
      services.metrics.requestEnded()
      if left.entry.status == 0 { left.entry.status = Self.clientLeft }
      services.answered(left.entry, left.trace, began: left.began)
    }
    presence.connection.leave()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard exchange == nil, !isClosing, error is HTTPParserError else {
      context.fireErrorCaught(error)
      return
    }
    services.metrics.requestBegan()
    exchange = Exchange(
      entry: AccessLog.Entry(method: "GET", target: ""), version: .http1_1,
      isRefused: true, closes: true)
    let isTooLong = (error as? HTTPParserError) == .headerOverflow
    refuse(
      isTooLong
        ? Problem(
          .requestHeaderFieldsTooLarge, "fields_too_large", "The request's head is too large.")
        : Problem(.badRequest, "bad_request", "Malformed HTTP request."), context)
  }
}
