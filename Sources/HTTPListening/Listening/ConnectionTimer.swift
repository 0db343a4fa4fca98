import NIOCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Closes a connection: when a timeout has passed, in order when the server drains, and for the
/// handlers behind it, which are all others, only when everything they have written has been sent.
/// It checks once a second instead of setting a timer for each timeout.
///
/// It is the first handler. What is written is passed on to the channel itself: in front of it NIO
/// has one handler for all channels, and all threads would write to its count of references.
final class ConnectionTimer: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// Fired when the server drains: the connection ends after the request in progress. A newly
  /// accepted connection may have its first request in transit, and a request whose head has begun
  /// to arrive is answered: neither is reset.
  struct Drain: Sendable {}
  /// Fired when the time for draining is over: the connection ends at once.
  struct Cut: Sendable {}

  /// Whether the end of the response that is being written is that of the connection: its client
  /// notices only by a reset that it is not complete.
  var isOpenEnded = false
  private var isClosing = false
  private var lingering: Scheduled<Void>?
  private var patience: ConnectionPatience
  private let firstRequestTime: TimeAmount
  private var tick: RepeatedTask?
  private var isReading = false
  /// Whether a request has arrived, so that silence means an idle connection.
  private var hasServed = false
  private var isDraining = false
  private var hasQuiesced = false
  private var context: ChannelHandlerContext?

  init(limits: ConnectionLimits) {
    patience = ConnectionPatience(limits, at: .now())
    firstRequestTime = TimeAmount(limits.firstRequestTime)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let second = TimeAmount.seconds(1)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    tick = context.eventLoop.scheduleRepeatedTask(initialDelay: second, delay: second) { _ in
      let (timer, context) = bound.value
      timer.check(context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    tick?.cancel()
    tick = nil
  }

  func read(context: ChannelHandlerContext) {
    isReading = true
    context.channel._channelCore.read0()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isClosing { return }
    isReading = false
    patience.heard(unwrapInboundIn(data).readableBytes)
    if patience.isIdle { patience.headBegan(at: .now()) }
    context.fireChannelRead(data)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    patience.wrote(unwrapOutboundIn(data).readableBytes)
    context.channel._channelCore.write0(data, promise: promise)
  }

  func flush(context: ChannelHandlerContext) { context.channel._channelCore.flush0() }

  /// - Parameter isReceiving: Whether a body is to come that the client does not hold back.
  func requestBegan(isReceiving: Bool = false) {
    hasServed = true
    patience.requestBegan(at: .now())
    patience.isReceiving = isReceiving
    if isDraining { quiesceSoon() }
  }

  func bodyChanged(isReceiving: Bool) { patience.isReceiving = isReceiving }

  func requestEnded() {
    hasServed = true
    patience.requestEnded(at: .now())
    patience.isReceiving = false
    if isDraining { quiesceSoon() }
  }

  private func check(_ context: ChannelHandlerContext) {
    let waiting = context.bufferedByteCount + context.unacknowledgedByteCount
    if patience.isOver(waiting: waiting, isReading: isReading, at: .now()) { abort(context) }
  }

  // MARK: Closing

  /// Closes the connection when all that was written has been sent: whatever closes it, the client
  /// receives every response that is complete. How long a client may take is up to the timeouts.
  ///
  /// A channel that is not active yet would keep a write until it is, which may be never: NIO closes
  /// connections that are not registered when their listener closes.
  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
  ) {
    guard mode == .all, context.channel.isActive else {
      return context.close(mode: mode, promise: promise)
    }
    context.channel.closeFuture.cascade(to: promise)
    if isOpenEnded { return abort(context) }
    if isClosing { return }
    isClosing = true
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenComplete { _ in self.closeSent(context) }
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: sent)
  }

  /// Closes the connection after the last write. With bytes of the client unread, also with some that
  /// come later, the system would discard what it has not delivered yet: they are read until the
  /// client has all of the response, those that are there for a moment more.
  private func closeSent(_ context: ChannelHandlerContext) {
    let isReadable = context.channel.isActive && context.isReadable
    guard context.channel.isActive, isReadable || context.unacknowledgedByteCount > 0 else {
      return context.close(promise: nil)
    }
    context.close(mode: .output, promise: nil)
    linger(for: isReadable ? .seconds(1) : .milliseconds(10), context)
    context.read()
  }

  private func linger(for time: TimeAmount, _ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    lingering = context.eventLoop.scheduleTask(in: time) {
      let (timer, context) = bound.value
      // The end counts as a byte.
      guard context.unacknowledgedByteCount > 1 else { return context.close(promise: nil) }
      timer.linger(for: min(time * 2, .seconds(1)), context)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if lingering != nil { context.read() }
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    lingering?.cancel()
    lingering = nil
    context.fireChannelInactive()
  }

  /// Closes the connection at once. If a response is not sent completely, the client gets a reset:
  /// the end of the connection may also be that of a complete body.
  private func abort(_ context: ChannelHandlerContext) {
    if isOpenEnded || context.bufferedByteCount > 0 {
      _ = (context.channel as? any SocketOptionProvider)?
        .setSoLinger(.init(l_onoff: 1, l_linger: 0))
    }
    context.close(promise: nil)
  }

  // MARK: Draining

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Cut { abort(context) }
    guard event is Drain else { return context.fireUserInboundEventTriggered(event) }
    isDraining = true
    guard patience.isIdle else {
      // A head that has begun to arrive is waited for; a request in progress is told now.
      if patience.isWorking { quiesce() }
      return
    }
    quiesce(in: hasServed ? .zero : firstRequestTime)
  }

  /// Ends an idle connection after a time, and not before what has arrived is read: on a busy
  /// machine the time may pass before the event loop has read at all.
  private func quiesce(in time: TimeAmount) {
    guard let context else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: time) {
      let timer = bound.value
      guard timer.patience.isIdle, let context = timer.context else { return }
      if context.isReadable { timer.quiesce(in: .milliseconds(10)) } else { timer.quiesce() }
    }
  }

  /// Ends the connection later: the handlers behind this one are in the middle of a request's head
  /// or of a response's end.
  private func quiesceSoon() {
    guard let context else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.execute { bound.value.quiesce() }
  }

  /// The handlers behind accept the event only once.
  private func quiesce() {
    guard !hasQuiesced, let context else { return }
    hasQuiesced = true
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }
}

extension ChannelHandlerContext {
  /// Bytes that are written and that the system has not taken.
  fileprivate var bufferedByteCount: Int {
    (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  /// Bytes that the system has taken and the client's has not. The system's buffer holds megabytes,
  /// and takes more only when a third is free, so a slow client would seem to read nothing for long.
  fileprivate var unacknowledgedByteCount: Int {
    #if canImport(Glibc)
      let count = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(
        of: NIOBSDSocket.Handle.self
      ) { descriptor in
        var count: CInt = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
      }
      return count ?? 0
    #else
      return 0
    #endif
  }
}
