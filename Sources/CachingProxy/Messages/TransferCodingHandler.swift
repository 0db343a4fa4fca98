import HTTPListening
import NIOCore
import NIOHTTP1

/// Refuses a request whose body has a transfer coding other than chunked, with one response, and
/// ends its connection: the end of such a body is unknown (RFC 9112 §6.1, §6.3).
///
/// It follows the handler that passes one request of a connection at a time, and precedes all that
/// respond.
final class TransferCodingHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var hasRefused = false
  private var end: Scheduled<Void>?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if hasRefused { return }
    guard case .head(let head) = unwrapInboundIn(data), let status = Self.refusal(of: head) else {
      return context.fireChannelRead(data)
    }
    hasRefused = true
    let headers: HTTPHeaders = ["Content-Length": "0", "Connection": "close"]
    let refusal = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(refusal)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(mode: .output, promise: nil)
    end = context.closeAfterLingering()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The parser has nothing to add to the refusal.
    if !hasRefused { context.fireErrorCaught(error) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    end = nil
    context.fireChannelInactive()
  }

  /// The status that a request is refused with; `nil` if it is not refused.
  private static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
    let codings = head.headers["Transfer-Encoding"]
    if codings.isEmpty { return nil }
    if head.version != .http1_1 { return .badRequest }
    let isChunked = codings.count == 1 && codings[0].lowercased() == "chunked"
    return isChunked ? nil : .notImplemented
  }
}
