import CachePolicies
import DiskCaching
import HTTPListening
import Hummingbird
import HummingbirdCore
import ImageModel
import ImagePipeline
import LoadScheduling
import Logging
import NIOCore
import UnixSignals

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
    /// The metrics of the server and of the pipeline.
    let metrics: ServerMetrics

    /// Creates a pipeline for a server from a configuration with a disk tier. New requests are
    /// refused while the bytes in flight exceed `MemoryGovernor.maximumInFlight` of its governor;
    /// default: 256 MiB.
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
      let metrics = ServerMetrics()
      configuration.governor = governor
      configuration.decodeGate = decodes
      configuration.waitingFetches = waiting
      configuration.isShared = true
      // The server keeps responses in memory instead.
      configuration.memory = nil
      // Look-ups on disk must not wait for decodes.
      configuration.threadCount = max(configuration.threadCount, min(maximumDecodes, 1 << 20) + 2)
      configuration.observers.append(MetricsObserver(metrics.registry))
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
  /// The thread of the operation routes, which must not wait for images.
  private let operationExecutor: BlockingExecutor
  let memory: ResponseMemory
  private let rules: RulesInForce
  private let refreshes: DayRefreshes
  private let assets: ReaderAssets

  /// Prepares a server.
  ///
  /// - Throws: `ImageError` with code `outOfMemory`.
  public init(_ configuration: Configuration, parts: Parts) throws(ImageError) {
    self.configuration = configuration
    self.parts = parts
    assets = try ReaderAssets()
    operationExecutor = try BlockingExecutor(name: "operation", threadCount: 1)
    do throws(ImageError) {
      executor = try BlockingExecutor(name: "serve", threadCount: 4)
    } catch {
      operationExecutor.stop()
      throw error
    }
    var memory = MemoryCacheConfiguration()
    memory.maximumByteCount = configuration.memoryByteCount
    memory.policy = configuration.memoryPolicy
    if let clock = configuration.monotonicClock { memory.clock = clock }
    let responses = ResponseMemory(
      memory, disk: parts.cache,
      maximumLifetime: parts.pipeline.configuration.sharedTier?.memoryLifetime)
    self.memory = responses
    rules = RulesInForce(ServingRules(configuration))
    refreshes = DayRefreshes(days: configuration.days) { responses.forgetAll() }
  }

  deinit {
    executor.stop()
    operationExecutor.stop()
  }

  /// Listens and serves until a signal or cancellation; then accepts no new connection and finishes
  /// the requests in progress.
  ///
  /// - Parameters:
  ///   - signals: Whether SIGTERM and SIGINT stop it. Default: yes.
  ///   - onListening: Called with the addresses when connections are accepted.
  /// - Throws: `ImageError` with code `cannotListen`.
  public func run(
    signals: Bool = true, onListening: @escaping @Sendable ([ListenTarget]) -> Void = { _ in }
  ) async throws -> ServerEnding {
    // The metrics and the access log say what Hummingbird would log.
    let logger = Logger(label: "imgcache.serve") { _ in SwiftLogNoOpLogHandler() }
    let readiness = Readiness()
    let dates = DateField(clock: configuration.clock)
    let operation = operationRoutes(readiness)
    let monitor = StatusMonitor(operation, memoryLimit: configuration.memoryByteCount)
    var observer = ListenerObserver()
    observer.onListening = { targets in
      readiness.isReady = true
      onListening(targets)
    }
    observer.onDraining = { [refreshes] in
      readiness.isReady = false
      refreshes.drain()
    }
    observer.onTimeOver = { [refreshes] in refreshes.cut() > 0 }
    observer.onCut = { [pipeline = parts.pipeline] in pipeline.invalidate() }
    let listener = ServerListener(
      configuration.listener, serving: channel(operation, monitor, dates, logger),
      connections: parts.metrics.connections, dates: dates, observer: observer)
    await monitor.sample()
    let monitoring = Task { [monitor] in await monitor.run() }
    let result: Result<ServerEnding, any Error>
    do {
      result = .success(
        try await Self.run(listener, until: signals ? [.sigterm, .sigint] : []))
    } catch {
      result = .failure(error)
    }
    await refreshes.finish()
    parts.metrics.report(memory.cache.statistics, to: parts.cache)
    monitoring.cancel()
    await monitoring.value
    await executor.shutdown()
    await operationExecutor.shutdown()
    let ending = try result.get()
    return refreshes.wasCut ? .cut : ending
  }

  /// Applies other rules to further requests; those in progress end with the rules that they
  /// began with.
  ///
  /// - Parameter configuration: Its allowed hosts, keys, thumbnails, placeholder, stale grace and
  ///   separator of tags count; other differences need another server.
  public func replaceRules(by configuration: Configuration) {
    rules.replace(by: ServingRules(configuration))
    memory.forgetAll()
  }

  /// Runs a listener until the task is cancelled or one of the signals arrives.
  private static func run(
    _ listener: ServerListener<ServerChannel>, until signals: [UnixSignal]
  ) async throws -> ServerEnding {
    try await withThrowingTaskGroup(of: ServerEnding?.self) { group in
      group.addTask { try await listener.run() }
      if !signals.isEmpty {
        group.addTask {
          for await _ in await UnixSignalsSequence(trapping: signals) { break }
          return nil
        }
      }
      var ending = ServerEnding.drained
      // The first to end, the listener or the wait for a signal, cancels the other.
      for try await ended in group {
        group.cancelAll()
        ending = ended ?? ending
      }
      return ending
    }
  }

  private func channel(
    _ operation: OperationRoutes, _ monitor: StatusMonitor, _ dates: DateField, _ logger: Logger
  ) -> ServerChannel {
    let routes = RouteBuilder(executor: executor, rules: rules)
    let responder = router(routes, operation, monitor).buildResponder()
    return ServerChannel(
      responder: { request, writer, channel in
        let context = ServerContext(source: .init(channel: channel, logger: logger))
        var response: Response
        do {
          let request = RouteBuilder.routable(request)
          response =
            if let scope = ClientPresence.current?.scope {
              try await scope.run { try await responder.respond(to: request, context: context) }
            } else {
              try await responder.respond(to: request, context: context)
            }
          // Hummingbird's own response.
          if response.headers[.contentSecurityPolicy] == nil {
            let problem: Problem = response.status == .notFound ? .notFound : .failed
            response = routes.respond(to: request, problem.answer)
          }
        } catch {
          response = routes.respond(to: request, Problem.failed.answer)
        }
        try await writer.write(response: response.head, body: response.body)
      },
      services: FrontHandler.Services(
        memory: memory.cache, clock: memory.clock, metrics: parts.metrics,
        accesses: configuration.accesses,
        log: configuration.accessLog.map { AccessLog(clock: dates, write: $0) }, dates: dates,
        limits: configuration.listener.limits, tracer: parts.pipeline.configuration.tracer),
      names: configuration.listener.checkedNames,
      logger: logger)
  }

  private func operationRoutes(_ readiness: Readiness) -> OperationRoutes {
    OperationRoutes(
      metrics: parts.metrics, memory: memory.cache, governor: parts.governor,
      decodes: parts.decodes, pipeline: parts.pipeline, cache: parts.cache, readiness: readiness,
      executor: operationExecutor)
  }

  /// The paths that have routes, such as `/days/{day}`; `**` is every other path.
  var paths: Set<String> {
    let operation = operationRoutes(Readiness())
    let monitor = StatusMonitor(operation, memoryLimit: configuration.memoryByteCount)
    let routes = RouteBuilder(executor: executor, rules: rules)
    return Set(router(routes, operation, monitor).routes.map { "\($0.path)" })
  }

  private func router(
    _ routes: RouteBuilder, _ operation: OperationRoutes, _ monitor: StatusMonitor
  ) -> Router<ServerContext> {
    let sources = SourcePermission(
      isOffline: configuration.isOffline, cache: parts.cache, days: configuration.days,
      executor: executor)
    let router = Router(context: ServerContext.self)
    ImageRoutes(
      pipeline: parts.pipeline, sources: sources, memory: memory, rules: rules,
      placeholders: Placeholders(
        cache: parts.cache, executor: executor, decodes: parts.decodes, memory: memory.cache),
      information: ImageInformation(
        cache: parts.cache, executor: executor, decodes: parts.decodes,
        limits: parts.pipeline.configuration.limits),
      governor: parts.governor, clock: configuration.clock
    ).add(to: routes, router)
    DayRoutes(
      days: configuration.days, refreshes: refreshes, rules: rules, cache: parts.cache,
      executor: executor, isOffline: configuration.isOffline
    ).add(to: routes, router)
    PurgeRoutes(
      pipeline: parts.pipeline, days: configuration.days, rules: rules, metrics: parts.metrics,
      executor: executor
    ).add(to: routes, router)
    ReaderRoutes(
      assets: assets, days: configuration.days, rules: rules, cache: parts.cache,
      executor: executor, clock: configuration.clock
    ).add(to: routes, router)
    operation.add(to: routes, router)
    StatusRoutes(monitor: monitor, rules: rules, clock: configuration.clock).add(to: routes, router)
    routes.refuseOthers(router)
    return router
  }
}
