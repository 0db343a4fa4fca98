import CachePolicies
import DiskCaching
import HTTPTypes
import ImageCodecs
import ImageModel
import LoadScheduling
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Everything that is loaded is a node: an original with what its decode makes, an image after some
/// steps of a chain, an encoded result. Equal nodes are made once, for all callers that wait.
///
/// The last caller that leaves ends the nodes that no other caller waits for.
final class ImageGraph: Sendable {
  let configuration: ImagePipeline.Configuration
  /// Threads that may block and compute: nodes run there.
  let executor: BlockingExecutor
  /// Work that no caller waits for.
  let background = BackgroundWork()
  let queue: JobQueue
  let hosts: HostLimiter
  let negatives: NegativeAnswers
  let purges: PurgeEffects
  /// The HTTP cache of originals.
  let originals: OriginalCache
  let transfers: HedgedFetcher
  let costs = LoadCosts()
  private let originalNodes: TaskCoalescer<MemoryKey, OriginalResult, LoadUpdate>
  private let imageNodes: TaskCoalescer<MemoryKey, MadeImage, LoadUpdate>
  private let resultNodes: TaskCoalescer<MemoryKey, DataResponse, LoadUpdate>
  /// The results that callers need of originals, by the original and the caller.
  private let wanted = Locked<[MemoryKey: [UInt64: OriginalWants]]>([:])
  private let lastCaller = Atomic<UInt64>(0)

  init(_ configuration: ImagePipeline.Configuration) throws(ImageError) {
    self.configuration = configuration
    negatives = NegativeAnswers()
    purges = PurgeEffects(
      configuration.diskCache, memory: configuration.memory, negatives: negatives)
    originals = OriginalCache(
      DiskResponseStore(disk: configuration.diskCache?.core, kind: .originals),
      profile: .images(isShared: configuration.isShared), clock: configuration.clock)
    executor = try BlockingExecutor(name: "images", threadCount: configuration.threadCount)
    originalNodes = TaskCoalescer(executor: executor)
    imageNodes = TaskCoalescer(executor: executor)
    resultNodes = TaskCoalescer(executor: executor)
    configuration.diskCache?.share(executor)
    queue = JobQueue(
      maximumRunning: configuration.maximumFetches,
      maximumPerHost: configuration.maximumFetchesPerHost,
      reservedForForeground: min(configuration.reservedFetches, configuration.maximumFetches - 1),
      rate: configuration.maximumFetchRate, waiting: configuration.waitingFetches,
      clock: configuration.queueClock)
    if let tier = configuration.sharedTier, let cache = configuration.diskCache {
      purges.receive(from: tier, cache)
    }
    if let governor = configuration.governor {
      if let memory = configuration.memory { governor.add(memory) }
      governor.startWatching()
    }
    hosts = HostLimiter(
      queue: queue, maximum: configuration.maximumFetchesPerHost, clock: configuration.queueClock)
    transfers = HedgedFetcher(
      configuration.fetcher, isHedging: configuration.hedgesFetches, clock: configuration.queueClock
    )
  }

  deinit { executor.stop() }

  /// The disk cache, for nodes: their threads may block.
  var disk: DiskStore? { configuration.diskCache?.core }
  /// The number of nodes that are being made.
  var activeCount: Int { originalNodes.count + imageNodes.count + resultNodes.count }
  /// The number of callers that wait for nodes, nodes among them.
  var waitingCount: Int {
    originalNodes.waiterCount + imageNodes.waiterCount + resultNodes.waiterCount
  }
  /// The number of callers that wait for the original of a request.
  func waitingCount(forOriginalOf request: ImageRequest) -> Int {
    originalNodes.waiterCount(for: resolve(request).originalKey)
  }

  /// Ends all loads with an error, later ones too.
  func close(throwing error: ImageError) {
    let tasks =
      resultNodes.close(throwing: error) + imageNodes.close(throwing: error)
      + originalNodes.close(throwing: error)
    for task in tasks { task.cancel() }
    background.cancelAll()
    purges.stopReceiving()
  }

  /// Waits until nothing is being made.
  func finish() async {
    purges.stopReceiving()
    await background.finish()
    // Each kind is made of those below it.
    await resultNodes.finish()
    await imageNodes.finish()
    await originalNodes.finish()
  }

  /// A request with what follows from it.
  func resolve(_ request: ImageRequest) -> ResolvedRequest {
    ResolvedRequest(request, configuration, epoch: purges.epoch)
  }

  /// Whether a node for a request may begin on its caller's thread: it reads no file.
  private func beginsHere(_ resolved: ResolvedRequest) -> Bool {
    disk == nil && resolved.localPath == nil
  }

  // MARK: Memory

  /// The image, if it is in memory and may be shown without a request to the origin: no task, no
  /// wait, no system call.
  func inMemory(_ request: ImageRequest) -> ImageResponse? {
    guard let memory = configuration.memory else { return nil }
    let policy = configuration.policy(for: request)
    guard policy != .revalidate, policy != .reload,
      request.headers.isEmpty || request.headers[.cacheControl] == nil,
      let image = memory.value(
        for: request.memoryKey(spelled: configuration.spell(request.url))),
      policy != .http && configuration.sharedTier == nil
        || configuration.clock() < image.freshUntil
    else { return nil }
    return ImageResponse(
      url: request.url, decoded: image, source: .memory, freshness: .fresh, steps: [],
      elapsed: .zero)
  }

  private func insertIntoMemory(_ made: MadeImage, for resolved: ResolvedRequest) {
    guard resolved.request.keepsInMemory, made.isStorable, let memory = configuration.memory,
      made.isInMemory.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    var image = made.decoded
    image.url = resolved.spelled
    let key = resolved.request.memoryKey(spelled: resolved.spelled)
    memory.insert(image, for: key, byteCount: image.byteCount)
    // Not what was requested before a purge.
    if resolved.epoch != purges.epoch { memory.remove(key) }
  }

  // MARK: Images

  /// Loads an image that is not in memory.
  func image(
    _ resolved: ResolvedRequest, _ watch: LoadWatch
  ) async throws -> ImageResponse {
    let start = ContinuousClock.now
    let made = try await image(
      resolved, resolved.request.processing, storesResult: resolved.storesResult, watch)
    watch.recorder.link(made.recorder)
    // Of all callers, the first whose request says so inserts it.
    insertIntoMemory(made, for: resolved)
    return ImageResponse(
      url: resolved.request.url, decoded: made.decoded, source: made.source,
      freshness: made.freshness, steps: made.steps, elapsed: ContinuousClock.now - start)
  }

  /// The image after some of the request's steps.
  ///
  /// - Parameter storesResult: Whether these are all steps, and their result may be on disk or is
  ///   to be stored there.
  func image(
    _ resolved: ResolvedRequest, _ steps: ProcessingChain, storesResult: Bool, _ watch: LoadWatch
  ) async throws -> MadeImage {
    try await imageNodes.value(
      for: resolved.key(of: steps, storesResult: storesResult), priority: watch.priority,
      onUpdate: watch.onUpdate, isWatching: watch.isWatching, beginsHere: beginsHere(resolved)
    ) { [self] run in
      if storesResult, let stored = try storedImage(resolved, run.priority.value, watch.recorder),
        resolved.tier == nil ? true : await mayAnswer(stored.record, resolved, watch.recorder)
      {
        return stored
      }
      let made =
        steps.steps.isEmpty
        ? try await decoded(resolved, run, watch.recorder)
        : try await processed(resolved, steps, run, watch.recorder)
      if storesResult { await store(made, as: resolved, run.priority, watch.recorder) }
      return made
    }
  }

  private func decoded(
    _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> MadeImage {
    let output = resolved.request.thumbnail.map(DecodeOutput.init(pixelsOf:)) ?? .image
    let original = try await original(
      resolved, OriginalWants(outputs: [output], isStored: resolved.storesOriginal),
      LoadWatch(of: run, recorder: recorder))
    recorder.add(original.recorder)
    let pixels = try original.outputs.frames(output)[0].pixels
    let image = DecodedImage(
      pixels: pixels, format: original.record.format, originalSize: original.record.size,
      frameCount: original.record.frameCount,
      freshUntil: freshUntil(original.record, original.freshness))
    return MadeImage(
      image, source: original.source, freshness: original.freshness, record: original.record,
      cost: original.cost, storeFailure: original.storeFailure, recorder: recorder)
  }

  private func processed(
    _ resolved: ResolvedRequest, _ steps: ProcessingChain, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws -> MadeImage {
    let step = steps.steps[steps.steps.count - 1]
    let previews = PreviewSteps(step)
    let made = try await image(
      resolved, steps.prefix(steps.steps.count - 1), storesResult: false,
      LoadWatch(of: run, recorder: recorder) { previews.apply(to: $0) })
    recorder.add(made.recorder)
    let start = ContinuousClock.now
    do {
      let pixels = try await executor.run(priority: run.priority.value) {
        try step.process(made.decoded.pixels)
      }
      recorder.note(.process, step.identity, since: start)
      return made.with(pixels, recorder: recorder)
    } catch {
      recorder.note(.process, error, since: start)
      throw error
    }
  }

  func freshUntil(_ record: CacheRecord, _ freshness: LoadFreshness) -> Date {
    guard !record.isAlwaysStale, freshness == .fresh || freshness == .current else {
      return .distantPast
    }
    let now = configuration.clock()
    let use = record.freshness(isShared: configuration.isShared)
    guard use.isFresh(at: now) else { return .distantPast }
    // Another server may purge it.
    let most = configuration.sharedTier?.memoryLifetime.seconds ?? .infinity
    return now + min(use.remaining(at: now), most)
  }

  // MARK: Originals

  /// The original of a request with the requested results: one load and one decode for all callers
  /// whose requests arrive before the decode begins. A later caller gets a separate decode, of the
  /// same bytes.
  ///
  /// - Parameter known: The original, if it was loaded before.
  func original(
    _ resolved: ResolvedRequest, _ wants: OriginalWants, _ watch: LoadWatch,
    known: OriginalResult? = nil
  ) async throws -> OriginalResult {
    let key = resolved.originalKey
    let caller = lastCaller.add(1, ordering: .relaxed).newValue
    wanted.withLock { $0[key, default: [:]][caller] = wants }
    defer {
      wanted.withLock { wanted in
        wanted[key]?[caller] = nil
        if wanted[key]?.isEmpty == true { wanted[key] = nil }
      }
    }
    var known = known
    while true {
      if let known, known.satisfies(wants) {
        try await join(resolved, known.record)
        // The pixels of other callers are not held any longer.
        return known.limited(to: wants)
      }
      let earlier = known
      var made = try await originalNodes.value(
        for: key, priority: watch.priority, onUpdate: watch.onUpdate,
        isWatching: watch.isWatching, beginsHere: beginsHere(resolved)
      ) { [self] run in
        if let earlier { return try await finish(earlier, resolved, run, watch.recorder) }
        let made = try await load(resolved, run, watch.recorder)
        if made.freshness != .staleOnError { negatives.forget([resolved.spelled]) }
        return made
      }
      if let earlier { made.add(earlier) }
      known = made
    }
  }

  /// The results that each current waiter needs of an original.
  func wants(of key: MemoryKey) -> [OriginalWants] {
    wanted.withLock { $0[key].map { Array($0.values) } ?? [] }
  }

  // MARK: Bytes

  /// The encoded bytes that a request describes: its original, or the result of its steps.
  func data(
    _ resolved: ResolvedRequest, _ watch: LoadWatch
  ) async throws -> DataResponse {
    var response =
      if resolved.request.isProcessed {
        try await result(resolved, watch)
      } else {
        try await response(
          of: original(resolved, OriginalWants(isStored: resolved.storesOriginal), watch), resolved)
      }
    response.wasShared = response.recorder !== watch.recorder
    watch.recorder.link(response.recorder)
    return response
  }

  /// An original and thumbnails of it, with one decode.
  func data(
    _ resolved: ResolvedRequest, thumbnails: [ThumbnailRecipe], _ watch: LoadWatch
  ) async throws -> ThumbnailedResponse {
    let original = try await original(
      resolved,
      OriginalWants(variants: Set(thumbnails), isStored: resolved.storesOriginal), watch)
    watch.recorder.link(original.recorder)
    var response = ThumbnailedResponse(original: try await response(of: original, resolved))
    for recipe in thumbnails {
      var request = resolved.request
      request.thumbnail = recipe
      request.storage = resolved.storesOriginal ? .both : .result
      do {
        let made = try await result(
          resolve(request), watch, known: original)
        response.thumbnails.append(.success(made))
      } catch let error as ImageError {
        response.thumbnails.append(.failure(error))
      }
    }
    return response
  }

  private func response(
    of original: OriginalResult, _ resolved: ResolvedRequest
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
    response.cost = original.cost
    response.storeFailure = original.storeFailure
    return response
  }

  /// Whether a load would be answered without a request to the origin: a prefetch may skip it.
  func isStored(_ request: ImageRequest) async throws -> Bool {
    let resolved = resolve(request)
    guard let disk else { return false }
    return try await executor.run(priority: request.priority) { [self] in
      let key: CacheKey
      if request.isProcessed {
        guard let stored = findResult(resolved, isInteractive: false) else { return false }
        key = stored.key
      } else {
        guard
          case .deliver(let entry, _, _) = originals.answer(
            resolved.cacheRequest(isInteractive: false), for: resolved.spelled),
          !entry.record.isNegative
        else { return false }
        key = entry.record.key
      }
      guard disk.path(for: key, protecting: request.isToBeKept) != nil else { return false }
      addGroups(of: request, to: key)
      return true
    }
  }

  /// The image to show until the requested one has loaded.
  func placeholder(for request: ImageRequest) async -> PixelBuffer? {
    guard request.placeholder.asksCache, let cache = configuration.diskCache else {
      return request.placeholder.pixels()
    }
    let record = await cache.record(for: .original(url: configuration.spell(request.url)))
    return request.placeholder.pixels(
      thumbHash: record?.thumbHash ?? [], dominantColor: record?.dominantColor)
  }

  // MARK: Encoded results

  /// The encoded result of a request that is processed.
  ///
  /// - Parameter known: The original, if it was loaded before.
  func result(
    _ resolved: ResolvedRequest, _ watch: LoadWatch, known: OriginalResult? = nil
  ) async throws -> DataResponse {
    let stored = try await executor.run(priority: watch.priority.value) { [self] in
      try storedResult(resolved, watch.priority.value, watch.recorder)
    }
    if let stored {
      if resolved.tier == nil { return stored }
      if await mayAnswer(stored.original, resolved, watch.recorder) { return stored }
    }
    return try await resultNodes.value(
      for: resolved.resultKey, priority: watch.priority, onUpdate: watch.onUpdate,
      isWatching: watch.isWatching
    ) { [self] run in
      try await sharedResult(resolved, watch.recorder, isKnown: known != nil) { [self] in
        try await encoded(resolved, run, watch.recorder, known: known)
      }
    }
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
