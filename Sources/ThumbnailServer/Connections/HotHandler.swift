import HTTPListening
import NIOCore
import NIOHTTP1

/// Answers at once what is hot, in front of everything else: a memory hit or a 304 costs a look-up
/// and two writes.
///
/// It stands right behind the parser, and brings targets into the one form that all behind it read.
/// While a request that it let through is not answered yet, it lets all others through, too, so
/// that answers keep their order. So it does while the client does not take what was written:
/// behind it such a request waits, and with it all reading.
final class HotHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = IOData

  private let services: FrontHandler.Services
  /// `nil` where any host may be named.
  private let hosts: HostRule?
  private let timer: ConnectionTimer
  /// Requests that were let through and are not answered.
  private var pendingCount = 0
  /// The rest of a request that was answered here is dropped.
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

  /// A request that was let through has its answer.
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
    // The connection is about to end: as if a request were never answered, nothing is from here on.
    if event is ChannelShouldQuiesceEvent { pendingCount += 1 }
    context.fireUserInboundEventTriggered(event)
  }

  /// Answers a request where its answer is hot, no other request is before it, and the client takes
  /// its answers.
  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
    guard pendingCount == 0, context.channel.isWritable, head.method == .GET || head.method == .HEAD
    else { return false }
    let facts = RequestFacts(head)
    let now = services.hot.clock()
    guard !facts.needsCare, facts.problem(head, services.limits) == nil, mayName(facts.host),
      let hot = services.hot.answer(
        head.uri, accepting: { negotiation(facts.accept) }, at: now)
    else { return false }
    let isKnown = facts.ifNoneMatch == hot.entityTag
    guard isKnown || !facts.isListOfTags else { return false }
    send(hot, isKnown, to: head, at: now, context)
    return true
  }

  private func send(
    _ hot: HotAnswer, _ isKnown: Bool, to request: HTTPRequestHead, at now: UInt64,
    _ context: ChannelHandlerContext
  ) {
    let began = NIODeadline.now()
    let isKept = request.isKeepAlive
    let head = hot.head(
      isKnown: isKnown, at: now, date: services.dates.text,
      connection: isKept ? (request.version == .http1_0 ? "keep-alive" : nil) : "close",
      context.channel.allocator)
    let hasBody = !isKnown && request.method == .GET
    context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
    if hasBody { context.write(wrapOutboundOut(.byteBuffer(hot.body)), promise: nil) }
    hasWritten = true
    timer.requestEnded()
    services.accesses?.record(hot.key, byteCount: hot.body.readableBytes)
    services.answered(
      FrontHandler.Answered(
        method: request.method, target: request.uri, status: isKnown ? 304 : 200, tier: .memory,
        byteCount: hasBody ? hot.body.readableBytes : 0, began: began))
    if !isKept {
      isClosing = true
      let written = context.eventLoop.makePromise(of: Void.self)
      written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
      context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }
  }

  /// Whether a request may name a host; the same one is checked once.
  private func mayName(_ host: String?) -> Bool {
    guard let hosts, let host, host != allowedHost else { return true }
    guard hosts.allows(host) else { return false }
    allowedHost = host
    return true
  }

  /// Clients say the same on every request of a connection.
  private func negotiation(_ accept: String?) -> ContentNegotiation {
    guard let accept else { return .any }
    if let accepted, accepted.lines == accept { return accepted.negotiation }
    let negotiation = ContentNegotiation(accept: [accept])
    accepted = (accept, negotiation)
    return negotiation
  }
}
