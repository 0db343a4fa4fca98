import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Controls accepting: admits connections, pauses while the process has few descriptors left, and
/// empties the backlog before the listener closes.
///
/// Connections do not get the last descriptors: without any, responses cannot open their files, and
/// libdispatch, which reads `/proc` to manage its threads, ends the process. If none are left all
/// the same, NIO stays registered for reading after `accept` has failed, so that the event loop
/// would spin: the connection that could not be accepted keeps the listener readable.
final class AcceptHandler: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  /// Fired to close the listener in order: closing it resets connections that the system has
  /// accepted and the process has not, which still happens to those that arrive between the last
  /// check of the backlog and the close.
  struct Finish: Sendable {}

  private static let pauseTime = TimeAmount.seconds(1)
  /// The number of checks of the backlog without success after which the listener closes
  /// nevertheless. Checks are counted, not time: a process without a processor for a second has not
  /// checked.
  private static let maximumCheckCount = 1000
  private static let maximumFinishCount = 4096

  /// The number of connections that are accepted at once: between two of these times, responses of
  /// those before are sent. Of a few descriptors that many must not be kept for it.
  static let batchCount: UInt = sysconf(Int32(_SC_OPEN_MAX)) < 1024 ? 4 : 16

  private let connections: OpenConnections
  private let maximumConnections: Int
  private let onPause: @Sendable () -> Void
  private var retry: Scheduled<Void>?
  private var isPaused = false
  /// Whether the next connection that closes is to end the pause, if it frees enough.
  private var isAwaitingClose = false
  /// Accepted connections whose pipelines are being built: closing the listener would close them.
  /// They are kept here, so that no other channel gets the identifier of one of them.
  private var pending: [ObjectIdentifier: any Channel] = [:]
  private var isFinishing = false
  private var finishCount = 0
  private var checkCount = 0

  init(
    _ connections: OpenConnections, maximum: Int, onPause: @escaping @Sendable () -> Void
  ) {
    self.connections = connections
    maximumConnections = maximum
    self.onPause = onPause
  }

  func channelActive(context: ChannelHandlerContext) {
    // NIO's handler, which builds the pipelines of accepted connections, is in place by now.
    try? context.pipeline.syncOperations.addHandler(HandoverHandler(self), position: .last)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let accepted = unwrapInboundIn(data)
    pending[ObjectIdentifier(accepted)] = accepted
    connections.admit(accepted, maximum: maximumConnections)
    if isFinishing {
      finishCount += 1
      checkCount = 0
    }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    accepted.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
      bound.value.handedOver(accepted)
    }
    context.fireChannelRead(data)
    if !isFinishing, Self.isShort(context) { pause(context) }
  }

  private func handedOver(_ accepted: any Channel) {
    pending[ObjectIdentifier(accepted)] = nil
  }

  private final class HandoverHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let listener: AcceptHandler

    init(_ listener: AcceptHandler) { self.listener = listener }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.fireChannelRead(data)
      listener.handedOver(unwrapInboundIn(data))
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is Finish else { return context.fireUserInboundEventTriggered(event) }
    guard !isFinishing else { return }
    isFinishing = true
    resume(context)
    finish(context)
  }

  // MARK: Pauses

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
      context.fireErrorCaught(error)
      return
    }
    pause(context)
  }

  private static func isShortage(_ code: CInt) -> Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
  }

  private func pause(_ context: ChannelHandlerContext) {
    guard !isPaused else { return }
    isPaused = true
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    connections.pausedAccepting()
    resumeLater(context)
    onPause()
  }

  private func resumeLater(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let resume: @Sendable () -> Void = {
      let (handler, context) = bound.value
      handler.resume(context)
    }
    retry?.cancel()
    retry = context.eventLoop.scheduleTask(in: Self.pauseTime, resume)
    guard !isAwaitingClose else { return }
    isAwaitingClose = true
    let loop = context.eventLoop
    connections.onNextClose {
      loop.execute {
        bound.value.0.isAwaitingClose = false
        resume()
      }
    }
  }

  private func resume(_ context: ChannelHandlerContext) {
    guard isPaused, context.channel.isActive else { return }
    if !isFinishing, Self.isShort(context) { return resumeLater(context) }
    isPaused = false
    retry?.cancel()
    retry = nil
    try? context.channel.syncOptions?.setOption(.autoRead, value: true)
  }

  /// Whether the process has few descriptors left: a new one gets the lowest number that is free.
  private static func isShort(_ context: ChannelHandlerContext) -> Bool {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    guard limit > 0 else { return false }
    let isShort = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { descriptor in
      let next = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard next >= 0 else { return isShortage(errno) }
      close(next)
      return Int(next) >= limit - reserve(of: limit)
    }
    return isShort ?? false
  }

  /// Descriptors that are not for connections: an eighth of all, at most 16, and as many as are
  /// accepted at once.
  private static func reserve(of limit: Int) -> Int { min(16, limit / 8) + Int(batchCount) }

  func channelInactive(context: ChannelHandlerContext) {
    retry?.cancel()
    retry = nil
    context.fireChannelInactive()
  }

  // MARK: Closing

  /// Closes the listener when its backlog is empty; else checks again in a moment, as the event
  /// loop has to accept.
  private func finish(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .milliseconds(1)) {
      let (handler, context) = bound.value
      guard context.channel.isActive else { return }
      handler.checkCount += 1
      let isDone = handler.pending.isEmpty && !context.isReadable
      if isDone || handler.checkCount > Self.maximumCheckCount
        || handler.finishCount > Self.maximumFinishCount
      {
        context.close(promise: nil)
      } else {
        handler.finish(context)
      }
    }
  }
}

extension ChannelHandlerContext {
  /// Whether the socket has something that the event loop has not read yet: bytes, an end of
  /// stream, or, for a listener, connections.
  var isReadable: Bool {
    let isReadable = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { descriptor in
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) > 0
    }
    return isReadable ?? false
  }
}
