import NIOCore

/// Ends a connection of a server that drains only when all that was written on it has gone out.
///
/// The handler that lets one request through at a time ends a connection as soon as its answers are written; what waits
/// for the client then would be dropped. This one is put in front of all others for the end, where every close passes.
final class DrainHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// Fired where the time for draining is over: the next close drops what waits.
  struct TimeIsOver: Sendable {}

  /// Whether a close has to wait; only the first one does.
  private var isPatient = true

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TimeIsOver { isPatient = false }
    context.fireUserInboundEventTriggered(event)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard isPatient, mode == .all else { return context.close(mode: mode, promise: promise) }
    isPatient = false
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in
      context.close(mode: mode, promise: promise)
    }
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
  }
}
