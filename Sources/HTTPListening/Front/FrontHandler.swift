import HTTPTypes
import NIOCore
import NIOHTTP1

/// Refuses requests out of bounds before they are routed, times, counts and logs all, and answers
/// what the parser refuses. It follows the pipelining handler, which passes on one request at a
/// time.
final class FrontHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private struct Pending {
    var entry: AccessLog.Entry
    var trace: RequestTrace?
    let began = NIODeadline.now()
    var isLast: Bool
  }

  private let front: ServerFront
  private let hosts: HostRule?
  private let hits: HitHandler
  private let timer: ConnectionTimer
  private let presence: ConnectionPresence
  private var pending: Pending?
  private var isBodyDue = false
  /// Whether a request was refused here: its rest and all that follows is dropped.
  private var hasRefused = false
  private var isClosing = false

  init(
    _ front: ServerFront, hosts: HostRule?, hits: HitHandler, timer: ConnectionTimer,
    presence: ConnectionPresence
  ) {
    self.front = front
    self.hosts = hosts
    self.hits = hits
    self.timer = timer
    self.presence = presence
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body: context.fireChannelRead(data)
    case .end:
      isBodyDue = false
      timer.bodyChanged(isReceiving: false)
      context.fireChannelRead(data)
      if pending == nil { endRequest(context) }
    }
  }

  private func begin(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard !isClosing else { return hasRefused = true }
    let facts = RequestFacts(received)
    let routed = front.routed(received)
    let head = routed ?? received
    let problem =
      front.refusal(facts, head) ?? hosts?.problem(for: facts.host)
      ?? (routed == nil ? .notFound : nil)
    timer.requestBegan(isReceiving: facts.hasBody && problem == nil)
    isBodyDue = true
    let trace = RequestTrace(facts, head, front)
    presence.trace = trace
    begin(received, trace, isLast: !received.isKeepAlive)
    if let problem { return refuse(problem, context) }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func begin(_ head: HTTPRequestHead, _ trace: RequestTrace? = nil, isLast: Bool) {
    front.requestBegan()
    var entry = AccessLog.Entry(head)
    entry.traceID = trace?.traceID
    entry.address = presence.address
    pending = Pending(entry: entry, trace: trace, isLast: isLast)
  }

  private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
    isBodyDue = false
    pending?.entry.problem = problem.code
    let hasBody = pending?.entry.head.method != .HEAD
    var others = HTTPFields()
    if let head = pending?.entry.head { front.addCrossOrigin(to: &others, head) }
    for part in problem.refusal(front.dates, hasBody: hasBody, with: others) {
      write(context: context, data: wrapOutboundOut(part), promise: nil)
    }
    context.flush()
    hasRefused = true
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !hasRefused else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if head.status.code >= 200 { record(head) }
      context.write(data, promise: promise)
    case .body(let body):
      pending?.entry.byteCount += body.readableBytes
      context.write(data, promise: promise)
    case .end:
      timer.isOpenEnded = false
      if let ended = pending {
        pending = nil
        conclude(ended)
      }
      context.write(data, promise: promise)
      if !isBodyDue { endRequest(context) }
    }
  }

  private func record(_ head: HTTPResponseHead) {
    timer.isOpenEnded = head.isOpenEnded
    pending?.entry.status = Int(head.status.code)
    pending?.entry.source = front.metrics.source(of: head.headers.first(name: "Cache-Status"))
    if head.headers["Connection"].contains("close") { pending?.isLast = true }
  }

  private func conclude(_ ended: Pending) {
    // A response that ends with the connection is followed by no other.
    if ended.isLast { isClosing = true } else { hits.pendingEnded() }
    count(ended)
  }

  private func count(_ ended: Pending) {
    var entry = ended.entry
    entry.problem = presence.drainProblem() ?? entry.problem
    front.requestEnded()
    front.answered(entry, ended.trace, began: ended.began)
  }

  /// The request has arrived and its response is written.
  private func endRequest(_ context: ChannelHandlerContext) {
    timer.requestEnded()
    if isClosing { context.close(promise: nil) }
  }

  // MARK: Closing

  func channelInactive(context: ChannelHandlerContext) {
    if var left = pending {
      pending = nil
      if left.entry.status == 0 { left.entry.status = AccessLog.Entry.clientLeft }
      count(left)
    }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let fault = error as? HTTPParserError, !hasRefused, !isClosing,
      pending?.entry.status ?? 0 == 0
    else { return context.fireErrorCaught(error) }
    if pending == nil {
      begin(HTTPRequestHead(version: .http1_1, method: .GET, uri: ""), isLast: true)
    }
    pending?.isLast = true
    refuse(fault == .headerOverflow ? .fieldsTooLarge : .malformed, context)
    context.fireErrorCaught(error)
  }
}
