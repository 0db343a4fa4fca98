import NIOCore
import NIOHTTP1

/// Responds to a connection above the limit, whether it sends a request or not, and closes it.
///
/// The connection lingers for a moment: a request that is left unread makes the system reset the
/// connection and discard the response, which some clients then do not receive.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = HTTPServerResponsePart

  private let problem: Problem
  private let dates: DateField
  private let lingers: Bool
  private var end: Scheduled<Void>?

  init(_ problem: Problem, _ dates: DateField, lingers: Bool) {
    self.problem = problem
    self.dates = dates
    self.lingers = lingers
  }

  func channelActive(context: ChannelHandlerContext) {
    var (head, body) = problem.refusal
    head.headers.add(name: "Date", value: dates.text)
    head.headers.add(name: "Connection", value: "close")
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    guard lingers else { return context.close(promise: nil) }
    end = context.closeAfterLingering()
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Whatever the request, its response is written already.
  }

  func channelReadComplete(context: ChannelHandlerContext) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    end = nil
    context.fireChannelInactive()
  }
}

extension ChannelHandlerContext {
  /// Closes the connection after the second in which its client may read the last response: the
  /// system discards a response if data of the client is unread at the close.
  func closeAfterLingering() -> Scheduled<Void> {
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    return eventLoop.scheduleTask(in: .seconds(1)) { bound.value.close(promise: nil) }
  }

  /// Writes data, and closes the connection when all that was written has been sent.
  func writeAndClose(_ data: NIOAny, promise: EventLoopPromise<Void>? = nil) {
    let written = promise ?? eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { _ in self.close(promise: nil) }
    writeAndFlush(data, promise: written)
  }
}
