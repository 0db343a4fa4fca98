import HTTPCaching
import HTTPListening
import NIOCore
import NIOHTTP1

/// Answers requests whose response is ready, on the event loop: a look-up, a check that nothing has
/// changed, and two writes.
///
/// It follows the parser, and passes on all that it does not answer: what the rules of HTTP have to
/// decide again, and what is not in memory. While a request that it passed on has no response yet, it
/// passes on all others, too, so that responses keep their order; likewise while the client does not
/// read what was written: such a request waits in the handlers behind, and with it all reading.
final class HitHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = IOData

  private let services: ProxyServices
  private let place: FieldBytes.Place
  /// `nil` to allow any host.
  private let hosts: HostRule?
  private let timer: ConnectionTimer
  /// The number of requests that were passed on and have no response yet.
  private var pendingCount = 0
  /// Whether the rest of a request that was answered here is dropped.
  private var isDropping = false
  private var hasWritten = false
  private var isClosing = false
  /// The host that the last request was allowed to name.
  private var allowedHost: String?

  init(
    _ services: ProxyServices, _ place: FieldBytes.Place, hosts: HostRule?, timer: ConnectionTimer
  ) {
    self.services = services
    self.place = place
    self.hosts = hosts
    self.timer = timer
  }

  /// Notes that a request that was passed on has its response, after which the connection goes on.
  func pendingEnded() { pendingCount -= 1 }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = place.received(unwrapInboundIn(data))
    switch part {
    case .head(let head):
      if isClosing { return }
      isDropping = answer(head, context)
      guard !isDropping else { return }
      pendingCount += 1
    case .body: if isDropping || isClosing { return }
    case .end:
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

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The connection is about to end: like after a request without a response, all are passed on.
    if event is ChannelShouldQuiesceEvent { pendingCount += 1 }
    context.fireUserInboundEventTriggered(event)
  }

  /// Answers a request whose response is ready, if no other request is before it and the client
  /// reads its responses.
  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
    guard pendingCount == 0, context.channel.isWritable,
      head.method == .GET || head.method == .HEAD,
      head.version == .http1_1 || head.version == .http1_0,
      let candidates = services.ready.responses(to: head.uri)
    else { return false }
    let facts = RequestFacts(head)
    guard !facts.needsCare, !facts.concernsCaches, !facts.hasBody,
      facts.namesHost(in: head.version), mayName(facts.host),
      let ready = candidates.first(where: { $0.isSelected(by: head.headers) })
    else { return false }
    let isKnown = facts.ifNoneMatch != nil && facts.ifNoneMatch == ready.entityTag
    guard isKnown || facts.ifNoneMatch == nil || !facts.isListOfTags && !ready.needsComparison
    else {
      return false
    }
    let now = services.clock()
    let hasBody = head.method == .GET && !isKnown
    guard ready.isFresh(at: now),
      let body = services.store.reuse(
        ready.key, of: ready.url, at: ready.revision, needsBody: hasBody),
      let content = Self.content(of: body, byteCount: hasBody ? ready.byteCount : 0)
    else { return false }
    let isKept = head.isKeepAlive
    let responseHead = ready.head(
      isKnown: isKnown, at: now,
      connection: isKept ? (head.version == .http1_0 ? "keep-alive" : nil) : "close",
      context.channel.allocator)
    context.write(wrapOutboundOut(.byteBuffer(responseHead)), promise: nil)
    write(content, of: body, context)
    hasWritten = true
    timer.requestEnded()
    if !isKept {
      isClosing = true
      context.writeAndClose(wrapOutboundOut(.byteBuffer(ByteBuffer())))
    }
    return true
  }

  /// A body as it is written, without a copy where it is in a file or in a buffer; `nil` if it cannot
  /// be read or has another length.
  private static func content(of body: any StoredBody, byteCount: Int) -> IOData? {
    if let descriptor = body.descriptor {
      let file = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
      return .fileRegion(FileRegion(fileHandle: file, readerIndex: 0, endIndex: byteCount))
    }
    let buffer: ByteBuffer
    if let body = body as? BufferBody {
      buffer = body.buffer
    } else if let bytes = body as? [UInt8] ?? (try? body.read(at: 0, count: byteCount)) {
      buffer = ByteBuffer(bytes: bytes)
    } else {
      return nil
    }
    return buffer.readableBytes == byteCount ? .byteBuffer(buffer) : nil
  }

  private func write(
    _ content: IOData, of body: any StoredBody, _ context: ChannelHandlerContext
  ) {
    switch content {
    case .byteBuffer(let buffer):
      if buffer.readableBytes > 0 { context.write(wrapOutboundOut(content), promise: nil) }
    case .fileRegion(let region):
      let written = context.eventLoop.makePromise(of: Void.self)
      // The body closes its file, which other responses may be sending, too.
      written.futureResult.whenComplete { _ in
        _ = try? region.fileHandle.takeDescriptorOwnership()
        withExtendedLifetime(body) {}
      }
      context.write(wrapOutboundOut(content), promise: written)
    }
  }

  /// Whether a request may name a host; a host is checked once in a row.
  private func mayName(_ host: String?) -> Bool {
    guard let hosts, let host, host != allowedHost else { return true }
    guard hosts.allows(host) else { return false }
    allowedHost = host
    return true
  }
}
