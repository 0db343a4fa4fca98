public import DiskCaching
public import HTTPCaching
public import HTTPListening
public import HTTPTypes
public import ImageFetching
public import ImageModel
import LoadScheduling
import NIOHTTP1

/// A caching reverse proxy in front of one origin, for content of any kind: a shared cache by RFC
/// 9111.
///
/// Every method and every end-to-end field is passed on, bodies are streamed and not changed, equal
/// requests in flight share one response, and interim responses are passed on. `Age`, `Via` and
/// `Cache-Status` are added.
public final class CachingProxy: Sendable {
  /// Where responses are stored.
  public enum Storage: Sendable {
    /// In a cache directory, as originals under their URLs.
    case disk(DiskCache)
    /// In memory, up to a number of bytes, heads included.
    case memory(maximumByteCount: Int)
    /// In a store of the caller's.
    case store(any StreamingResponseStore)
  }

  /// The configuration of a proxy.
  public struct Configuration: Sendable {
    /// How it listens, and what its clients may use of it. The names of the server are checked
    /// where a request names the proxy's own port. Default: on 127.0.0.1, any free port.
    public var listener = ListenerConfiguration([.tcp(host: "127.0.0.1", port: 0)])
    /// An http or https URL at any address; its path goes before the path of every request.
    public var origin: String
    /// Where responses are stored.
    public var storage: Storage
    /// How requests for some paths are treated; the first rule that matches counts. Default: none.
    public var rules: [ProxyRule] = []
    /// The fields that take the place of `Cache-Control`: see `targetedFields` of `CacheProfile`.
    public var targetedFields = CacheProfile().targetedFields
    /// Whether responses with `Set-Cookie` are stored and shared as any other, as RFC 9111 §7.3
    /// allows. Otherwise only those that are `public` are, and without that field. Default: false.
    public var storesSetCookie = false
    /// Fields that are sent to the origin, if it is at their host, in place of the requests' own.
    /// Responses are stored with a mark of them; a cache on disk is opened with the same ones in
    /// `DiskCache.Configuration.originHeaders`. Default: none.
    public var originHeaders = OriginHeaders()
    /// The certificates that the origin may prove itself by. Default: the system's.
    public var certificates = TrustedCertificates()
    /// Whether it also answers with entries of the directory that were fetched with other
    /// ``originHeaders``, and with those that a private cache has stored. Default: false.
    public var usesPrivateEntries = false
    /// A cache that several servers share, behind ``storage``: responses to `GET` without `Vary`,
    /// `Set-Cookie` and `Cache-Groups` that every client may have. Without effect with
    /// ``originHeaders``, which others may not have.
    /// Default: none.
    public var sharedTier: (any SharedResponseTier)?
    /// The keys, one of which every purge needs; `nil` if nothing is removed over HTTP. Default:
    /// none.
    public var adminKeys: [SigningKey]?
    /// What is logged of each response. Default: nothing.
    public var accessLog: AccessLog.Configuration?
    /// The limits of requests to the origin; what has to wait too long for others gets a 503.
    public var originLimits = OriginClient.Limits()
    /// How long a request waits for the response to an equal one before it goes to the origin
    /// itself. Default: 5 s.
    var maximumSharedWait = Duration.seconds(5)
    /// The clock. Default: the system's.
    public var clock: @Sendable () -> Date = { Date() }
    /// Called with a line about each failure, for people. Default: does nothing.
    public var log: @Sendable (String) -> Void = { _ in }

    /// The defaults.
    public init(origin: String, storage: Storage) {
      self.origin = origin
      self.storage = storage
    }
  }

  /// The maximum bytes of a request's fields; those beyond ASCII count twice.
  /// More is 431.
  private static let maximumHeadByteCount = 128 << 10
  private static let readyByteCount = 16 << 20

  private let configuration: Configuration
  let services: ProxyServices
  let executor: BlockingExecutor
  let operation: ServerOperation
  let metrics = ServerMetrics(ProxyRoute.self)

  /// Prepares a proxy.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an origin that is not a URL, or
  ///   `outOfMemory`.
  public init(_ configuration: Configuration) throws(ImageError) {
    self.configuration = configuration
    var profile = CacheProfile.proxy(storesSetCookie: configuration.storesSetCookie)
    profile.usesPrivateEntries = configuration.usesPrivateEntries
    profile.targetedFields = configuration.targetedFields
    let store: any StreamingResponseStore
    var readyByteCount = Self.readyByteCount
    switch configuration.storage {
    case .disk(let cache):
      store = cache.streamingStore(profile: profile, log: configuration.log)
    case .memory(let maximum):
      // An eighth for the heads of responses that are ready.
      readyByteCount = min(readyByteCount, maximum / 8)
      store = MemoryProxyStore(maximumByteCount: maximum - readyByteCount)
    case .store(let own): store = own
    }
    let client = try OriginClient(
      origin: configuration.origin, limits: configuration.originLimits,
      headers: configuration.originHeaders, certificates: configuration.certificates)
    executor = try BlockingExecutor(name: "proxy", threadCount: 8)
    // Written also before the first.
    for counter in Self.help.keys { metrics.add(0, to: counter) }
    let keys = RequestKeys(
      configuration.rules, base: client.origin + client.pathPrefix, stored: store.variedResponses())
    services = ProxyServices(
      client: client, store: store,
      cache: HTTPCache(
        store, profile: profile, clock: configuration.clock, keys: { keys.all(for: $0) }),
      ready: ReadyResponses(maximumByteCount: readyByteCount),
      flights: FlightTable(patience: configuration.maximumSharedWait),
      keys: keys,
      forwarded: ForwardedFields(configuration.listener),
      admins: Locked(configuration.adminKeys),
      metrics: metrics,
      tier: configuration.originHeaders.isEmpty ? configuration.sharedTier : nil,
      exchanges: BackgroundTasks(on: executor), via: ViaField(), clock: configuration.clock,
      log: configuration.log)
    do throws(ImageError) {
      operation = try ServerOperation(
        metrics, help: Self.help, clock: configuration.clock
      ) { [services, storage = configuration.storage] in
        await Self.reading(services, storage)
      }
    } catch {
      executor.stop()
      throw error
    }
  }

  deinit { executor.stop() }

  /// Accepts other admin keys from now on; `nil` for none.
  public func replaceAdminKeys(by keys: [SigningKey]?) {
    services.admins.withLock { $0 = keys }
  }

  /// Listens and serves until the task is cancelled; then accepts no new connection and finishes
  /// the requests in progress.
  ///
  /// - Parameter onListening: Called with the addresses when connections are accepted.
  /// - Throws: `ImageError` with code `cannotListen`.
  public func run(
    onListening: @escaping @Sendable ([ListenTarget]) -> Void = { _ in }
  ) async throws -> ServerEnding {
    let (client, log) = (services.client, configuration.log)
    let stopped = Locked<ContinuousClock.Instant?>(nil)
    var observer = ListenerObserver()
    observer.onListening = onListening
    observer.onDraining = { stopped.withLock { $0 = .now } }
    // Aborts requests that wait for the origin.
    observer.onCut = { client.stop() }
    observer.onPause = { log("Too many open files; accepting no connections until some close") }
    let purges = Task { [services] in
      let (tier, store) = (services.tier, services.store)
      await tier?.receivePurges(since: await store.lastSharedPurge) { purge in
        for url in purge.urls { services.flights.outdate(url) }
        // Whose responses have it is not known yet.
        if !purge.tags.isEmpty { services.flights.outdate(nil) }
        try await store.forget(purge)
      }
    }
    defer { purges.cancel() }
    let front = front
    let operators = RouteResponder(operatorRoutes, front) { error in
      (error as? ImageError).map {
        Problem(.internalServerError, $0.code.rawValue, "The proxy's cache failed.")
      }
    }
    let result = await operation.run(
      front, ProxyResponder(services: services), operators: operators, observer
    ) { [services] front in { ProxyHits(front, services, of: $0) } }
    // A response that is stored after its client has left has to end in that time, too.
    let drainTime = min(configuration.listener.drainTime, .nanoseconds(Int64.max))
    let end = (stopped.withLock { $0 } ?? .now) + drainTime
    let deadline = Task {
      try await Task.sleep(until: end, clock: .continuous)
      client.stop()
    }
    await services.exchanges.finish()
    deadline.cancel()
    await client.shutdown()
    await executor.shutdown()
    return try result.get()
  }

  private var front: ServerFront {
    var front = ServerFront(
      configuration.listener, metrics: metrics, clock: configuration.clock, on: executor,
      log: configuration.accessLog)
    front.isOfProxy = true
    front.bounds.maxHeaderListSize = Self.maximumHeadByteCount
    front.bounds.maxHeaderFieldSize = Self.maximumHeadByteCount
    front.refusal = { ProxyRequest.refusal(of: $1, $0) }
    return front
  }
}
