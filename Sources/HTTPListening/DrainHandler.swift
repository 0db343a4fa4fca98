import NIOCore

/// Closes a connection of a draining server only when everything written on it has been sent.
///
/// The pipelining handler closes a connection as soon as its responses are written; what still
/// waits for the client would be dropped. This handler is added first for the drain, where every
/// close passes.
final class DrainHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// Fired when the time for draining is over: the next close drops what waits.
  struct TimeIsOver: Sendable {}

  /// Whether a close has to wait; only the first one does.
  private var isPatient = true

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TimeIsOver { isPatient = false }
    context.fireUserInboundEventTriggered(event)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // A channel that is not active yet would keep a write until it is, which may be never: NIO
    // closes connections that are not registered when their listener closes.
    guard isPatient, mode == .all, context.channel.isActive else {
      return context.close(mode: mode, promise: promise)
    }
    isPatient = false
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in
      context.close(mode: mode, promise: promise)
    }
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
  }
}
