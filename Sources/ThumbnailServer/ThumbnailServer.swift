import Hummingbird
import HummingbirdCore
import ImagePipeline
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Serves thumbnails, originals and days over HTTP: one more caller of the pipeline.
///
///     let server = try ThumbnailServer(configuration, parts: parts)
///     try await server.run()
public final class ThumbnailServer: Sendable {
  /// The pipeline with what the server shares with it.
  public struct Parts: Sendable {
    /// Loads and makes the pictures; shared, with ``decodes`` and ``governor`` in its
    /// configuration.
    public let pipeline: ImagePipeline
    /// The pipeline's disk tier.
    public let cache: DiskCache
    /// The pipeline's governor.
    public let governor: MemoryGovernor
    /// The pipeline's gate.
    public let decodes: DecodeGate
    /// Hears of the pipeline's requests, for the metrics.
    let metrics: ServerMetrics

    /// Makes a pipeline for a server out of a configuration with a disk tier. Beyond the
    /// ``MemoryGovernor/maximumInFlight`` of its governor new requests are turned away; default:
    /// 256 MiB.
    ///
    /// - Parameters:
    ///   - maximumDecodes: Decodes at once.
    ///   - waiting: How many fetches and decodes may wait, and for how long.
    /// - Throws: ``ImageError``: `invalidArgument` without a disk tier, or `outOfMemory`.
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
      // Looks at the disk are not to wait for decodes.
      configuration.threadCount = max(configuration.threadCount, maximumDecodes + 2)
      configuration.observers.append(metrics)
      pipeline = try ImagePipeline(configuration)
      self.cache = cache
      self.governor = governor
      self.decodes = decodes
      self.metrics = metrics
    }
  }

  /// How it ended.
  public enum Ending: Sendable {
    /// Every request was answered, every refresh finished.
    case drained
    /// Some were cut off when the time for draining was over.
    case cut
  }

  private let configuration: Configuration
  private let parts: Parts
  private let executor: BlockingExecutor
  /// For those who ask how it goes, while the others wait.
  private let operation: BlockingExecutor
  private let hot: HotAnswers
  private let refreshes: DayRefreshes
  private let pages: ReaderPages

  /// Prepares a server.
  ///
  /// - Throws: ``ImageError`` with code `outOfMemory`.
  public init(_ configuration: Configuration, parts: Parts) throws(ImageError) {
    self.configuration = configuration
    self.parts = parts
    executor = try BlockingExecutor(name: "serve", threadCount: 4)
    operation = try BlockingExecutor(name: "operation", threadCount: 1)
    pages = try ReaderPages()
    var memory = MemoryCacheConfiguration()
    memory.maximumByteCount = configuration.memoryByteCount
    memory.policy = configuration.memoryPolicy
    if let clock = configuration.monotonicClock { memory.clock = clock }
    let hot = HotAnswers(memory)
    self.hot = hot
    refreshes = DayRefreshes(days: configuration.days) { hot.removeAll() }
  }

  /// Listens and serves until it is told to stop, by a signal or by cancellation; then takes no new
  /// connection and finishes what is under way.
  ///
  /// - Parameters:
  ///   - signals: Whether SIGTERM and SIGINT tell it to stop. Default: yes.
  ///   - onListening: Hears where, when connections are taken.
  /// - Throws: ``ImageError`` with code `cannotListen`.
  public func run(
    signals: Bool = true, onListening: @escaping @Sendable ([ListenTarget]) -> Void = { _ in }
  ) async throws -> Ending {
    // What the framework has to say is told by the metrics and the access log.
    let logger = Logger(label: "imgcache.serve") { _ in SwiftLogNoOpLogHandler() }
    let readiness = Readiness()
    let wasCut = Atomic(false)
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threadCount))
    let dates = DateField(clock: configuration.clock)
    let listener = ServerListener(
      .init(
        targets: configuration.listen, socketMode: configuration.socketMode,
        limits: configuration.limits, drainTime: configuration.drainTime),
      serving: channel(readiness, dates, logger), connections: parts.metrics.connections,
      threads: threads, dates: dates,
      observer: .init(
        onListening: { targets in
          readiness.isReady = true
          onListening(targets)
        },
        onDraining: { [refreshes] in
          readiness.isReady = false
          refreshes.drain()
        },
        onTimeOver: { [refreshes] in refreshes.cut() > 0 },
        onCut: { [pipeline = parts.pipeline] in
          wasCut.store(true, ordering: .relaxed)
          pipeline.invalidate()
        }))
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: listener, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: logger))
    let result = await Result { try await group.run() }
    await refreshes.finish()
    try? await threads.shutdownGracefully()
    hot.tell(parts.cache)
    let executors = [executor, operation]
    // Their threads are joined, so not by one of themselves.
    await Task.detached { for executor in executors { executor.stop() } }.value
    try result.get()
    return refreshes.wasCut || wasCut.load(ordering: .relaxed) ? .cut : .drained
  }

  private func channel(
    _ readiness: Readiness, _ dates: DateField, _ logger: Logger
  ) -> ServerChannel {
    let routes = routes(readiness)
    let responder = routes.router().buildResponder()
    return ServerChannel(
      responder: { request, writer, channel in
        let context = ServerContext(source: .init(channel: channel, logger: logger))
        let response: Response
        do {
          let answer = try await responder.respond(to: request, context: context)
          response =
            answer.headers[.contentSecurityPolicy] == nil
            ? Self.replaced(answer, request, routes) : answer
        } catch {
          response = Problem(.internalServerError, "failed", "The server failed.").answer
            .response(isHead: request.method == .head, executor: routes.executor)
        }
        try await writer.write(response: response.head, body: response.body)
      },
      services: FrontHandler.Services(
        hot: hot, metrics: parts.metrics, accesses: configuration.accesses,
        log: configuration.accessLog.map { AccessLog(clock: dates, write: $0) }, dates: dates,
        limits: configuration.limits),
      names: configuration.serverNames.isEverything ? nil : configuration.serverNames,
      logger: logger)
  }

  /// What the framework answers itself, for a method that it does not route, in our words.
  private static func replaced(
    _ answer: Response, _ request: Request, _ routes: ServerRoutes
  ) -> Response {
    let problem =
      answer.status == .notFound
      ? Problem.notFound : Problem(.internalServerError, "failed", "The server failed.")
    return problem.answer.response(isHead: request.method == .head, executor: routes.executor)
  }

  private func routes(_ readiness: Readiness) -> ServerRoutes {
    let sources = SourcePermission(
      hosts: configuration.allowedHosts, isOffline: configuration.isOffline, cache: parts.cache,
      days: configuration.days, executor: executor)
    let signer =
      configuration.signingKeys.isEmpty ? nil : URLSigner(keys: configuration.signingKeys)
    let pictures = PictureAnswers(
      pipeline: parts.pipeline, sources: sources, hot: hot, rules: configuration.rules,
      signer: signer, grace: configuration.grace,
      placeholders: Placeholders(
        picture: configuration.placeholder, cache: parts.cache, executor: executor,
        decodes: parts.decodes),
      governor: parts.governor,
      clock: configuration.clock)
    let links = PictureLinks(signer: signer)
    return ServerRoutes(
      pictures: pictures,
      days: DayRoutes(
        days: configuration.days, refreshes: refreshes, links: links, cache: parts.cache,
        executor: executor, isOffline: configuration.isOffline),
      reader: ReaderRoutes(
        pages: pages, days: configuration.days, links: links, cache: parts.cache,
        executor: executor, clock: configuration.clock),
      operation: OperationRoutes(
        metrics: parts.metrics, hot: hot, governor: parts.governor, decodes: parts.decodes,
        pipeline: parts.pipeline, cache: parts.cache, readiness: readiness, executor: operation),
      executor: executor)
  }
}

extension Result where Failure == any Error {
  /// What an asynchronous body returns or throws.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
