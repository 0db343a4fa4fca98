import NIOCore

/// Passes the replies of a connection to its owner, in order, and reports its end once.
final class ReplyHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  enum Event {
    /// There is a channel, which is not connected yet.
    case opened
    /// It can be written to.
    case active
    /// Bytes arrived, of a reply that may not be whole.
    case progress
    case reply(RedisValue)
    /// The last event.
    case ended(RedisError)
  }

  private var parser: ReplyParser
  private var failure: RedisError?
  private var onEvent: ((Event) -> Void)?

  init(maximumReplyByteCount: Int, onEvent: @escaping (Event) -> Void) {
    parser = ReplyParser(maximumByteCount: maximumReplyByteCount)
    self.onEvent = onEvent
  }

  func handlerAdded(context: ChannelHandlerContext) { onEvent?(.opened) }

  func channelActive(context: ChannelHandlerContext) { onEvent?(.active) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard failure == nil else { return }
    onEvent?(.progress)
    parser.append(unwrapInboundIn(data))
    do throws(ReplyParser.Malformed) {
      while let reply = try parser.next() { onEvent?(.reply(reply)) }
    } catch {
      failure = RedisError(.protocolViolation, "sent \(error.reason)")
      context.close(mode: .all, promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failure = failure ?? error as? RedisError ?? RedisError(.connectionFailed, "\(error)")
    context.close(mode: .all, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    onEvent?(.ended(failure ?? RedisError(.connectionFailed, "the server closed the connection")))
    onEvent = nil
  }
}
