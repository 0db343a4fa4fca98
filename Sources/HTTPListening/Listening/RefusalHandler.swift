import NIOCore
import NIOHTTP1

/// Responds to a connection above the limit, whether it sends a request or not, and closes it. It
/// lingers for a moment: a request that is left unread makes the system reset the connection and
/// discard the response, which some clients then do not receive.
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
    for part in problem.refusal(dates) { context.write(wrapOutboundOut(part), promise: nil) }
    context.flush()
    guard lingers else { return context.close(promise: nil) }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    end = context.eventLoop.scheduleTask(in: .seconds(1)) { bound.value.close(promise: nil) }
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
