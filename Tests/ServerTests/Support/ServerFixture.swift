import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPListening
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import ThumbnailServer
@testable import TestSupport

/// A thumbnail server that runs inside the test, in front of an origin that the test writes, over
/// real connections; it stops with the value.
final class ServerFixture: Sendable {
  let origin: FaultyOrigin
  let cache: DiskCache
  let parts: ThumbnailServer.Parts
  let clock: ManualClock
  let port: UInt16
  let server: ThumbnailServer
  private let scratch: Scratch
  private let fetcher: HTTPFetcher
  private let running: Task<ServerEnding, any Error>
  private let isStopped = Locked(false)

  /// Starts one; images of the origin, which is on loopback, may be fetched. With `files` that
  /// count, long bodies go to files while they arrive.
  init(
    _ scripts: [String: [FaultyOrigin.Answer]] = [:], privateNetworks: Bool = true,
    maximumDecodes: Int = 2, waiting: WaitLimits = WaitLimits(),
    clock: ManualClock = ManualClock(Date()), files: FaultyFileSystem? = nil,
    fetching configure: (inout HTTPFetcher.Configuration) -> Void = { _ in },
    loading: (inout ImagePipeline.Configuration) -> Void = { _ in },
    serving change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws {
    self.clock = clock
    origin = try FaultyOrigin(scripts)
    scratch = try Scratch()
    var disk = DiskCache.Configuration(directory: scratch / "cache")
    disk.clock = { clock.now }
    cache = try DiskCache(disk, files: files.map { $0 as any FileSystem } ?? POSIXFileSystem())
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = privateNetworks
    fetching.retryPolicy.maximumRetryCount = 0
    fetching.clock.date = { clock.now }
    if files != nil { fetching.partialBodies = cache.core.partialBodies }
    var configuration = ThumbnailServer.Configuration()
    configuration.allowedHosts = try HostAllowList(["127.0.0.1"])
    // Longer than a busy machine may take: what is to be cut sets its own.
    configuration.listener.drainTime = .seconds(600)
    configuration.listener.limits.writeTime = .seconds(600)
    change(&configuration)
    let hosts = configuration.allowedHosts
    fetching.mayRedirect = { hosts.mayRedirect(from: $0, to: $1) }
    configure(&fetching)
    fetcher = try HTTPFetcher(fetching)
    var pipeline = ImagePipeline.Configuration(fetcher: fetcher)
    pipeline.diskCache = cache
    pipeline.clock = { clock.now }
    pipeline.fetchLimits.bePatient()
    loading(&pipeline)
    parts = try ThumbnailServer.Parts(pipeline, maximumDecodes: maximumDecodes, waiting: waiting)
    configuration.listener.targets = [.tcp(host: "127.0.0.1", port: 0)]
    configuration.clock = { clock.now }
    configuration.monotonicClock = { UInt64(clock.now.timeIntervalSince1970 * 1e9) }
    let server = try ThumbnailServer(configuration, parts: parts)
    self.server = server
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    running = Task {
      defer { listening.finish() }
      return try await server.run { targets in
        for case .tcp(_, let port) in targets { listening.yield(port) }
      }
    }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else {
      _ = try await running.value
      throw ImageError(.cannotListen, "the server did not start")
    }
    self.port = UInt16(port)
  }

  deinit {
    guard !isStopped.withLock({ $0 }) else { return }
    Task { [running, parts, fetcher, cache, origin, scratch] in
      running.cancel()
      _ = await running.result
      await parts.pipeline.close()
      fetcher.stop()
      await cache.close()
      withExtendedLifetime((origin, scratch)) {}
    }
  }

  /// Tells it to stop, and waits until it has.
  @discardableResult
  func stop() async throws -> ServerEnding {
    isStopped.withLock { $0 = true }
    running.cancel()
    let ending = try await running.value
    await parts.pipeline.close()
    fetcher.stop()
    await cache.close()
    return ending
  }

  /// The target of a thumbnail of a path of the origin.
  func thumb(_ path: String, _ rest: String = "w=40&h=30") -> String {
    "/thumb?url=\(QueryPairs.encoded(origin.url(path)))&\(rest)"
  }

  /// The target of an original.
  func image(_ path: String, _ rest: String = "") -> String {
    "/image?url=\(QueryPairs.encoded(origin.url(path)))\(rest)"
  }

  /// A connection of its own on which something was sent.
  func client(_ text: String, isNarrow: Bool = false) throws -> RawClient {
    let client = try RawClient(port: port, isNarrow: isNarrow)
    client.send(text)
    return client
  }

  func get(_ target: String, _ lines: [String] = []) async throws -> RawAnswer {
    try await exchange("GET", target, lines)
  }

  /// One request on a connection of its own. The wait is on a thread of its own: the server needs
  /// Swift's.
  func exchange(
    _ method: String, _ target: String, _ lines: [String] = [], body: String? = nil
  ) async throws -> RawAnswer {
    let port = port
    return try await OffPool.run {
      try RawClient(port: port).exchange(method, target, lines: lines, body: body)
    }
  }

  /// Thumbnails that were refused for want of a place.
  var refusedCount: Int { parts.metrics.requests.statuses(of: ThumbnailRoute.thumb)[503] ?? 0 }

  /// The number of callers that wait for nodes of the graph, nodes among them.
  var waiterCount: Int { parts.pipeline.graph.waitingCount }

  /// Waits until a condition holds, within the bound of ``Condition``.
  func until(_ condition: @escaping @Sendable () -> Bool) async { await Condition.until(condition) }

  /// Sends bytes as they are and reads to the end of the connection.
  func talk(_ text: String) async throws -> String {
    let port = port
    return try await OffPool.run {
      let client = try RawClient(port: port)
      client.send(text)
      return client.readToEnd()
    }
  }
}
