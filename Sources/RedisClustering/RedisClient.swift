public import NIOCore
public import NIOPosix

/// A client of a Redis Cluster, or of one Redis server; Valkey uses the same protocol.
///
///     let client = try RedisClient(.init(servers: [RedisEndpoint(host: "10.0.0.1", port: 6379)]))
///     let replies = try await client.send(
///       [RedisCommand("GET", ["greeting"], isReadOnly: true)])
///
/// Connections are opened on demand, one for each node and lane, and shared by all callers, whose
/// commands are pipelined. Nothing waits longer than its deadline: a read that a master does not
/// answer is sent to a replica, commands follow their slots when these move, and a node that failed
/// is not used for a while.
///
/// A command that failed may have been executed. A write is sent again only where a node has
/// refused it.
public final class RedisClient: Sendable {
  /// How the servers are reached.
  public let configuration: RedisConfiguration
  private let loop: any EventLoop
  private let router: NIOLoopBoundBox<CommandRouter>

  /// Creates a client; nothing is connected yet.
  ///
  /// - Throws: ``RedisError`` with code `connectionFailed` when the trusted certificates cannot be
  ///   read.
  public init(
    _ configuration: RedisConfiguration,
    eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
  ) throws(RedisError) {
    self.configuration = configuration
    loop = eventLoop
    // Made here for its errors; from now on only its event loop touches it.
    router = NIOLoopBoundBox.makeBoxSendingValue(
      try CommandRouter(configuration, on: eventLoop), eventLoop: eventLoop)
  }

  deinit {
    let router = router
    loop.execute { router.value.shutDown() }
  }

  /// Sends commands to the node that has their keys, in one write, and returns their replies in
  /// order; an error of a server is the reply of its command alone.
  ///
  /// A command without a key goes with the others, or alone to any node. Cancellation of the task is
  /// ignored: the deadline bounds the wait.
  ///
  /// - Parameters:
  ///   - commands: At least one; all keys have the same slot.
  ///   - lane: The connection they share. Default: `interactive`.
  ///   - deadline: The time for all of it. Default: ``RedisConfiguration/deadline``.
  /// - Throws: ``RedisError``.
  public func send(
    _ commands: [RedisCommand], lane: RedisLane = .interactive, deadline: Duration? = nil
  ) async throws(RedisError) -> [RedisValue] {
    let slots = Set(commands.compactMap { $0.key.map { KeySlot.slot(of: $0) } })
    guard slots.count <= 1 else {
      throw RedisError(.crossSlot, "keys of one call have different slots")
    }
    return try await send(commands, at: slots.first.map { .slot($0) } ?? .anywhere, lane, deadline)
  }

  private func send(
    _ commands: [RedisCommand], at place: CommandRun.Place, _ lane: RedisLane, _ deadline: Duration?
  ) async throws(RedisError) -> [RedisValue] {
    if commands.isEmpty { return [] }
    let limit = NIODeadline.now() + TimeAmount(deadline ?? configuration.deadline)
    let (router, loop) = (router, loop)
    let result: Result<[RedisValue], RedisError> = await withCheckedContinuation { continuation in
      loop.execute {
        router.value.run(
          CommandRun(commands, at: place, lane: lane, until: limit) {
            continuation.resume(returning: $0)
          })
      }
    }
    return try result.get()
  }

  /// Sends commands to one server, regardless of the slots of their keys, and returns their
  /// replies. Default deadline: ``RedisConfiguration/deadline``.
  public func send(
    _ commands: [RedisCommand], to server: RedisEndpoint, lane: RedisLane = .interactive,
    deadline: Duration? = nil
  ) async throws(RedisError) -> [RedisValue] {
    try await send(commands, at: .server(server), lane, deadline)
  }

  /// Waits until a replica of each master that has one of some keys has received what was written
  /// to it before on the same lane, and returns whether all have; masters without replicas are left
  /// out.
  public func waitForReplica(
    of keys: [RedisCommand.Argument], lane: RedisLane, atMost time: Duration
  ) async -> Bool {
    let slots = Set(keys.map { KeySlot.slot(of: $0.bytes) })
    let masters = await onLoop { $0.mastersWithReplicas(of: slots) }
    let wait = RedisCommand(
      "WAIT", [1, RedisCommand.Argument(Int(time / .milliseconds(1)))], keyPosition: nil)
    return await withTaskGroup(of: Bool.self) { group in
      for master in masters {
        group.addTask {
          let deadline = time + self.configuration.deadline
          let reply = try? await self.send([wait], to: master, lane: lane, deadline: deadline)
          return (reply?[0].integer ?? 0) > 0
        }
      }
      return await group.allSatisfy { $0 }
    }
  }

  /// Sends one command and returns its reply.
  ///
  /// - Throws: ``RedisError``, with code `serverError` or `notPermitted` for an error of the server.
  public func send(
    _ command: RedisCommand, lane: RedisLane = .interactive, deadline: Duration? = nil
  ) async throws(RedisError) -> RedisValue {
    let reply = try await send([command], lane: lane, deadline: deadline)[0]
    if case .error(let error) = reply { throw error }
    return reply
  }

  /// Runs a script by its digest, and by its text if the server does not have it; all keys, at
  /// least one, have the same slot.
  ///
  /// - Throws: ``RedisError``, with code `serverError` or `notPermitted` for an error of the
  ///   server.
  public func run(
    _ script: RedisScript, keys: [RedisCommand.Argument], arguments: [RedisCommand.Argument],
    lane: RedisLane = .interactive, deadline: Duration? = nil
  ) async throws(RedisError) -> RedisValue {
    let rest = [RedisCommand.Argument(keys.count)] + keys + arguments
    let known = RedisCommand(
      "EVALSHA", [RedisCommand.Argument(script.digest)] + rest, keyPosition: 3)
    let limit = deadline ?? configuration.deadline
    let start = ContinuousClock.now
    let reply = try await send([known], lane: lane, deadline: limit)[0]
    guard case .error(let error) = reply else { return reply }
    guard error.kind == "NOSCRIPT" else { throw error }
    return try await send(
      RedisCommand("EVAL", [RedisCommand.Argument(script.text)] + rest, keyPosition: 3),
      lane: lane, deadline: limit - (ContinuousClock.now - start))
  }

  /// Subscribes to channels, and again after each loss of the connection.
  ///
  /// Messages are delivered at most once, and not those that were sent while there was no
  /// subscription: ``RedisSubscriptionEvent/lost(_:)`` reports such a gap. At most 4,096 unread
  /// events are kept; beyond that, messages are dropped, which is reported in the same way.
  ///
  /// - Returns: The events, until the iterator is released or the client is shut down.
  public func subscribe(to channels: [String]) -> AsyncStream<RedisSubscriptionEvent> {
    let (events, continuation) = AsyncStream<RedisSubscriptionEvent>.makeStream(
      bufferingPolicy: .bufferingOldest(4096))
    let router = router
    loop.execute { router.value.subscribe(to: channels, continuation) }
    return events
  }

  /// Returns the current state of the nodes, without sending any commands.
  public func status() async -> RedisStatus { await onLoop { $0.status } }

  /// Closes all connections; commands under way and later ones fail with code `shutDown`.
  public func shutDown() async { await onLoop { $0.shutDown() } }

  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (CommandRouter) -> Value
  ) async -> Value {
    let router = router
    return await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: body(router.value)) }
    }
  }
}

/// A Lua script that servers run.
public struct RedisScript: Sendable, Hashable {
  /// The script.
  public let text: String
  /// The SHA-1 of the text in hexadecimal digits, by which servers remember it.
  public let digest: String

  /// Creates a script.
  public init(_ text: String) {
    self.text = text
    digest = scriptDigest(of: text)
  }
}
