public import NIOCore

/// An event of a subscription.
public enum RedisSubscriptionEvent: Sendable, Hashable {
  /// Messages are received from now on.
  case subscribed
  /// A message of a channel.
  case message(channel: String, ByteBuffer)
  /// Messages may have been missed since the last event. The client subscribes again by itself.
  case lost(RedisError)
}

/// Keeps one connection subscribed, to any node: a cluster passes messages on to all. Confined to
/// its event loop.
final class SubscriptionLoop {
  private let channels: [String]
  private let connector: RedisConnector
  private let loop: any EventLoop
  private let candidates: () -> [RedisEndpoint]
  private let continuation: AsyncStream<RedisSubscriptionEvent>.Continuation
  private var channel: (any Channel)?
  private var endpoint: RedisEndpoint?
  /// Counts connections; events of earlier ones are not taken.
  private var number = 0
  private var failureCount = 0
  private var lastProgress = NIODeadline.uptimeNanoseconds(0)
  /// Replies that come before those to `SUBSCRIBE`.
  private var setupReplyCount = 0
  private var confirmedCount = 0
  private(set) var isStopped = false
  /// An event that found no room: messages were missed.
  private var overflow: RedisError?

  /// The time between two `PING`s; after two without anything received the connection is given up.
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
    self.endpoint = endpoint
    number += 1
    let number = number
    (setupReplyCount, confirmedCount) = (0, 0)
    connector.connect(to: endpoint) { [weak self] channel, event in
      guard let self, self.number == number else {
        channel?.close(mode: .all, promise: nil)
        return
      }
      receive(event, of: channel, at: endpoint)
    }
    // Neither a name that does not resolve nor a server that says nothing may hold it up.
    after(Self.heartbeat) { subscription in
      guard subscription.number == number, subscription.confirmedCount < subscription.channels.count
      else { return }
      subscription.lose(RedisError(.timedOut, "did not confirm the subscription", node: endpoint))
    }
  }

  private func receive(
    _ event: ReplyHandler.Event, of channel: (any Channel)?, at endpoint: RedisEndpoint
  ) {
    switch event {
    case .opened: self.channel = channel
    case .active:
      guard let channel else { return }
      self.channel = channel
      let setup = connector.setupCommands
      setupReplyCount = setup.count
      let arguments = channels.map { RedisCommand.Argument($0) }
      channel.send(setup + [RedisCommand("SUBSCRIBE", arguments, keyPosition: nil)])
    case .progress: lastProgress = .now()
    case .reply(let reply): receive(reply, at: endpoint)
    case .ended(let error): lose(error.of(endpoint))
    }
  }

  private func receive(_ reply: RedisValue, at endpoint: RedisEndpoint) {
    if setupReplyCount > 0 {
      setupReplyCount -= 1
      // The first one of two is that to AUTH; a server of no cluster refuses the other.
      if setupReplyCount > 0, case .error(let error) = reply {
        lose((connector.setupError(in: [reply]) ?? error).of(endpoint))
      }
      return
    }
    if case .error(let error) = reply { return lose(error.of(endpoint)) }
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

  private func watch(_ number: Int) {
    after(Self.heartbeat) { subscription in
      guard subscription.number == number else { return }
      guard subscription.lastProgress + Self.heartbeat + Self.heartbeat > .now() else {
        return subscription.lose(RedisError(.timedOut, "the subscription is silent"))
      }
      subscription.flushOverflow()
      subscription.channel?.send([RedisCommand("PING", keyPosition: nil)])
      subscription.watch(number)
    }
  }

  func leave(unless members: Set<RedisEndpoint>) {
    guard let endpoint, channel != nil, !members.contains(endpoint) else { return }
    lose(RedisError(.connectionFailed, "has left the cluster", node: endpoint))
  }

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
    flushOverflow()
    guard overflow == nil else { return }
    switch continuation.yield(event) {
    case .dropped: overflow = RedisError(.saturated, "events were not read in time")
    case .terminated: stop()
    default: return
    }
  }

  /// Reports that events were missed, once there is room for that.
  private func flushOverflow() {
    guard let missed = overflow, case .enqueued = continuation.yield(.lost(missed)) else { return }
    overflow = nil
  }

  private func after(_ time: TimeAmount, _ body: @escaping (SubscriptionLoop) -> Void) {
    loop.assumeIsolated().scheduleTask(in: time) { [self] in
      if !isStopped { body(self) }
    }
  }
}
