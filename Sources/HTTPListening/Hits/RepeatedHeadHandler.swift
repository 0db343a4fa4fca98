import NIOCore

/// Recognises requests that repeat the head of an earlier one on the connection except for the
/// target, and has ``HitHandler`` answer them without parsing them again: the parser and the
/// strings that it creates for each field are a large part of the cost of a hit outside the kernel.
///
/// It is in front of the parser, which would give the same result for the same head. It acts only
/// at the beginning of a request, with the whole head in one read: all other data goes to the
/// parser.
final class RepeatedHeadHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = IOData

  private let hits: HitHandler
  private var known: KnownHead?
  private var isAtStart = true
  private var hasWritten = false
  private var hasPassedOn = false

  init(_ hits: HitHandler) { self.hits = hits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    let isKnown = bytes.withUnsafeReadableBytes { known?.matches($0) } ?? false
    if isAtStart, isKnown, !hits.isParserDone,
      let request = bytes.withUnsafeReadableBytes({ known?.request(of: $0) }),
      hits.answer(request, context)
    {
      hasWritten = true
      return
    }
    let wasAtStart = isAtStart
    hasPassedOn = true
    hits.forgetProgress()
    context.fireChannelRead(data)
    let progress = hits.progress
    // What follows the end of a request and ends with an empty line is blank lines or a whole head,
    // and a head would have been one more part, or an error.
    isAtStart =
      progress.isAtEnd && !hits.isParserDone
      && bytes.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8)
    if isAtStart, wasAtStart, !isKnown, progress.headCount == 1, let request = progress.answered {
      known = bytes.withUnsafeReadableBytes { KnownHead($0, request) }
    }
  }

  /// Sends what was written. The handlers behind are notified only of reads with data for them.
  func channelReadComplete(context: ChannelHandlerContext) {
    let (flushes, passesOn) = (hasWritten, hasPassedOn)
    (hasWritten, hasPassedOn) = (false, false)
    if flushes { context.flush() }
    if passesOn { context.fireChannelReadComplete() }
  }
}
