public import CachePolicies
public import DiskCaching
import HTTPCaching
public import HTTPListening
public import ImageModel
public import ImagePipeline
public import LoadScheduling
import NIOCore
import NIOHTTP1

/// Serves thumbnails, originals and days over HTTP, from an `ImagePipeline`.
///
///     let server = try ThumbnailServer(configuration, parts: parts)
///     try await server.run()
public final class ThumbnailServer: Sendable {
  /// The pipeline with what the server shares with it.
  public struct Parts: Sendable {
    /// Loads and processes the images; shared, with ``decodes`` and ``governor`` in its
    /// configuration.
    public let pipeline: ImagePipeline
    /// The pipeline's disk tier.
    public let cache: DiskCache
    /// The pipeline's governor.
    public let governor: MemoryGovernor
    /// The pipeline's gate.
    public let decodes: DecodeGate
    let metrics: ServerMetrics

    /// Creates a pipeline for a server from a configuration with a disk tier. New requests are
    /// refused while the bytes in flight exceed the `maximumInFlight` of its governor; default:
    /// 256 MiB.
    ///
    /// - Parameters:
    ///   - configuration: The fetcher, the disk tier and the limits. Memory tier, gate, waiting
    ///     fetches and `isShared` are set here.
    ///   - maximumDecodes: Decodes at once.
    ///   - waiting: How many fetches and decodes may wait, and for how long.
    /// - Throws: `ImageError`: `invalidArgument` without a disk tier, or `outOfMemory`.
    public init(
      _ configuration: ImagePipeline.Configuration, maximumDecodes: Int, waiting: WaitLimits
    ) throws(ImageError) {
      guard let cache = configuration.diskCache else {
        throw ImageError(.invalidArgument, "a server needs a disk cache")
      }
      var configuration = configuration
      let governor = configuration.governor ?? MemoryGovernor(maximumInFlight: 256 << 20)
      let decodes = DecodeGate(maximum: maximumDecodes, waiting: waiting)
      let metrics = ServerMetrics(ThumbnailRoute.self)
      // Written also before the first removal.
      metrics.add(0, to: PurgeRequest.counter)
      configuration.governor = governor
      configuration.decodeGate = decodes
      configuration.waitingFetches = waiting
      configuration.isShared = true
      // The server keeps responses in memory instead.
      configuration.memory = nil
      // Look-ups on disk must not wait for decodes.
      configuration.threadCount = max(configuration.threadCount, min(maximumDecodes, 1 << 20) + 2)
      configuration.observers.append(MetricsObserver(metrics.factory))
      pipeline = try ImagePipeline(configuration)
      self.cache = cache
      self.governor = governor
      self.decodes = decodes
      self.metrics = metrics
    }
  }

  private let configuration: Configuration
  private let parts: Parts
  private let executor: BlockingExecutor
  let memory: ResponseMemory
  private let rules: RulesInForce
  private let refreshes: DayRefreshes
  private let assets: ReaderAssets
  private let operation: ServerOperation
  private let refusals: RefusalLog

  /// Prepares a server.
  ///
  /// - Throws: `ImageError` with code `outOfMemory`.
  public init(_ configuration: Configuration, parts: Parts) throws(ImageError) {
    self.configuration = configuration
    self.parts = parts
    assets = try ReaderAssets()
    var memory = MemoryCacheConfiguration()
    memory.maximumByteCount = configuration.memoryByteCount
    memory.policy = configuration.memoryPolicy
    if let clock = configuration.monotonicClock { memory.clock = clock }
    let responses = ResponseMemory(
      memory, disk: parts.cache, loopCount: configuration.listener.threadCount,
      maximumLifetime: parts.pipeline.configuration.sharedTier?.memoryLifetime)
    self.memory = responses
    rules = RulesInForce(ServingRules(configuration))
    refreshes = DayRefreshes(days: configuration.days) { responses.forgetAll() }
    operation = try ServerOperation(parts.metrics, help: Self.help, clock: configuration.clock) {
      [limit = configuration.memoryByteCount] in
      await Self.reading(parts, responses, limit)
    }
    refusals = RefusalLog(clock: configuration.clock, write: configuration.log)
    executor = try BlockingExecutor(name: "serve", threadCount: 8)
  }

  deinit { executor.stop() }

  /// Listens and serves until the task is cancelled; then accepts no new connection and finishes the
  /// requests in progress.
  ///
  /// - Parameter onListening: Called with the addresses when connections are accepted.
  /// - Throws: `ImageError` with code `cannotListen`.
  public func run(
    onListening: @escaping @Sendable ([ListenTarget]) -> Void = { _ in }
  ) async throws -> ServerEnding {
    var observer = ListenerObserver()
    observer.onListening = onListening
    observer.onDraining = { [refreshes] in refreshes.drain() }
    observer.onTimeOver = { [refreshes] in refreshes.cut() > 0 }
    observer.onCut = { [pipeline = parts.pipeline] in pipeline.invalidate() }
    let front = front(under: configuration.pathPrefix)
    let result = await operation.run(
      front, responder(contentRoutes, front), operators: responder(operatorRoutes, front), observer
    ) { [memory, accesses = configuration.accesses] front in
      let responses = LoopResponses(of: memory)
      return { ThumbnailHits(front, responses, accesses: accesses, of: $0) }
    }
    await refreshes.finish()
    memory.report(to: parts.cache)
    await executor.shutdown()
    let ending = try result.get()
    return refreshes.wasCut ? .cut : ending
  }

  /// The routes of images, and those that remove them, below a path of another server. They serve
  /// whether or not ``run(onListening:)`` does, share its memory and counters, and keep the server
  /// for as long as they exist.
  ///
  /// - Parameter path: The path, such as `/images`. A signature is that of the whole path,
  ///   `/images/thumb`. Default: the root.
  public func routes(under path: String = "") -> MountedRoutes {
    let prefix = Configuration.pathPrefix(of: path)
    let front = front(under: prefix)
    var routes = imageRoutes(under: prefix)
    purges.add(to: &routes)
    operation.addMetrics(to: &routes)
    return MountedRoutes(front, responder(routes, front)) { [self] request in
      ThumbnailHits.hit(for: request, front, configuration.accesses, at: memory.clock()) { target in
        memory.cache.response(to: target, under: prefix) {
          ContentNegotiation(accept: request.facts.accept.map { [$0] } ?? [])
        }
      }
    }
  }

  /// Applies other rules to further requests; those in progress end with the rules that they
  /// began with.
  ///
  /// - Parameter configuration: Its allowed hosts, keys, thumbnails, placeholder, stale grace and
  ///   separator of tags count; other differences need another server.
  public func replaceRules(by configuration: Configuration) {
    rules.withLock { $0 = ServingRules(configuration) }
    memory.forgetAll()
  }

  private func front(under prefix: String) -> ServerFront {
    let limits = configuration.listener.limits
    var front = ServerFront(
      configuration.listener, metrics: parts.metrics, clock: configuration.clock, on: executor,
      log: configuration.accessLog
    ) { URLSigner.hidden(in: $0) }
    front.pathPrefix = prefix
    let byteCount =
      min(limits.maximumFieldByteCount, 1 << 30) + min(limits.maximumTargetByteCount, 1 << 30)
    front.bounds.maxHeaderListSize = 2 * byteCount
    front.bounds.maxHeaderFieldSize = front.bounds.maxHeaderListSize
    front.bounds.maxHeaderFieldCount = 10 * min(limits.maximumFieldCount, 1 << 20)
    front.refusal = { facts, head in
      facts.problem(head, limits, maximumBody: PurgeRequest.maximumBody(of: head))
    }
    front.tracer = parts.pipeline.configuration.tracer
    return front
  }

  private func responder(_ routes: RouteTable, _ front: ServerFront) -> RouteResponder {
    RouteResponder(routes, front) { ($0 as? ImageError).map { Problem($0) } }
  }

  var paths: Set<String> { Set(contentRoutes.paths).union(operatorRoutes.paths) }

  private var operatorRoutes: RouteTable {
    var routes = RouteTable { [rules] in rules.current.admins }
    operation.addHealth(to: &routes)
    operation.addPages(to: &routes)
    purges.add(to: &routes)
    return routes
  }

  private var purges: PurgeRoutes {
    PurgeRoutes(
      pipeline: parts.pipeline, days: configuration.days, metrics: parts.metrics,
      executor: executor)
  }

  private func imageRoutes(under prefix: String) -> RouteTable {
    var routes = RouteTable { [rules] in rules.current.admins }
    let sources = SourcePermission(
      isOffline: configuration.isOffline, cache: parts.cache, days: configuration.days)
    ImageRoutes(
      pipeline: parts.pipeline, sources: sources, memory: memory, rules: rules,
      placeholders: Placeholders(
        cache: parts.cache, pipeline: parts.pipeline, decodes: parts.decodes, memory: memory.cache),
      information: ImageInformation(
        cache: parts.cache, pipeline: parts.pipeline, decodes: parts.decodes),
      governor: parts.governor, refusals: refusals, clock: configuration.clock, prefix: prefix
    ).add(to: &routes)
    return routes
  }

  private var contentRoutes: RouteTable {
    var routes = imageRoutes(under: configuration.pathPrefix)
    guard !configuration.servesOnlyImages else {
      operation.addHealth(to: &routes)
      return routes
    }
    let reader = ReaderRoutes(
      assets: assets, days: configuration.days, rules: rules, cache: parts.cache,
      clock: configuration.clock)
    DayRoutes(
      days: configuration.days, refreshes: refreshes, rules: rules, cache: parts.cache,
      isOffline: configuration.isOffline, page: reader.page
    ).add(to: &routes)
    purges.add(to: &routes)
    reader.add(to: &routes)
    operation.addHealth(to: &routes)
    // Apart from the content, where there are listeners for operators.
    if configuration.listener.operatorTargets.isEmpty { operation.addPages(to: &routes) }
    return routes
  }

  // MARK: What operators see

  static let help = [
    PurgeRequest.counter: "Entries removed by request.",
    "imgcache_stage_duration_seconds": "Stages of loads.",
    ServerMetrics.collapsed: "Loads that shared the work of another one.",
    "imgcache_loads_total": "Loads of images by tier and outcome.",
    "imgcache_load_duration_seconds": "Duration of successful loads.",
    "imgcache_load_bytes_total": "Bytes of successful loads.",
    "imgcache_documents_total": "Loads of feed documents and story pages by tier and outcome.",
  ]

  /// The state of the server; `limit` is the most bytes of responses in memory.
  static func reading(
    _ parts: Parts, _ responses: ResponseMemory, _ limit: Int
  ) async -> ServerReading {
    responses.report(to: parts.cache)
    var reading = ServerReading()
    reading.disk = await parts.cache.statistics()
    let hits = responses.statistics
    var memory = ServerReading.Memory()
    (memory.entryCount, memory.byteCount) = (responses.cache.count, responses.cache.byteCount)
    memory.maximumByteCount = limit
    (memory.hitCount, memory.missCount) = (hits.hitCount, hits.missCount)
    memory.evictionCount = hits.evictionCount
    reading.memory = memory
    reading.tier = parts.pipeline.configuration.sharedTier
    reading.running = ["decode": parts.decodes.runningCount]
    reading.waiting = [
      "decode": parts.decodes.pendingCount, "fetch": parts.pipeline.queuedFetchCount,
    ]
    reading.byteCountInFlight = parts.governor.byteCountInFlight
    return reading
  }
}
