import Foundation

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import TestSupport

/// A proxy that runs inside the test, with a manual clock; it stops with the value.
final class ProxyFixture: Sendable {
  let clock: ManualClock
  let port: UInt16
  /// The port for operators; 0 without one.
  let operatorPort: UInt16
  let proxy: CachingProxy
  private let running: Task<ServerEnding, any Error>
  /// What runs as long as the proxy.
  private let others: [any Sendable]

  /// Starts one with the storage and its clock, and the origin before it.
  ///
  /// - Parameter storage: Default: in memory.
  static func start(
    _ scripts: [String: [FaultyOrigin.Answer]] = [:], _ storage: ProxyStorage? = nil,
    storesSetCookie: Bool = false,
    serving change: (inout CachingProxy.Configuration) -> Void = { _ in }
  ) async throws -> (proxy: ProxyFixture, origin: FaultyOrigin) {
    let origin = try FaultyOrigin(scripts)
    let proxy = try await ProxyFixture(
      origin: origin, storage ?? ProxyStorage(.memory), storesSetCookie: storesSetCookie,
      serving: change)
    return (proxy, origin)
  }

  /// Starts one in front of an origin, with a storage and its clock.
  convenience init(
    origin: FaultyOrigin, _ storage: ProxyStorage, storesSetCookie: Bool = false,
    serving change: (inout CachingProxy.Configuration) -> Void = { _ in }
  ) async throws {
    try await self.init(
      origin: origin.url(""), storage: storage.storage, clock: storage.clock,
      storesSetCookie: storesSetCookie, others: [origin, storage], serving: change)
  }

  /// Starts one in front of an origin.
  ///
  /// - Parameters:
  ///   - storage: Default: 64 MiB of memory.
  ///   - port: Default: any that is free.
  init(
    origin: String, storage: CachingProxy.Storage = .memory(maximumByteCount: 64 << 20),
    clock: ManualClock = ManualClock(Date(timeIntervalSince1970: 1_600_000_000)),
    port: UInt16 = 0, storesSetCookie: Bool = false, others: [any Sendable] = [],
    serving change: (inout CachingProxy.Configuration) -> Void = { _ in }
  ) async throws {
    self.clock = clock
    self.others = others
    var configuration = CachingProxy.Configuration(origin: origin, storage: storage)
    configuration.clock = { clock.now }
    configuration.listener.targets = [.tcp(host: "127.0.0.1", port: Int(port))]
    configuration.storesSetCookie = storesSetCookie
    // Longer than a busy machine may take: tests of timeouts set their own.
    configuration.listener.drainTime = .seconds(600)
    configuration.listener.limits.writeTime = .seconds(600)
    configuration.maximumSharedWait = .seconds(600)
    change(&configuration)
    let proxy = try CachingProxy(configuration)
    self.proxy = proxy
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    running = Task {
      defer { listening.finish() }
      return try await proxy.run { targets in
        for case .tcp(_, let port) in targets { listening.yield(port) }
      }
    }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else {
      _ = try await running.value
      throw ImageError(.cannotListen, "the proxy did not start")
    }
    self.port = UInt16(port)
    // Both are listened on at once.
    let hasOperators = !configuration.listener.operatorTargets.isEmpty
    operatorPort = hasOperators ? UInt16(await iterator.next() ?? 0) : 0
  }

  deinit { running.cancel() }

  /// Connections that are open and served.
  var connectionCount: Int { proxy.metrics.connections.servedCount }

  /// Requests that wait for another request's response.
  var waiterCount: Int { proxy.services.flights.waiterCount }

  /// Stops it, and waits until it has stopped.
  @discardableResult
  func stop() async throws -> ServerEnding {
    running.cancel()
    return try await running.value
  }

  /// One request of an operator on a new connection. It waits on a thread of its own.
  func operate(
    _ method: String, _ target: String, _ lines: [String] = [], body: String? = nil
  ) async throws -> RawAnswer {
    let port = operatorPort
    return try await OffPool.run {
      try RawClient(port: port).exchange(method, target, lines: lines, body: body)
    }
  }

  /// A new connection on which something was sent.
  func client(_ text: String, isNarrow: Bool = false) throws -> RawClient {
    let client = try RawClient(port: port, isNarrow: isNarrow)
    client.send(text)
    return client
  }

  func get(_ target: String, _ lines: [String] = []) throws -> RawAnswer {
    try exchange("GET", target, lines)
  }

  /// One request on a new connection.
  func exchange(
    _ method: String, _ target: String, _ lines: [String] = [], body: String? = nil
  ) throws -> RawAnswer {
    try RawClient(port: port).exchange(method, target, lines: lines, body: body)
  }
}
