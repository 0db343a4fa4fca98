import CachePolicies
import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageCodecs
import ImageFetching
import ImageModel
import LoadScheduling
import Synchronization

/// Everything that is loaded is a node: an original with what its decode makes (``OriginalNode``), an
/// image after some steps of a chain (``PixelsNode``), an encoded result (``ResultNode``). Equal
/// nodes are made once, for all callers that wait.
///
/// The last caller that leaves ends the nodes that no other caller waits for.
final class ImageGraph: Sendable {
  let configuration: ImagePipeline.Configuration
  private let originHeaders: OriginHeaders
  /// Threads that may block and compute: nodes run there.
  let executor: BlockingExecutor
  let memory: (any ImageMemoryCaching)?
  let background = BackgroundWork()
  let queue: JobQueue
  let hosts: HostLimiter
  let negatives: NegativeAnswers
  let purges: PurgeEffects
  let originals: OriginalCache
  let costs = LoadCosts()
  let originalNodes: TaskCoalescer<MemoryKey, OriginalResult, LoadUpdate, DecodePlan.Part>
  let pixelsNodes: TaskCoalescer<MemoryKey, MadeImage, LoadUpdate, Never>
  let resultNodes: TaskCoalescer<MemoryKey, DataResponse, LoadUpdate, Never>
  /// The runs of originals that have ended; see ``OriginalLookup/isCurrent(in:)``.
  let endedOriginals = Atomic<UInt64>(0)

  init(_ configuration: ImagePipeline.Configuration) throws(ImageError) {
    self.configuration = configuration
    originHeaders = configuration.originHeaders
    memory =
      configuration.sharedMemory ?? configuration.memory.map { MemoryCache<DecodedImage>($0) }
    negatives = NegativeAnswers()
    purges = PurgeEffects(
      configuration.diskCache, memory: memory, negatives: negatives)
    originals = OriginalCache(
      DiskResponseStore(
        disk: configuration.diskCache?.core, kind: .originals, headers: originHeaders),
      profile: .images(isShared: configuration.isShared), clock: configuration.clock)
    executor = try BlockingExecutor(name: "images", threadCount: configuration.threadCount)
    originalNodes = TaskCoalescer(executor: executor)
    pixelsNodes = TaskCoalescer(executor: executor)
    resultNodes = TaskCoalescer(executor: executor)
    configuration.diskCache?.share(executor)
    queue = JobQueue(
      maximumRunning: configuration.maximumFetches,
      maximumPerHost: configuration.maximumFetchesPerHost,
      reservedForForeground: min(configuration.reservedFetches, configuration.maximumFetches - 1),
      rate: configuration.maximumFetchRate, waiting: configuration.waitingFetches,
      clock: configuration.queueClock)
    if let tier = configuration.sharedTier, let cache = configuration.diskCache {
      purges.startReceiving(from: tier, cache)
    }
    if let governor = configuration.governor {
      if let memory { governor.add(memory) }
      governor.startWatching()
    }
    hosts = HostLimiter(
      queue: queue, maximum: configuration.maximumFetchesPerHost,
      maximumStreams: configuration.maximumStreamsPerHost, clock: configuration.queueClock)
  }

  deinit { executor.stop() }

  /// The disk cache, for nodes: their threads may block.
  var disk: DiskStore? { configuration.diskCache?.core }
  var activeCount: Int { originalNodes.count + pixelsNodes.count + resultNodes.count }
  /// The number of callers that wait for nodes, nodes among them.
  var waitingCount: Int {
    originalNodes.waiterCount + pixelsNodes.waiterCount + resultNodes.waiterCount
  }
  func waitingCount(forOriginalOf request: ImageRequest) -> Int {
    (try? resolve(request)).map { originalNodes.waiterCount(for: $0.originalKey) } ?? 0
  }

  /// Ends all loads with an error, later ones too.
  func close(throwing error: ImageError) {
    let tasks =
      resultNodes.close(throwing: error) + pixelsNodes.close(throwing: error)
      + originalNodes.close(throwing: error)
    for task in tasks { task.cancel() }
    background.cancelAll()
    purges.stopReceiving()
  }

  func finish() async {
    purges.stopReceiving()
    await background.finish()
    // Each kind is made of those below it.
    await resultNodes.finish()
    await pixelsNodes.finish()
    await originalNodes.finish()
  }

  /// Checks a request and the thumbnails made beside it, and computes what follows from it.
  ///
  /// - Throws: `ImageError` for values that fit no image, and for a URL that is not fetched.
  func resolve(
    _ request: ImageRequest, thumbnails: [ThumbnailRecipe] = []
  ) throws(ImageError) -> ResolvedRequest {
    do throws(ImageError) {
      for recipe in thumbnails { try recipe.check(limits: configuration.limits) }
      try request.check(limits: configuration.limits)
      let resolved = ResolvedRequest(request, configuration, epoch: purges.epoch)
      // A hook may replace the URL.
      if resolved.localPath == nil, configuration.prepare == nil, request.supplied == nil {
        try configuration.fetcher.check(resolved.request.url)
        for url in request.network.alternates { try configuration.fetcher.check(url) }
      }
      guard !resolved.cacheURL.isEmpty else {
        throw ImageError(
          .invalidArgument, "the key of the request is empty: its URL as cached, or cache.key")
      }
      return resolved
    } catch {
      var failure = error
      failure.url = request.url
      throw failure
    }
  }

  /// Whether a node for a request may begin on its caller's thread: it reads no file.
  func beginsHere(_ resolved: ResolvedRequest) -> Bool {
    disk == nil && resolved.localPath == nil
  }

  // MARK: Memory

  /// The image, if it is in memory and may be shown without a request to the origin: no task, no
  /// wait, no system call.
  func inMemory(_ request: ImageRequest) -> ImageResponse? {
    guard let memory else { return nil }
    let policy = configuration.policy(for: request)
    guard policy != .revalidate, policy != .reload,
      request.network.headers.isEmpty || request.network.headers[.cacheControl] == nil,
      let image = memory.value(
        for: memoryKey(of: request)),
      policy != .http && configuration.sharedTier == nil
        || configuration.clock() < image.freshUntil
    else { return nil }
    return ImageResponse(
      url: request.url, decoded: image, source: .memory, freshness: .fresh, steps: [],
      elapsed: .zero)
  }

  /// The key of a request's image in memory.
  func memoryKey(of request: ImageRequest) -> MemoryKey {
    request.memoryKey(
      cacheURL: configuration.cacheURL(of: request), originHeaders: originHeaders)
  }

  /// Keeps an image in memory. Of all callers, the first whose request says so inserts it.
  private func insertIntoMemory(_ made: MadeImage, for resolved: ResolvedRequest) {
    guard resolved.request.cache.keepsInMemory, made.isStorable, let memory,
      made.isInMemory.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    let start = ContinuousClock.now
    var image = made.decoded
    image.url = resolved.cacheURL
    let key = memoryKey(of: resolved.request)
    if !memory.insert(image, for: key, byteCount: image.byteCount, lifetime: nil) {
      made.recorder.record(
        .memory, "not kept: \(image.byteCount) bytes are more than one image may take", since: start
      )
    }
    // Not what was requested before a purge.
    if resolved.epoch != purges.epoch { memory.remove(key) }
  }

  // MARK: Loads

  /// Runs the load of a caller, for as long as its request may take.
  func limited<Response: Sendable>(
    _ load: Load, _ body: @escaping @Sendable () async throws -> Response
  ) async throws -> Response {
    do {
      guard let time = load.resolved.request.network.timeout else { return try await body() }
      return try await race(load, time, body)
    } catch {
      throw load.resolved.failure(error)
    }
  }

  /// A separate function, so that the frames of callers without a limit are small.
  @inline(never)
  private func race<Response: Sendable>(
    _ load: Load, _ time: Duration, _ body: @escaping @Sendable () async throws -> Response
  ) async throws -> Response {
    try await withThrowingTaskGroup(of: Response.self) { group in
      group.addTask { try await body() }
      group.addTask { [clock = configuration.queueClock] in
        try await clock.sleep(time)
        throw ImageError(
          .timedOut,
          "\(load.resolved.request.url): not loaded within \(time), ImageRequest.network.timeout"
        )
      }
      defer { group.cancelAll() }
      guard let response = try await group.next() else { throw CancellationError() }
      return response
    }
  }

  func image(_ load: Load) async throws -> ImageResponse {
    let (start, request) = (ContinuousClock.now, load.resolved.request)
    let made = try await limited(load) {
      try await PixelsNode.join(
        load, request.processing, storesResult: load.resolved.storesPixels)
    }
    load.watch.recorder.link(made.recorder)
    insertIntoMemory(made, for: load.resolved)
    return ImageResponse(
      url: request.url, decoded: made.decoded, source: made.source,
      freshness: made.freshness, steps: made.recorder.steps, elapsed: ContinuousClock.now - start)
  }

  func data(_ load: Load) async throws -> DataResponse {
    var response = try await limited(load) { [self] in
      if load.resolved.request.isProcessed { return try await ResultNode.join(load) }
      return try await delivered(
        OriginalNode.join(load, DecodePlan.Part(isStored: load.resolved.storesOriginal)),
        load.resolved)
    }
    response.wasShared = response.recorder !== load.watch.recorder
    load.watch.recorder.link(response.recorder)
    return response
  }

  /// An original and thumbnails of it, with one decode.
  func thumbnailed(
    _ load: Load, _ recipes: [ThumbnailRecipe]
  ) async throws -> ThumbnailedResponse {
    let resolved = load.resolved
    let original = try await OriginalNode.join(
      load, DecodePlan.Part(variants: Set(recipes), isStored: resolved.storesOriginal))
    load.watch.recorder.link(original.recorder)
    var response = ThumbnailedResponse(original: try await delivered(original, resolved))
    for recipe in recipes {
      var request = resolved.request
      request.thumbnail = recipe
      request.storage.rule = resolved.storesOriginal ? .both : .result
      do {
        let made = try await ResultNode.join(
          Load(self, try resolve(request), load.watch), known: original)
        response.thumbnails.append(.success(made))
      } catch {
        guard let error = resolved.failure(error) as? ImageError else { throw error }
        response.thumbnails.append(.failure(error))
      }
    }
    return response
  }

  private func delivered(
    _ original: OriginalResult, _ resolved: ResolvedRequest
  ) async throws -> DataResponse {
    let body: DataResponse.Body =
      if let path = original.path {
        .file(path: path)
      } else if original.body.staged == nil {
        .bytes(try original.body.bytes())
      } else {
        .bytes(
          try await executor.run(priority: resolved.request.priority) {
            try original.body.bytes()
          })
      }
    var response = DataResponse(
      resolved.request.url, body, byteCount: original.body.byteCount, original: original.record,
      source: original.source, freshness: original.freshness, recorder: original.recorder)
    response.path = disk?.location(of: original.record)
    response.add(costOf: original)
    return response
  }

  /// Sends a request to the origin while callers receive the stored response.
  func refresh(_ resolved: ResolvedRequest) {
    var request = resolved.request
    request.cache.policy = .revalidate
    request.priority = .low
    let refreshed = ResolvedRequest(request, configuration, epoch: purges.epoch)
    background.start(for: refreshed.originalKey) { [self] in
      let recorder = recorder(for: refreshed.request, span: "image refresh")
      do {
        let original = try await OriginalNode.join(
          Load(self, refreshed, LoadWatch(priority: LivePriority(.low), recorder: recorder)),
          DecodePlan.Part(isStored: refreshed.storesOriginal))
        recorder.span?.end(
          .success(
            LoadReport.Ending(
              source: original.source, freshness: original.freshness,
              byteCount: original.byteCount)))
      } catch {
        // If the failure lasts, the next request meets it.
        recorder.span?.end(.failure(refreshed.failure(error)))
      }
    }
  }

  // MARK: What is stored

  /// The original of a request, as a file, if it is on disk and may be used without a request to its
  /// origin; on a thread that may block. `begin` is called for one that is.
  func stored(_ request: ImageRequest, begin: () -> LoadRecorder) -> DataResponse? {
    guard let disk, configuration.sharedTier == nil, !request.isProcessed,
      let resolved = try? resolve(request), resolved.localPath == nil
    else { return nil }
    let lookup = OriginalLookup(Load(self, resolved, LoadRecorder()), at: request.priority)
    guard case .deliver(let entry, let freshness, _) = lookup.answer, !entry.record.isNegative,
      freshness != .staleWhileRevalidating,
      let path = disk.path(for: entry.record.key, protecting: request.isPinned)
    else { return nil }
    if !request.storage.groups.isSubset(of: entry.record.groups) {
      addGroups(of: request, to: entry.record.key)
    }
    negatives.forget(resolved.cacheURL, for: resolved.credentials.own)
    let recorder = begin()
    recorder.record(.disk, lookup.answer.outcome, since: .now - lookup.elapsed)
    var response = DataResponse(
      request.url, .file(path: path), byteCount: entry.record.byteCount, original: entry.record,
      source: .disk, freshness: freshness, recorder: recorder)
    response.path = path
    return response
  }

  /// Whether a load would be answered without a request to the origin: a prefetch may skip it.
  func isStored(_ request: ImageRequest) async throws -> Bool {
    let resolved = try resolve(request)
    guard let disk, !request.isProcessed || resolved.storesResult else { return false }
    return try await executor.run(priority: request.priority) { [self] in
      let load = Load(self, resolved, LoadRecorder())
      let lookup = OriginalLookup(load, at: .prefetch)
      guard
        let key = request.isProcessed ? StoredResult(load, lookup)?.key : lookup.deliveredKey,
        disk.path(for: key, protecting: request.isPinned) != nil
      else { return false }
      addGroups(of: request, to: key)
      return true
    }
  }

  func storedFile(_ resolved: ResolvedRequest) async throws -> String? {
    guard let disk else { return nil }
    return try await executor.run(priority: resolved.request.priority) {
      let record = disk.record(for: resolved.credentials)
      let key =
        resolved.request.isProcessed
        ? resolved.entry(of: record?.content?.hash, record?.format, in: disk) : record?.key
      return key.flatMap { disk.path(for: $0) }
    }
  }

  /// Adds an entry to the groups of a request, on a thread that may block. An entry that cannot be
  /// added is still an entry.
  func addGroups(of request: ImageRequest, to key: CacheKey) {
    for group in request.storage.groups { try? disk?.addGroup(group, to: [key]) }
  }

  func placeholder(for request: ImageRequest) async -> PixelBuffer? {
    guard request.placeholder.asksCache, let cache = configuration.diskCache else {
      return request.placeholder.pixels()
    }
    guard let credentials = try? resolve(request).credentials else { return nil }
    let record = await cache.perform { $0.record(for: credentials) }
    return request.placeholder.pixels(
      thumbHash: record?.thumbHash ?? [], dominantColor: record?.dominantColor)
  }

  // MARK: Observers

  /// A recorder for the stages of a load; observers are notified as each ends. With a tracer, it
  /// starts the span of the load.
  func recorder(for request: ImageRequest, span name: String = "image load") -> LoadRecorder {
    let observers = configuration.observers
    let span = configuration.tracer.map { LoadSpan(name, url: request.url, $0) }
    guard !observers.isEmpty else { return LoadRecorder(span: span) }
    return LoadRecorder(span: span) { step in
      for observer in observers { observer.stageEnded(step, of: request) }
    }
  }
}

/// One load as it travels through the graph: its request, and the callers that wait for it.
struct Load: Sendable {
  let graph: ImageGraph
  let resolved: ResolvedRequest
  let watch: LoadWatch

  init(_ graph: ImageGraph, _ resolved: ResolvedRequest, _ watch: LoadWatch) {
    (self.graph, self.resolved, self.watch) = (graph, resolved, watch)
  }

  /// The load of one caller, whose priority does not change.
  init(_ graph: ImageGraph, _ resolved: ResolvedRequest, _ recorder: LoadRecorder) {
    let priority = LivePriority.constant(resolved.request.priority)
    self.init(graph, resolved, LoadWatch(priority: priority, recorder: recorder))
  }
}

protocol LoadPart: Sendable {
  var load: Load { get }
}

extension LoadPart {
  var graph: ImageGraph { load.graph }
  var resolved: ResolvedRequest { load.resolved }
  var recorder: LoadRecorder { load.watch.recorder }
  var disk: DiskStore? { load.graph.disk }
  var tier: TierGuard { TierGuard(load: load) }
}

/// A node: made by one run for all its callers, on behalf of the load that began it.
protocol GraphNode: LoadPart {
  var run: SharedRun<LoadUpdate> { get }
}

extension GraphNode {
  /// The load of this node, for all its callers, in the nodes below.
  var below: Load { Load(graph, resolved, LoadWatch(of: run, recorder: recorder)) }

  /// Runs a decode or an encoding among those that may run at once, on a thread that may compute for
  /// long: a node may still be on its caller's.
  func gated<Value: Sendable>(
    _ pixelCount: Int, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard let gate = graph.configuration.decodeGate else {
      return try await graph.executor.run(priority: run.priority.value) { try body() }
    }
    return try await gate.run(priority: run.priority, pixelCount: pixelCount) {
      try await graph.executor.run(priority: run.priority.value) { try body() }
    }
  }
}
