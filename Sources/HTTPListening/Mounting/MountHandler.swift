import NIOCore
import NIOHTTP1

/// Has the requests of ``MountedRoutes`` answered in a pipeline of another server.
final class MountHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let routes: MountedRoutes
  private var head: HTTPRequestHead?
  private var body = ByteBuffer()
  private var isDropping = false
  private var isClosing = false
  private var task: Task<Void, Never>?

  init(_ routes: MountedRoutes) { self.routes = routes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head) where routes.serves(head): begin(head, context)
    case .body(var bytes) where head != nil: body.writeBuffer(&bytes)
    case .end where head != nil || isDropping: end(context)
    case .body where isDropping: break
    default: context.fireChannelRead(data)
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if RequestFacts(head).hasBody, routes.refusal(of: head) != nil {
      // The body is not waited for.
      isDropping = true
      var last = head
      last.headers.replaceOrAdd(name: "Connection", value: "close")
      return respond(to: last, context)
    }
    self.head = head
    if head.headers.first(name: "Expect")?.lowercased() == "100-continue" {
      let interim = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
    }
  }

  private func end(_ context: ChannelHandlerContext) {
    isDropping = false
    if let head {
      self.head = nil
      respond(to: head, context)
    } else if isClosing {
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    task?.cancel()
    context.fireChannelInactive()
  }

  // MARK: Responses

  private func respond(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let (loop, routes, body) = (context.eventLoop, routes, body)
    self.body = ByteBuffer()
    let writer = ResponseWriter(for: head) { part in
      try await loop.flatSubmit { bound.value.0.write(part, bound.value.1) }.get()
    }
    task = Task {
      let answer = await routes.answer(head, body)
      // A failure ends the connection, which is all that the client can be told.
      let isComplete = (try? await answer.write(to: writer)) != nil
      guard !isComplete || !writer.keepsAlive else { return }
      loop.execute { bound.value.0.close(bound.value.1, isComplete: isComplete) }
    }
  }

  /// Writes a part; a head waits for what follows it.
  private func write(
    _ part: HTTPServerResponsePart, _ context: ChannelHandlerContext
  ) -> EventLoopFuture<Void> {
    guard case .head = part else { return context.writeAndFlush(wrapOutboundOut(part)) }
    context.write(wrapOutboundOut(part), promise: nil)
    return context.eventLoop.makeSucceededVoidFuture()
  }

  /// Ends the connection, only its sending side while a body is arriving: the system discards what
  /// it has not delivered if bytes of the client are unread.
  private func close(_ context: ChannelHandlerContext, isComplete: Bool) {
    isClosing = true
    context.close(mode: isComplete && isDropping ? .output : .all, promise: nil)
  }
}
