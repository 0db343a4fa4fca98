import NIOCore

/// Keeps one connection subscribed, to any node: a cluster passes messages on to all.
///
/// Confined to its event loop.
final class SubscriptionLoop {
  private let channels: [String]
  private let connector: RedisConnector
  private let loop: any EventLoop
  /// The servers to try, in order.
  private let candidates: () -> [RedisEndpoint]
  private let continuation: AsyncStream<RedisSubscriptionEvent>.Continuation
  private var channel: (any Channel)?
  /// Counts connections; events of earlier ones are not taken.
  private var number = 0
  private var failureCount = 0
  private var lastProgress = NIODeadline.uptimeNanoseconds(0)
  /// Replies that come before those to `SUBSCRIBE`.
  private var entranceReplyCount = 0
  private var confirmedCount = 0
  private(set) var isStopped = false
  /// An event that found no room: messages were missed.
  private var overflow: RedisError?

  /// The time between two signs of life that are asked for; after two without one the connection is
  /// given up.
  private static let heartbeat = TimeAmount.seconds(5)
  private static let shortestPause = TimeAmount.milliseconds(100)
  private static let longestPause = TimeAmount.seconds(2)

  init(
    _ channels: [String], _ connector: RedisConnector,
    _ continuation: AsyncStream<RedisSubscriptionEvent>.Continuation,
    candidates: @escaping () -> [RedisEndpoint]
  ) {
    self.channels = channels
    self.connector = connector
    self.continuation = continuation
    self.candidates = candidates
    loop = connector.loop
  }

  func stop() {
    isStopped = true
    continuation.finish()
    number += 1
    channel?.close(mode: .all, promise: nil)
    channel = nil
  }

  // MARK: Connection

  func connect() {
    let candidates = candidates()
    guard !isStopped, !candidates.isEmpty else { return stop() }
    let endpoint = candidates[failureCount % candidates.count]
    number += 1
    let number = number
    (entranceReplyCount, confirmedCount) = (0, 0)
    connector.connect(to: endpoint) { [weak self] channel, event in
      guard let self, self.number == number else {
        channel?.close(mode: .all, promise: nil)
        return
      }
      take(event, of: channel, at: endpoint)
    }
    // Neither a name that does not resolve nor a server that says nothing may hold it up.
    after(Self.heartbeat) { subscription in
      guard subscription.number == number, subscription.confirmedCount == 0 else { return }
      subscription.lose(RedisError(.timedOut, "did not confirm the subscription", node: endpoint))
    }
  }

  private func take(
    _ event: ReplyHandler.Event, of channel: (any Channel)?, at endpoint: RedisEndpoint
  ) {
    switch event {
    case .active:
      guard let channel else { return }
      self.channel = channel
      let entrance = connector.entranceCommands
      entranceReplyCount = entrance.count
      let arguments = channels.map { RedisCommand.Argument($0) }
      write(entrance + [RedisCommand("SUBSCRIBE", arguments, keyPosition: nil)])
    case .progress: lastProgress = .now()
    case .reply(let reply): take(reply, at: endpoint)
    case .ended(let error): lose(RedisError(error.code, error.message, node: endpoint))
    }
  }

  private func write(_ commands: [RedisCommand]) {
    var buffers: [ByteBuffer] = []
    for command in commands { command.encode(into: &buffers) }
    for buffer in buffers { channel?.write(buffer, promise: nil) }
    channel?.flush()
  }

  private func take(_ reply: RedisValue, at endpoint: RedisEndpoint) {
    if entranceReplyCount > 0 {
      entranceReplyCount -= 1
      // The first one tells whether it may enter; a server of no cluster refuses the other.
      if entranceReplyCount > 0, case .error(let error) = reply {
        lose(RedisError(error, from: endpoint))
      }
      return
    }
    if case .error(let error) = reply { return lose(RedisError(error, from: endpoint)) }
    guard let fields = reply.array, let kind = fields.first?.text else { return }
    switch kind {
    case "subscribe":
      confirmedCount += 1
      guard confirmedCount == channels.count else { return }
      failureCount = 0
      yield(.subscribed)
      watch(number)
    case "message":
      if fields.count == 3, let name = fields[1].text, let payload = fields[2].bytes {
        yield(.message(channel: name, payload))
      }
    default: return
    }
  }

  /// Asks for signs of life.
  private func watch(_ number: Int) {
    after(Self.heartbeat) { subscription in
      guard subscription.number == number else { return }
      guard subscription.lastProgress + Self.heartbeat + Self.heartbeat > .now() else {
        return subscription.lose(RedisError(.timedOut, "the subscription is silent"))
      }
      subscription.write([RedisCommand("PING", keyPosition: nil)])
      subscription.watch(number)
    }
  }

  /// Gives the connection up, and tries again after a while.
  private func lose(_ error: RedisError) {
    number += 1
    let channel = channel
    self.channel = nil
    channel?.close(mode: .all, promise: nil)
    yield(.lost(error))
    let factor = Int64(1) << min(failureCount, 5)
    failureCount += 1
    after(min(Self.shortestPause * Int(factor), Self.longestPause)) { $0.connect() }
  }

  private func yield(_ event: RedisSubscriptionEvent) {
    if let missed = overflow {
      guard case .enqueued = continuation.yield(.lost(missed)) else { return }
      overflow = nil
    }
    if case .dropped = continuation.yield(event) {
      overflow = RedisError(.saturated, "events were not read in time")
    }
  }

  private func after(_ time: TimeAmount, _ body: @escaping (SubscriptionLoop) -> Void) {
    let bound = NIOLoopBound((subscription: self, body: body), eventLoop: loop)
    loop.scheduleTask(in: time) {
      let (subscription, body) = bound.value
      if !subscription.isStopped { body(subscription) }
    }
  }
}
