import NIOCore

/// Closes connections whose timeouts have passed, and each connection in order when the server
/// drains.
///
/// It checks once a second instead of setting a timer for each timeout.
public final class ConnectionTimer: ChannelDuplexHandler {
  /// Bytes of the connection.
  public typealias InboundIn = ByteBuffer
  /// Bytes of the connection.
  public typealias InboundOut = ByteBuffer
  /// Bytes of the connection.
  public typealias OutboundIn = IOData
  /// Bytes of the connection.
  public typealias OutboundOut = IOData

  /// Fired when the server drains: the connection ends after the request in progress.
  ///
  /// A newly accepted connection may have its first request in transit, and a request whose head
  /// has begun to arrive is answered: neither is reset.
  struct Drain: Sendable {}

  private var patience: ConnectionPatience
  private let firstRequestTime: TimeAmount
  private var tick: RepeatedTask?
  private var isReading = false
  /// Whether a request has arrived, so that silence means an idle connection.
  private var hasServed = false
  private var isDraining = false
  private var hasQuiesced = false
  private var context: ChannelHandlerContext?

  /// Applies the limits of a server.
  public init(limits: ConnectionLimits) {
    patience = ConnectionPatience(limits, at: .now())
    firstRequestTime = TimeAmount(limits.firstRequestTime)
  }

  /// Starts the time for the first request.
  public func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let second = TimeAmount.seconds(1)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    tick = context.eventLoop.scheduleRepeatedTask(initialDelay: second, delay: second) { _ in
      let (timer, context) = bound.value
      timer.check(context)
    }
  }

  /// Stops the timer.
  public func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    tick?.cancel()
    tick = nil
  }

  /// Reads on, unless the connection is about to be closed.
  public func read(context: ChannelHandlerContext) {
    isReading = true
    context.read()
  }

  /// Counts bytes that arrive as progress.
  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = false
    patience.heard()
    if patience.isIdle { patience.headBegan(at: .now()) }
    context.fireChannelRead(data)
  }

  /// Counts bytes that the client takes as progress.
  public func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { patience.roomWasMade() }
    context.fireChannelWritabilityChanged()
  }

  /// Notes that the head of a request is complete.
  ///
  /// - Parameter isReceiving: Whether a body is to come that the client does not hold back.
  ///   Default: no.
  public func requestBegan(isReceiving: Bool = false) {
    hasServed = true
    patience.requestBegan(at: .now())
    patience.isReceiving = isReceiving
    if isDraining { quiesceSoon() }
  }

  /// Notes whether more of the request's body is to come now.
  public func bodyChanged(isReceiving: Bool) { patience.isReceiving = isReceiving }

  /// Notes that the response is written and the request's body has arrived.
  public func requestEnded() {
    hasServed = true
    patience.requestEnded(at: .now())
    patience.isReceiving = false
    if isDraining { quiesceSoon() }
  }

  private func check(_ context: ChannelHandlerContext) {
    let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    if patience.isOver(waiting: waiting ?? 0, isReading: isReading, at: .now()) {
      context.close(promise: nil)
    }
  }

  // MARK: Draining

  /// Notes where a request begins and ends.
  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
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

  /// Signals the handlers behind to end the connection after the request in progress. They accept
  /// the event only once.
  private func quiesce() {
    guard !hasQuiesced, let context else { return }
    hasQuiesced = true
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }
}
