import NIOCore

/// One connection to one server: made when it is first needed, again after it has ended, and used
/// for the commands of all callers, each of which waits for its own replies. Confined to its event
/// loop.
final class RedisConnection {
  final class Batch {
    fileprivate let commands: [RedisCommand]
    fileprivate let deadline: NIODeadline
    fileprivate var replies: [RedisValue] = []
    fileprivate var sentAt = NIODeadline.distantFuture
    fileprivate var completion: ((Result<[RedisValue], RedisError>) -> Void)?

    init(
      _ commands: [RedisCommand], until deadline: NIODeadline,
      completion: @escaping (Result<[RedisValue], RedisError>) -> Void
    ) {
      self.commands = commands
      self.deadline = deadline
      self.completion = completion
    }

    fileprivate func end(_ result: Result<[RedisValue], RedisError>) {
      let completion = completion
      self.completion = nil
      completion?(result)
    }
  }

  private enum State {
    case idle
    /// Without a channel while the name of the server is resolved.
    case connecting((any Channel)?)
    /// Waits for the replies to ``RedisConnector/setupCommands``.
    case authenticating(any Channel)
    case ready(any Channel)
  }

  private let endpoint: RedisEndpoint
  private let connector: RedisConnector
  private let loop: any EventLoop
  private var state = State.idle
  /// Counts connections: what an earlier one still reports is not the present one's.
  private var number = 0
  /// Written, in order; a batch without a completion has expired, and its replies are dropped.
  private var pending = CircularBuffer<Batch>()
  private var waiting: [Batch] = []
  private var lastProgress = NIODeadline.uptimeNanoseconds(0)
  private var timer: (task: Scheduled<Void>, at: NIODeadline)?
  private let onFailure: (RedisError) -> Void
  private static let maximumPendingCount = 8192

  /// `onFailure` is called when none could be made, or it has ended while a reply was awaited.
  init(
    to endpoint: RedisEndpoint, _ connector: RedisConnector,
    onFailure: @escaping (RedisError) -> Void
  ) {
    self.endpoint = endpoint
    self.connector = connector
    self.onFailure = onFailure
    loop = connector.loop
  }

  /// Sends commands; the completion is called once, at the deadline at the latest.
  func send(_ batch: Batch) {
    guard pending.count + waiting.count < Self.maximumPendingCount else {
      return batch.end(
        .failure(RedisError(.saturated, "too many commands wait for it", node: endpoint)))
    }
    setTimer(batch.deadline)
    switch state {
    case .ready(let channel): write(batch, to: channel)
    case .connecting, .authenticating: waiting.append(batch)
    case .idle:
      waiting.append(batch)
      connect()
    }
  }

  func close(_ error: RedisError) {
    let channel: (any Channel)? =
      switch state {
      case .idle: nil
      case .connecting(let channel): channel
      case .authenticating(let channel), .ready(let channel): channel
      }
    end(error)
    channel?.close(mode: .all, promise: nil)
  }

  // MARK: Life

  private func connect() {
    number += 1
    state = .connecting(nil)
    let number = number
    lastProgress = .now()
    // Resolving a name, connecting and TLS have this time together, and authentication as much.
    loop.assumeIsolated().scheduleTask(in: connector.connectTimeout) { [self] in
      guard self.number == number, case .connecting = state else { return }
      close(RedisError(.timedOut, "did not accept a connection in time", node: endpoint))
    }
    connector.connect(to: endpoint) { [weak self] channel, event in
      // Of a connection that was given up, only the channel is left to close.
      guard let self, self.number == number else {
        channel?.close(mode: .all, promise: nil)
        return
      }
      receive(event, of: channel)
    }
  }

  private func receive(_ event: ReplyHandler.Event, of channel: (any Channel)?) {
    switch event {
    case .opened: if case .connecting = state { state = .connecting(channel) }
    case .active:
      guard let channel else { return }
      authenticate(channel)
    case .progress: lastProgress = .now()
    case .reply(let reply): receive(reply)
    case .ended(let error): end(error.of(endpoint))
    }
  }

  private func authenticate(_ channel: any Channel) {
    state = .authenticating(channel)
    let batch = Batch(connector.setupCommands, until: .now() + connector.connectTimeout) {
      [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let replies):
        if let error = connector.setupError(in: replies) {
          return close(error.of(endpoint))
        }
        begin(channel)
      // The connection is closed already, or does not answer.
      case .failure(let error): if case .authenticating = state { close(error) }
      }
    }
    write(batch, to: channel)
    setTimer(batch.deadline)
  }

  private func begin(_ channel: any Channel) {
    state = .ready(channel)
    let held = waiting
    waiting = []
    for batch in held where batch.completion != nil { write(batch, to: channel) }
  }

  private func end(_ error: RedisError) {
    number += 1
    let isReady = if case .ready = state { true } else { false }
    state = .idle
    timer?.task.cancel()
    timer = nil
    let failed = (Array(pending) + waiting).filter { $0.completion != nil }
    pending.removeAll()
    waiting = []
    if !isReady || !failed.isEmpty { onFailure(error) }
    for batch in failed { batch.end(.failure(error)) }
  }

  // MARK: Commands

  private func write(_ batch: Batch, to channel: any Channel) {
    batch.sentAt = .now()
    pending.append(batch)
    channel.send(batch.commands)
  }

  private func receive(_ reply: RedisValue) {
    guard let batch = pending.first else {
      return close(RedisError(.protocolViolation, "sent a reply to no command", node: endpoint))
    }
    batch.replies.append(reply)
    guard batch.replies.count == batch.commands.count else { return }
    pending.removeFirst()
    batch.end(.success(batch.replies))
  }

  // MARK: Deadlines

  /// One timer for all, at the earliest deadline or before it.
  private func setTimer(_ deadline: NIODeadline) {
    guard deadline < timer?.at ?? .distantFuture else { return }
    timer?.task.cancel()
    let task = loop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in expire() }
    timer = (task, deadline)
  }

  private func expire() {
    timer = nil
    let now = NIODeadline.now()
    var next = NIODeadline.distantFuture
    var isSilent = false
    var expired: [Batch] = []
    for batch in Array(pending) + waiting where batch.completion != nil {
      if batch.deadline > now {
        next = min(next, batch.deadline)
        continue
      }
      expired.append(batch)
      // Of a connection that is being made, its own timeouts decide.
      if case .ready = state {
        isSilent =
          isSilent || lastProgress < batch.sentAt && batch.sentAt + connector.patience < now
      }
    }
    let error = RedisError(.timedOut, "did not answer in time", node: endpoint)
    // What a silent server has been sent would only wait as well.
    if isSilent { return close(error) }
    waiting.removeAll { $0.deadline <= now }
    for batch in expired { batch.end(.failure(error)) }
    setTimer(next)
  }
}
