public import HTTPCaching
import ImageModel
import NIOCore
public import RedisClustering
import Synchronization

/// One cache behind several servers, on a Redis Cluster: sources, variants, locks and purges.
///
/// The tier affects latency, never a response: any failure is a miss, within the deadline of its
/// servers, and after several failures requests to them are suspended for a while.
public final class SharedTier: SharedResponseTier {
  /// Where it is, and its limits.
  public let configuration: Configuration
  /// The client of its servers.
  public let client: RedisClient
  let names: TierNames
  let clock: TierClock
  let purgeList = PurgeList()
  /// Names this tier in messages.
  let sender = String(UInt64.random(in: .min ... .max), radix: 16)
  let purger: PendingPurges
  private let writes: WriteQueue
  /// Those of the object store, which may be slow.
  let objectWrites: WriteQueue
  private let servers: TierService
  let objectStore: TierService
  private let counts = Locked(TierStatistics())
  private let latestError = Locked<RedisError?>(nil)
  private let confirmed: ConfirmedSources
  private let hasShutDown = Atomic(false)

  /// Creates a tier; its servers are connected to when they are needed.
  ///
  /// - Throws: `RedisError` as its client.
  public convenience init(_ configuration: Configuration) throws(RedisError) {
    try self.init(configuration, clock: TierClock())
  }

  init(_ configuration: Configuration, clock: TierClock) throws(RedisError) {
    self.configuration = configuration
    self.clock = clock
    client = try RedisClient(configuration.servers)
    names = TierNames(namespace: configuration.namespace)
    servers = TierService("the shared tier", clock: clock, log: configuration.log)
    objectStore = TierService("the bucket of the shared tier", clock: clock, log: configuration.log)
    writes = WriteQueue(configuration.waitingWrites)
    objectWrites = WriteQueue(configuration.waitingWrites)
    confirmed = ConfirmedSources(lifetime: configuration.confirmationLifetime)
    purger = PendingPurges()
  }

  /// Counts of its operations so far.
  public var statistics: TierStatistics {
    var statistics = counts.withLock { $0 }
    statistics.openings = servers.suspensionCount
    statistics.droppedWrites = writes.droppedCount + objectWrites.droppedCount
    return statistics
  }

  /// The last failure of its servers; `nil` if there was none.
  public var lastError: RedisError? { latestError.withLock { $0 } }

  /// Whether requests to its servers are suspended.
  public var isSuspended: Bool { servers.isSuspended }

  var isShutDown: Bool { hasShutDown.load(ordering: .relaxed) }

  func count(_ change: (inout TierStatistics) -> Void) { counts.withLock { change(&$0) } }

  /// Waits until everything that waits to be written was written, or was given up.
  ///
  /// - Parameter time: How long at most. Default: as long as it takes.
  public func finishWriting(within time: Duration? = nil) async {
    await Self.limited(to: time) { [self] in
      await objectWrites.finish()
      // Locks of what was written there are released here.
      await writes.finish()
    }
  }

  /// Waits for work, but no longer than for a time; it goes on after that.
  private static func limited(
    to time: Duration?, _ body: @escaping @Sendable () async -> Void
  ) async {
    guard let time else { return await body() }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task {
      await body()
      end.finish()
    }
    let timer = Task {
      try? await Task.sleep(for: time.bounded)
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
  }

  /// The number of purges that wait until the servers can be reached.
  public var waitingPurgeCount: Int { purger.count }

  /// Ends all connections, after five seconds at most. Values that wait to be written are dropped, locks
  /// are released, and purges that wait are tried once more.
  public func shutDown() async {
    objectWrites.close()
    writes.close()
    await Self.limited(to: .seconds(5)) { [self] in
      await finishWriting()
      hasShutDown.store(true, ordering: .relaxed)
      for purge in purger.waiting() {
        let left = await write(purge, isRepeated: true)
        purger.replaceFirst(by: left?.rest)
      }
    }
    hasShutDown.store(true, ordering: .relaxed)
    await client.shutDown()
  }

  /// Longer bodies are not kept.
  public var maximumBodyByteCount: Int {
    configuration.objects == nil
      ? configuration.maximumBodyByteCount : configuration.maximumObjectByteCount
  }
  /// The time for which a copy in memory is used without even a local check: 20 s, so that a purge
  /// of which every message was lost takes effect within a minute, also if creating the copy took a
  /// while.
  public let memoryLifetime = Duration.seconds(20)

  // MARK: Calls

  /// Makes a call unless the servers fail; `nil` where it has failed or was not made.
  func call<Result: Sendable>(
    _ body: @Sendable () async throws(RedisError) -> Result
  ) async -> Result? {
    guard servers.admits() else {
      count { $0.skipped += 1 }
      return nil
    }
    do throws(RedisError) {
      let result = try await body()
      servers.succeeded()
      return result
    } catch {
      record(error)
      return nil
    }
  }

  func send(
    _ command: RedisCommand, lane: RedisLane = .interactive, deadline: Duration? = nil
  ) async -> RedisValue? {
    await call { () throws(RedisError) in
      try await client.send(command, lane: lane, deadline: deadline)
    }
  }

  /// The command that sets the generation of a source, under a condition.
  func setting(
    _ generation: TierGeneration, of key: TierKey, if condition: RedisCommand.Argument? = nil
  ) -> RedisCommand {
    RedisCommand(
      "SET",
      [names.generation(key), .init(generation.text)] + (condition.map { [$0] } ?? [])
        + ["PX", "\(configuration.maximumLifetime.milliseconds)"])
  }

  private func record(_ error: RedisError) {
    count { $0.errors += 1 }
    latestError.withLock { $0 = error }
    switch error.code {
    case .timedOut, .connectionFailed, .protocolViolation, .notPermitted, .tooManyRedirections:
      servers.failed(error)
    // It took no time.
    case .nodeDown, .saturated, .shutDown: servers.wasNotMade()
    // The server has answered.
    default: servers.succeeded()
    }
  }

  // MARK: Lookups

  /// Looks up a value.
  public func read(_ key: TierKey) async -> TierReading { await read(key) { _ in true } }

  func read(_ key: TierKey, _ isUsable: @Sendable (TierValue) -> Bool) async -> TierReading {
    let command = RedisCommand("MGET", [names.generation(key), names.value(key)], isReadOnly: true)
    let look = look(at: key)
    // Sources may be large, and must not hold up variants and locks.
    let lane: RedisLane = key.variant == nil ? .bulk : .interactive
    guard let reply = await send(command, lane: lane) else { return .unavailable }
    guard let found = await held(in: reply, for: key, since: look, isUsable).found else {
      count { $0.misses += 1 }
      return .miss
    }
    return .hit(found.value, found.generation)
  }

  struct Look {
    let time: Duration
    let epoch: UInt64
  }

  func look(at key: TierKey) -> Look {
    Look(time: clock.elapsed(), epoch: confirmed.epoch(of: key.url))
  }

  private func confirm(_ key: TierKey, _ generation: TierGeneration, since look: Look) {
    guard !purger.isPurging(key.url) else { return }
    confirmed.insert(key.url, generation, at: look.time, epoch: look.epoch)
  }

  struct Held {
    var generation: TierGeneration?
    var found: (value: TierValue, generation: TierGeneration)?
    /// Whether its body is in the object store.
    var isPointer = false
    var isLocked = false
  }

  /// Reads what a reply has, with its object. A value was not purged at the time of the request.
  func held(
    in reply: RedisValue, for key: TierKey, since look: Look,
    _ isUsable: @Sendable (TierValue) -> Bool
  ) async -> Held {
    var held = await complete(decode(reply.array, for: key), for: key, isUsable)
    guard let (value, generation) = held.found, isUsable(value) else {
      held.found = nil
      return held
    }
    count {
      $0.hits += 1
      $0.readByteCount += value.body.count
    }
    confirm(key, generation, since: look)
    return held
  }

  /// Reads a generation, a value and perhaps a lock out of a reply.
  private func decode(_ reply: [RedisValue]?, for key: TierKey) -> Held {
    var held = Held()
    guard let reply, reply.count >= 2 else { return held }
    held.generation = reply[0].text.flatMap { TierGeneration($0) }
    held.isLocked = reply.count > 2 && reply[2] != .null
    guard let bytes = reply[1].bytes else { return held }
    do throws(TierValueCoding.Fault) {
      let decoded = try TierValueCoding.decode(bytes)
      // Without a generation nothing tells whether it was purged.
      guard decoded.generation == held.generation, counts(decoded.value), !purger.isPurging(key.url)
      else { return held }
      held.found = (decoded.value, decoded.generation)
      held.isPointer = decoded.isPointer
    } catch {
      if error == .damaged { removeDamaged(key) }
    }
    return held
  }

  /// Whether a value is of use, and was not purged by its tags.
  func counts(_ value: TierValue) -> Bool {
    let now = clock.now()
    let lifetime = Double(configuration.maximumLifetime.bounded.components.seconds)
    // Older purges by tag are forgotten.
    return value.staleUntil > now && value.currentAt > now.addingTimeInterval(-lifetime)
      && !purgeList.covers(value.tags, made: value.currentAt)
  }

  private func removeDamaged(_ key: TierKey) {
    count { $0.damages += 1 }
    writes.add(byteCount: 0) { [self] in
      _ = await send(RedisCommand("UNLINK", [names.value(key)]))
    }
  }

  // MARK: Writing

  /// See `SharedResponseTier.write(_:for:_:lock:)`.
  public func write(
    _ value: TierValue, for key: TierKey, _ generation: TierGeneration, lock: TierLock? = nil
  ) {
    let lifetime = lifetime(of: value)
    guard value.body.count <= maximumBodyByteCount, value.response.selection.isEmpty,
      TierValueCoding.allows(status: value.response.status), lifetime > .zero
    else {
      if let lock { release(lock) }
      return
    }
    (isForObjects(value, key) ? objectWrites : writes).add(
      byteCount: value.body.count, orElse: { [self] in if let lock { release(lock) } }
    ) { [self] in await store(value, for: key, generation, lock, lifetime) }
  }

  private func store(
    _ value: TierValue, for key: TierKey, _ generation: TierGeneration, _ lock: TierLock?,
    _ lifetime: Duration
  ) async {
    var value = value
    value.currentAt = purgeList.currentTime(of: value)
    let isPointer = isForObjects(value, key)
    if isPointer, await !storeObject(value, generation, for: key) {
      if let lock { release(lock) }
      // It may be there all the same.
      removeObjectLater(of: key)
      return count { $0.failedWrites += 1 }
    }
    let bytes = TierValueCoding.encode(value, generation, isPointer: isPointer)
    let look = look(at: key)
    let reply = await call { () throws(RedisError) in
      try await client.run(
        TierScripts.store, keys: [names.generation(key), names.value(key), names.lock(key)],
        arguments: [
          .init(generation.text), .init(bytes), "\(lifetime.milliseconds)",
          .init(lock?.token ?? ""), "\((lifetime * 2).milliseconds)",
        ], lane: .background, deadline: configuration.writeDeadline)
    }
    let isWritten = reply?.integer == 1
    // It was purged meanwhile, perhaps before the object was there to be deleted, or that cannot be
    // told.
    if isPointer, !isWritten { removeObjectLater(of: key) }
    if isWritten { confirm(key, generation, since: look) }
    // The servers may have taken it all the same, and its lock is released then.
    if reply == nil, let lock { release(lock) }
    count {
      if isWritten {
        $0.writes += 1
        $0.writtenByteCount += value.body.count
      } else {
        $0.failedWrites += 1
      }
    }
  }

  /// The time until a value is of no use, more or less: what was written together ends apart.
  private func lifetime(of value: TierValue) -> Duration {
    let rest = value.staleUntil.timeIntervalSince(clock.now())
    let most = Double(configuration.maximumLifetime.bounded.components.seconds)
    return .milliseconds(Int(max(0, min(rest, most) * clock.jitter() * 1000)))
  }

  /// Releases a lock in the background, if it is still held.
  public func release(_ lock: TierLock) { release(lock.key, token: lock.token) }

  /// Not subject to the breaker: other servers wait for it.
  func release(_ key: TierKey, token: String) {
    writes.add(byteCount: 0, isForced: true) { [self] in
      _ = try? await client.run(
        TierScripts.release, keys: [names.lock(key)], arguments: [.init(token)])
    }
  }

  // MARK: Local copies

  /// See `SharedResponseTier.isConfirmed(_:_:)`.
  public func isConfirmed(_ url: String, _ generation: TierGeneration) -> Bool {
    confirmed.contains(ExactString(url), generation, at: clock.elapsed())
  }

  /// See `SharedResponseTier.confirm(_:_:)`.
  public func confirm(_ url: String, _ generation: TierGeneration?) async -> TierConfirmation {
    let key = TierKey(url: url)
    let look = look(at: key)
    guard let present = await present(key) else { return .unknown }
    guard present == generation else { return present.isOfPurge ? .purged : .unrelated(present) }
    confirm(key, present, since: look)
    return .current(present)
  }

  /// The present generation of a source; `nil` if the servers failed.
  public func generation(of url: String) async -> TierGeneration? {
    await present(TierKey(url: url))
  }

  /// The generation of a source, which is set if there is none.
  private func present(_ key: TierKey) async -> TierGeneration? {
    // One that was lost is never set again: it may be one that was purged.
    let commands = [
      setting(.random(), of: key, if: "NX"), RedisCommand("GET", [names.generation(key)]),
    ]
    let replies = await call({ () throws(RedisError) in try await client.send(commands) })
    return replies?[1].text.flatMap { TierGeneration($0) }
  }

  /// Local copies are to be confirmed again: messages may have been missed.
  func forgetConfirmations() { confirmed.removeAll() }
  func forgetConfirmation(of url: ExactString) { confirmed.remove(url) }
}

/// The result of a lookup.
public enum TierReading: Sendable {
  /// A value that was not purged; it may be stale.
  case hit(TierValue, TierGeneration)
  /// None.
  case miss
  /// The servers failed, or requests to them are suspended.
  case unavailable
}
