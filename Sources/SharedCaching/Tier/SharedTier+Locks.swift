public import HTTPCaching
import RedisClustering

extension SharedTier {
  /// See `SharedResponseTier.turn(for:until:isUsable:)`.
  public func turn(
    for key: TierKey, until deadline: ContinuousClock.Instant? = nil,
    isUsable: @Sendable (TierValue) -> Bool = { _ in true }
  ) async throws -> TierTurn {
    switch await read(key, isUsable) {
    case .hit(let value, let generation): return .use(value, generation)
    case .unavailable: return .makeAlone
    case .miss: break
    }
    try Task.checkCancellation()
    if let turn = await lock(key, isUsable) { return turn }
    count { $0.lockWaits += 1 }
    if let turn = try await wait(for: key, until: deadline, isUsable) { return turn }
    // The server that had the lock has failed, or made what is not kept. One goes on in its place;
    // the others would wait for each other, one by one.
    try Task.checkCancellation()
    return await lock(key, isUsable) ?? .makeAlone
  }

  /// Takes the lock and looks again; `nil` where another server has it.
  private func lock(_ key: TierKey, _ isUsable: @Sendable (TierValue) -> Bool) async -> TierTurn? {
    let (token, generation) = (clock.token(), TierGeneration.random())
    let commands = [
      setting(generation, of: key, if: "NX"),
      RedisCommand(
        "SET",
        [names.lock(key), .init(token), "NX", "PX", "\(configuration.lockLifetime.milliseconds)"]),
      RedisCommand("MGET", [names.generation(key), names.value(key)]),
    ]
    let look = look(at: key)
    guard let replies = await call({ () throws(RedisError) in try await client.send(commands) })
    else {
      // It may have been taken all the same.
      release(key, token: token)
      return .makeAlone
    }
    if case .error = replies[1] { return .makeAlone }
    let hasLock = replies[1] == .status("OK")
    let held = await held(in: replies[2], for: key, since: look, isUsable)
    let lock = held.generation.map { TierLock(key: key, token: token, generation: $0) }
    // Another server may have made it since it was looked up.
    if let (value, generation) = held.found {
      if hasLock { release(key, token: token) }
      return .use(value, generation)
    }
    guard hasLock else { return nil }
    if let lock {
      guard let value = await lostObject(of: key, under: lock.generation), isUsable(value) else {
        return .make(lock)
      }
      write(value, for: key, lock.generation, lock: lock)
      return .use(value, lock.generation)
    }
    release(key, token: token)
    return .makeAlone
  }

  /// Waits for a value or for the end of the lock; `nil` where the lock is free, or has changed hands
  /// for as long as it may be held once.
  private func wait(
    for key: TierKey, until deadline: ContinuousClock.Instant?,
    _ isUsable: @Sendable (TierValue) -> Bool
  ) async throws -> TierTurn? {
    var pause = Duration.milliseconds(5)
    let end = clock.elapsed() + configuration.lockLifetime
    let command = RedisCommand(
      "MGET", [names.generation(key), names.value(key), names.lock(key)], isReadOnly: true)
    while true {
      if let deadline, ContinuousClock.now + pause >= deadline { return .makeAlone }
      try await clock.sleep(pause)
      pause = min(pause * 2, .milliseconds(40))
      let look = look(at: key)
      guard let reply = await send(command) else { return .makeAlone }
      let held = await held(in: reply, for: key, since: look, isUsable)
      if let (value, generation) = held.found { return .use(value, generation) }
      if !held.isLocked || clock.elapsed() >= end { return nil }
    }
  }
}
