import NIOCore

/// Ends connections that take too long over something. It looks once a second at what goes on instead of setting a timer
/// for each thing.
final class ConnectionTimer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var patience: ConnectionPatience
  private var tick: RepeatedTask?

  init(limits: ConnectionLimits) {
    patience = ConnectionPatience(limits, at: .now())
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let second = TimeAmount.seconds(1)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    tick = context.eventLoop.scheduleRepeatedTask(initialDelay: second, delay: second) { _ in
      let (timer, context) = bound.value
      timer.look(context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    tick?.cancel()
    tick = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if patience.isIdle { patience.headBegan(at: .now()) }
    context.fireChannelRead(data)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { patience.roomWasMade() }
    context.fireChannelWritabilityChanged()
  }

  /// The head of a request is whole.
  func requestBegan() { patience.requestBegan(at: .now()) }
  /// Its answer is written.
  func requestEnded() { patience.requestEnded(at: .now()) }

  private func look(_ context: ChannelHandlerContext) {
    let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    if patience.isOver(waiting: waiting ?? 0, at: .now()) { context.close(promise: nil) }
  }
}
