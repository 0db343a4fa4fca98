import NIOCore
import NIOHTTP1

/// Answers a connection that is one too many, whether it asks for something or not, and ends it.
///
/// A moment is left to whoever has something to say: a request that nobody has read makes the
/// system take the answer back with the connection, and some clients then never see it.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = HTTPServerResponsePart

  private let problem: Problem
  private let dates: DateField
  private let lingers: Bool
  private var end: Scheduled<Void>?

  /// The longest that a refused connection stays.
  private static let lingeringTime = TimeAmount.seconds(1)

  /// - Parameter lingers: Whether it may stay for a moment.
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
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    end = context.eventLoop.scheduleTask(in: Self.lingeringTime) {
      bound.value.close(promise: nil)
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Whatever it asks for, it has its answer.
  }

  func channelReadComplete(context: ChannelHandlerContext) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    end = nil
    context.fireChannelInactive()
  }
}
