import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching

/// A shared tier on a ``MemoryRedis``, with manual clocks, and waits that pass at once.
final class TierFixture: Sendable {
  let redis: MemoryRedis
  let clock = ManualClock()
  let elapsed = ManualNanoseconds()
  let tier: SharedTier
  let key = TierKey(url: "https://example.org/a.jpg", variant: "w=100")
  private let waits = Locked<[Duration]>([])
  private let waiting = Locked(Waiting())
  private struct Waiting { var body: @Sendable (Duration) async throws -> Void = { _ in } }

  /// - Parameter isConnected: Whether its connections are made first: some of its deadlines are
  ///   fixed, and connecting may take long on a busy machine. Default: yes.
  init(
    jitter: Double = 1, isConnected: Bool = true,
    _ change: (inout SharedTier.Configuration) -> Void = { _ in }
  ) async throws {
    redis = try await MemoryRedis()
    var client = RedisConfiguration(
      servers: [RedisEndpoint(host: "127.0.0.1", port: redis.port)])
    (client.deadline, client.connectTimeout, client.downTime) = (.seconds(30), .seconds(30), .zero)
    var configuration = SharedTier.Configuration(servers: client)
    configuration.writeDeadline = .seconds(30)
    change(&configuration)
    let (clock, elapsed, waits, waiting) = (clock, elapsed, waits, waiting)
    var times = TierClock()
    times.now = { clock.now }
    times.elapsed = { .nanoseconds(Int64(elapsed.now)) }
    times.jitter = { jitter }
    times.sleep = { time in
      try Task.checkCancellation()
      waits.withLock { $0.append(time) }
      elapsed.advance(by: time)
      try await waiting.withLock { $0.body }(time)
    }
    tier = try SharedTier(configuration, clock: times)
    guard isConnected else { return }
    for lane in RedisLane.allCases {
      _ = try await tier.client.send(RedisCommand("PING"), lane: lane)
    }
  }

  /// Purges; where that takes too long, waits until the tier has done it by itself.
  func purge(_ purge: TierPurge) async throws {
    do throws(TierPurgeFailure) {
      try await tier.purge(purge)
    } catch {
      guard error.isRetried, error.description.contains("in time") else { throw error }
      await Condition.until { [tier] in tier.waitingPurgeCount == 0 }
    }
  }

  var pauses: [Duration] { waits.withLock { $0 } }

  /// What happens during each wait, from now on.
  func duringWaits(_ body: @escaping @Sendable (Duration) async throws -> Void) {
    waiting.withLock { $0.body = body }
  }

  /// A value that was received now, and is fresh for a minute and of use for two.
  func value(
    _ text: String, tags: [String] = [], fresh: TimeInterval = 60, stale: TimeInterval = 120
  ) -> TierValue {
    let now = clock.now
    let response = StoredResponse(
      status: 200, fields: [.contentType: "image/jpeg"], requestTime: now, responseTime: now)
    return TierValue(
      response: response, body: Array(text.utf8), freshUntil: now + fresh,
      staleUntil: now + stale, tags: tags)
  }

  func name(_ argument: RedisCommand.Argument) -> String { String(buffer: argument.bytes) }
  var generationName: String { name(tier.names.generation(key)) }
  var valueName: String { name(tier.names.value(key)) }
  var lockName: String { name(tier.names.lock(key)) }

  /// The generation of the key's source.
  var generation: TierGeneration? {
    redis[generationName].flatMap { TierGeneration(String(buffer: $0)) }
  }

  /// Puts a value into the servers, as another tier does.
  func put(_ value: TierValue, under generation: TierGeneration = .random()) {
    redis[generationName] = ByteBuffer(string: generation.text)
    redis[valueName] = TierValueCoding.encode(value, generation)
  }
}

extension TierKey {
  /// The key of the source.
  var source: TierKey { TierKey(url: url.text) }
}

extension TierReading {
  /// The text of a hit, or the name of the case.
  var text: String {
    switch self {
    case .hit(let value, _): String(decoding: value.body, as: UTF8.self)
    case .miss: "miss"
    case .unavailable: "unavailable"
    }
  }
}

extension TierTurn {
  /// The text of a value to use, or the name of the case.
  var text: String {
    switch self {
    case .use(let value, _): "use \(String(decoding: value.body, as: UTF8.self))"
    case .make: "make"
    case .makeAlone: "make alone"
    }
  }

  var lock: TierLock? { if case .make(let lock) = self { lock } else { nil } }
}

/// An object store in memory, which fails as the test says.
final class StubObjects: TierObjectStore {
  struct Failure: Error, CustomStringConvertible {
    let description = "507 no space"
  }

  private struct State {
    var objects: [String: [UInt8]] = [:]
    var calls: [String] = []
    var failure: (any Error)?
    var failing: Set<String> = []
  }

  private let state = Locked(State())

  var objects: [String: [UInt8]] { state.withLock { $0.objects } }
  /// The operations so far, each with the name of its object.
  var calls: [String] { state.withLock { $0.calls } }

  subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.objects[name] } }
    set { state.withLock { $0.objects[name] = newValue } }
  }

  /// Makes operations fail from now on: `get`, `put`, `delete`.
  func fail(_ operations: Set<String>, with failure: any Error = Failure()) {
    state.withLock { ($0.failing, $0.failure) = (operations, failure) }
  }

  private func call(
    _ operation: String, _ name: String, _ body: (inout State) -> Void = { _ in }
  ) throws {
    try state.withLock { state in
      state.calls.append("\(operation) \(name)")
      if let failure = state.failure, state.failing.contains(operation) { throw failure }
      body(&state)
    }
  }

  func object(_ name: String, until deadline: ContinuousClock.Instant) async throws -> [UInt8]? {
    try call("get", name)
    return self[name]
  }

  func store(
    _ bytes: [UInt8], as name: String, until deadline: ContinuousClock.Instant
  ) async throws {
    try call("put", name) { $0.objects[name] = bytes }
  }

  func remove(_ name: String, until deadline: ContinuousClock.Instant) async throws {
    try call("delete", name) { $0.objects[name] = nil }
  }
}
