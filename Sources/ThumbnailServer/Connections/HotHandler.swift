import HTTPListening
import NIOCore
import NIOHTTP1

/// Answers from memory before anything else runs: a memory hit or a 304 costs a look-up and two
/// writes.
///
/// It follows the parser, and brings targets into the one form that all handlers behind it read.
/// While a request that it passed on has no response yet, it passes on all others, too, so that
/// responses keep their order; likewise while the client does not read what was written: such a
/// request waits in the handlers behind, and with it all reading.
final class HotHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = IOData

  private let services: FrontHandler.Services
  /// `nil` to allow any host.
  private let hosts: HostRule?
  private let timer: ConnectionTimer
  /// The number of requests that were passed on and have no response yet.
  private var pendingCount = 0
  /// Whether the rest of a request that was answered here is dropped.
  private var isDropping = false
  private var hasWritten = false
  private var isClosing = false
  private var accepted: (lines: String, negotiation: ContentNegotiation)?
  /// The host that the last request was allowed to name.
  private var allowedHost: String?

  init(_ services: FrontHandler.Services, hosts: HostRule?, timer: ConnectionTimer) {
    self.services = services
    self.hosts = hosts
    self.timer = timer
  }

  /// Notes that a request that was passed on has its response.
  func pendingEnded() { pendingCount -= 1 }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let received):
      if isClosing { return }
      let head = received.inOriginForm
      isDropping = answer(head, context)
      guard !isDropping else { return }
      pendingCount += 1
      return context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body: if isDropping || isClosing { return }
    case .end:
      if isDropping || isClosing {
        isDropping = false
        return
      }
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasWritten {
      hasWritten = false
      context.flush()
    }
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The connection is about to end: like after a request without a response, all are passed on.
    if event is ChannelShouldQuiesceEvent { pendingCount += 1 }
    context.fireUserInboundEventTriggered(event)
  }

  /// Answers a request whose response is in memory, if no other request is before it and the client
  /// reads its responses.
  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
    guard pendingCount == 0, context.channel.isWritable, head.method == .GET || head.method == .HEAD
    else { return false }
    let facts = RequestFacts(head)
    guard !facts.needsCare, facts.problem(head, services.limits) == nil, mayName(facts.host),
      let ready = services.memory.response(
        to: head.uri, accepting: { negotiation(facts.accept) })
    else { return false }
    let isKnown = facts.ifNoneMatch == ready.entityTag
    guard isKnown || !facts.isListOfTags else { return false }
    send(ready, isKnown, to: head, facts, context)
    return true
  }

  private func send(
    _ ready: ReadyResponse, _ isKnown: Bool, to request: HTTPRequestHead, _ facts: RequestFacts,
    _ context: ChannelHandlerContext
  ) {
    let began = NIODeadline.now()
    let isKept = request.isKeepAlive
    let head = ready.head(
      isKnown: isKnown, at: services.clock(), date: services.dates.text,
      connection: isKept ? (request.version == .http1_0 ? "keep-alive" : nil) : "close",
      context.channel.allocator)
    let hasBody = !isKnown && request.method == .GET
    context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
    if hasBody { context.write(wrapOutboundOut(.byteBuffer(ready.body)), promise: nil) }
    hasWritten = true
    timer.requestEnded()
    services.accesses?.record(ready.key, byteCount: ready.body.readableBytes)
    let trace = services.isTracing ? RequestTrace(facts, request, services.tracer) : nil
    services.answered(
      AccessLog.Entry(
        method: request.method.rawValue, target: request.uri, status: isKnown ? 304 : 200,
        byteCount: hasBody ? ready.body.readableBytes : 0, tier: .memory, traceID: trace?.traceID),
      trace, began: began)
    if !isKept {
      isClosing = true
      context.writeAndClose(wrapOutboundOut(.byteBuffer(ByteBuffer())))
    }
  }

  /// Whether a request may name a host; a host is checked once in a row.
  private func mayName(_ host: String?) -> Bool {
    guard let hosts, let host, host != allowedHost else { return true }
    guard hosts.allows(host) else { return false }
    allowedHost = host
    return true
  }

  /// What the client accepts: usually the same for every request of a connection.
  private func negotiation(_ accept: String?) -> ContentNegotiation {
    guard let accept else { return .any }
    if let accepted, accepted.lines == accept { return accepted.negotiation }
    let negotiation = ContentNegotiation(accept: [accept])
    accepted = (accept, negotiation)
    return negotiation
  }
}
