public import NIOCore
import NIOHTTP1

/// Gives the responses that are ready to one connection, on its event loop.
public protocol HitResponding: AnyObject {
  /// Writes the response to a request whose host is allowed, as `IOData`, without flushing, if it
  /// is ready; returns whether it was written.
  func respond(to request: HitRequest, _ context: ChannelHandlerContext) -> Bool
}

/// Prepares one event loop, whose own front it gets, and returns what makes the responders of its
/// connections.
public typealias LoopHits =
  @Sendable (ServerFront) -> (ConnectionPresence) -> any HitResponding

/// Answers requests whose response is ready, on the event loop, before anything else runs.
///
/// It follows the parser, and passes on all that it does not answer. While a request that it passed
/// on has no response yet, it passes on all others, too, so that responses keep their order;
/// likewise while the client does not read what was written: such a request waits in the handlers
/// behind, and with it all reading.
final class HitHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = IOData

  private let responder: (any HitResponding)?
  private let place: FieldBytes.Place?
  private let hosts: HostRule?
  private let timer: ConnectionTimer
  /// The number of requests that were passed on and have no response yet.
  private var pendingCount = 0
  private var isDropping = false
  private var hasWritten = false
  private var isClosing = false
  private var allowedHost: String?
  /// Whether the responder has no response to the request whose head the parser gets now.
  private var hasDeclined = false

  /// The parser's result for one read.
  struct Progress {
    var headCount = 0
    var isAtEnd = false
    var answered: HitRequest?
  }
  private(set) var progress = Progress()

  /// Whether the parser does not go on: it has failed, or had the last request of the connection or
  /// one after which another protocol may follow.
  private(set) var isParserDone = false
  /// Whether the request that the parser is at is the last one of the connection.
  private var isLast = false
  /// Whether what the parser still reports is of no request: it has failed, or had the last one.
  private var isOver = false

  init(
    _ responder: (any HitResponding)?, _ place: FieldBytes.Place?, hosts: HostRule?,
    timer: ConnectionTimer
  ) {
    self.responder = responder
    self.place = place
    self.hosts = hosts
    self.timer = timer
  }

  /// Notes that a request that was passed on has its response, after which the connection goes on.
  func pendingEnded() { pendingCount -= 1 }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let parsed = unwrapInboundIn(data)
    var part = place?.received(parsed) ?? parsed
    switch part {
    case .head(let received):
      if isClosing { return }
      var head = received.inOriginForm
      part = .head(head)
      let facts = RequestFacts(head)
      // Another form of the target may have lost what the parser goes by.
      var isKeptAlive = received.isKeepAlive
      if isKeptAlive, head.method == .CONNECT || facts.asksForUpgrade {
        // The parser stops, as another protocol could follow; there is none here (RFC 9110 §7.8).
        isKeptAlive = false
        head.headers.add(name: "Connection", value: "close")
        part = .head(head)
      }
      if !isKeptAlive { (isParserDone, isLast) = (true, true) }
      let request = HitRequest(head, facts, isKeptAlive: isKeptAlive)
      isDropping = !hasDeclined && (request.map { answer($0, context) } ?? false)
      hasDeclined = false
      progress = Progress(
        headCount: progress.headCount + 1, answered: isDropping ? request : nil)
      hasWritten = hasWritten || isDropping
      guard !isDropping else { return }
      pendingCount += 1
    case .body: if isDropping || isClosing { return }
    case .end:
      progress.isAtEnd = true
      isOver = isOver || isLast
      if isDropping || isClosing {
        isDropping = false
        return
      }
    }
    context.fireChannelRead(wrapInboundOut(part))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasWritten {
      hasWritten = false
      context.flush()
    }
    context.fireChannelReadComplete()
  }

  /// Passes on all requests that follow the event that ends the connection.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The connection is about to end: like after a request without a response, all are passed on.
    if event is ChannelShouldQuiesceEvent { pendingCount += 1 }
    context.fireUserInboundEventTriggered(event)
  }

  /// Notes that the parser has failed. It may report two faults of one request, which gets one
  /// response, and faults of what follows the last request, which is ignored (RFC 9112 §9.6).
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    isParserDone = true
    if error is HTTPParserError {
      if isOver { return }
      isOver = true
    }
    context.fireErrorCaught(error)
  }

  func forgetProgress() { progress = Progress() }

  /// Writes the response to a request, if it is ready, no other request is before this one, and the
  /// client reads its responses.
  func answer(_ request: HitRequest, _ context: ChannelHandlerContext) -> Bool {
    guard pendingCount == 0, !isClosing, context.channel.isWritable, mayName(request.facts.host)
    else { return false }
    guard responder?.respond(to: request, context) == true else {
      hasDeclined = true
      return false
    }
    timer.requestEnded()
    if !request.isKeptAlive {
      isClosing = true
      let written = context.eventLoop.makePromise(of: Void.self)
      written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
      context.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer())), promise: written)
    }
    return true
  }

  /// Whether a request may name a host; a host is checked once in a row.
  private func mayName(_ host: String?) -> Bool {
    guard let hosts, let host, host != allowedHost else { return true }
    guard hosts.allows(host) else { return false }
    allowedHost = host
    return true
  }
}
