import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The journey of a request, from top to bottom: memory, disk, fetch, check, store, decode,
/// process, deliver.
///
/// What several ask for is made once, stage by stage: bytes for all who want the same bytes, pixels
/// for all who want them decoded alike, and every step of a chain of processors for all whose
/// chains begin alike. Whoever leaves last ends the stages that nobody else waits for; before each
/// stage it is asked whether anybody does.
final class ImageLoader: Sendable {
  let configuration: ImagePipeline.Configuration
  /// Threads that may wait and compute.
  let executor: BlockingExecutor
  /// What nobody waits for.
  let background = BackgroundWork()
  private let queue: JobQueue
  let hosts: HostLimiter
  let negatives = NegativeAnswers()
  private let transfers: HedgedFetcher
  private let totals = Locked(ImagePipeline.Totals())
  private let loads: TaskCoalescer<MemoryKey, DataResponse, LoadUpdate>
  private let pictures: TaskCoalescer<MemoryKey, MadePicture, LoadUpdate>
  /// What is made of bytes that prove good by the making.
  let proofs: TaskCoalescer<MemoryKey, ProvenOriginal, LoadUpdate>

  init(_ configuration: ImagePipeline.Configuration) throws(ImageError) {
    self.configuration = configuration
    executor = try BlockingExecutor(name: "images", threadCount: configuration.threadCount)
    // A load looks into the cache, checks and stores: all of it may block, so all of it runs there.
    loads = TaskCoalescer(executor: executor)
    pictures = TaskCoalescer(executor: executor)
    proofs = TaskCoalescer(executor: executor)
    queue = JobQueue(
      maximumRunning: configuration.maximumFetches,
      maximumPerHost: configuration.maximumFetchesPerHost,
      reservedForForeground: min(configuration.reservedFetches, configuration.maximumFetches - 1),
      rate: configuration.maximumFetchRate, waiting: configuration.waitingFetches,
      clock: configuration.queueClock)
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

  var disk: DiskCache? { configuration.diskCache }
  /// What all loads have cost so far.
  var totalCost: ImagePipeline.Totals { totals.withLock { $0 } }
  /// Things that are being made.
  var activeCount: Int { loads.count + pictures.count + proofs.count }

  /// Those who wait for pictures, each stage of a chain among them.
  var waitingCount: Int { pictures.waiterCount }
  /// Those who wait for the bytes of a request.
  func listenerCount(for request: ImageRequest) -> Int {
    loads.waiterCount(for: LoadOrder(request, configuration).dataKey)
  }
  /// Fetches that wait for a place.
  var queuedCount: Int { queue.pendingCount }

  /// Ends all loads with an error, those that come later too.
  func close(throwing error: ImageError) {
    // The bytes first: pictures that wait for them then end by the same error.
    loads.close(throwing: error)
    pictures.close(throwing: error)
    proofs.close(throwing: error)
    background.cancelAll()
  }

  // MARK: Memory

  /// The picture, where it is in memory and may be shown without asking: no task, no wait, no
  /// system call.
  func inMemory(_ request: ImageRequest) -> ImageResponse? {
    guard let memory = configuration.memory else { return nil }
    let policy = configuration.policy(for: request)
    guard policy != .revalidate, policy != .reload,
      request.headers.isEmpty || request.headers[.cacheControl] == nil,
      let picture = memory.value(
        for: request.memoryKey(spelled: configuration.spell(request.url))),
      policy != .http || configuration.clock() < picture.freshUntil
    else { return nil }
    return ImageResponse(
      url: request.url, picture: picture, source: .memory, freshness: .fresh, steps: [],
      elapsed: .zero)
  }

  private func keepInMemory(_ made: MadePicture, for order: LoadOrder) {
    guard order.request.keepsInMemory, made.mayBeKept, let memory = configuration.memory,
      made.isInMemory.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    memory.insert(
      made.picture, for: order.request.memoryKey(spelled: order.spelled),
      byteCount: made.picture.byteCount)
  }

  // MARK: The picture

  /// Loads a picture that is not in memory.
  func image(_ order: LoadOrder, _ watch: LoadWatch) async throws -> ImageResponse {
    let start = ContinuousClock.now
    let made = try await picture(order, order.request.processing, isResult: true, watch)
    // Of all who wait, the first whose request says so puts it there.
    keepInMemory(made, for: order)
    return ImageResponse(
      url: order.request.url, picture: made.picture, source: made.source,
      freshness: made.freshness, steps: made.steps, elapsed: ContinuousClock.now - start)
  }

  /// The picture after some of the request's steps, made once for all who want it so.
  ///
  /// - Parameter isResult: Whether these are all steps, so that the result may be on disk, or is to
  ///   go there.
  private func picture(
    _ order: LoadOrder, _ steps: ProcessingChain, isResult: Bool, _ watch: LoadWatch
  ) async throws -> MadePicture {
    let storesResult = isResult && order.storesResult
    return try await pictures.value(
      for: order.key(of: steps, storesResult: storesResult), priority: watch.priority,
      onUpdate: watch.onUpdate, isWatching: watch.isWatching
    ) { [self] run in
      if storesResult, let kept = try await keptResult(of: order, run, watch.recorder) {
        return kept
      }
      let made =
        steps.steps.isEmpty
        ? try await decode(order, run, watch.recorder)
        : try await process(order, steps, run, watch.recorder)
      if storesResult { try await keepResult(made, of: order, run, watch.recorder) }
      return made
    }
  }

  private func decode(
    _ order: LoadOrder, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> MadePicture {
    let data = try await data(order, LoadWatch(of: run, recorder: recorder))
    if data.recorder !== recorder { recorder.add(data.steps) }
    let limits = configuration.limits
    let start = ContinuousClock.now
    let pixels = try await executor.run(priority: run.priority.value) {
      try data.withBytes { bytes in
        try order.request.thumbnail.map {
          try ImageCodecs.small(bytes, recipe: $0, limits: limits)
        } ?? ImageCodecs.decode(bytes, limits: limits)
      }
    }
    recorder.note(.decode, "\(pixels.size) pixels", since: start)
    return MadePicture(
      pixels, of: data, freshUntil: freshUntil(data.record, data.freshness), recorder: recorder)
  }

  private func process(
    _ order: LoadOrder, _ steps: ProcessingChain, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws -> MadePicture {
    let step = steps.steps[steps.steps.count - 1]
    let previews = PreviewSteps(step)
    let made = try await picture(
      order, steps.prefix(steps.steps.count - 1), isResult: false,
      LoadWatch(of: run, recorder: recorder) { previews.apply(to: $0) })
    if made.recorder !== recorder { recorder.add(made.steps) }
    let start = ContinuousClock.now
    let before = made.picture.pixels
    let after = try await executor.run(priority: run.priority.value) {
      try step.process(before)
    }
    recorder.note(.process, step.identity, since: start)
    return made.with(after, recorder: recorder)
  }

  // MARK: The bytes

  /// The bytes of the original, loaded once for all who want them.
  func data(_ order: LoadOrder, _ watch: LoadWatch) async throws -> DataResponse {
    var response = try await loads.value(
      for: order.dataKey, priority: watch.priority, onUpdate: watch.onUpdate,
      isWatching: watch.isWatching
    ) { [self] run in
      let response = try await load(order, run, watch.recorder)
      negatives.forget([order.spelled])
      return response
    }
    // Whoever joined another's load still has a wish and groups of their own.
    if order.request.storesOriginal, response.isLeftUnstored {
      response = try await keep(response, for: order)
    }
    if !order.request.groups.isSubset(of: response.record.groups) { try await join(order) }
    return response
  }

  /// From the disk, or from the origin: one load, whoever waits for it.
  private func load(
    _ order: LoadOrder, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    if let path = localPath(order) { return try await read(path, order, recorder) }
    let kept = try await lookUp(order, recorder)
    let now = configuration.clock()
    let plan = LoadPlan(
      policy: order.policy, kept: kept?.record,
      isBelieved: kept?.record.isFresh(at: now, isShared: configuration.isShared) ?? false,
      use: kept.map { use($0.record, at: now, for: order) } ?? .fresh,
      isLookedAt: run.priority.value > .prefetch)

    switch (plan, kept) {
    case (.deliver(let freshness), let kept?):
      return DataResponse(
        order.request, kept, source: .disk, freshness: freshness, recorder: recorder)
    case (.deliverAndRefresh, let kept?):
      refreshLater(order)
      return DataResponse(
        order.request, kept, source: .disk, freshness: .staleWhileRevalidating, recorder: recorder)
    case (.fail(let code), _):
      throw refusal(of: order, code: code, status: kept?.record.status)
    case (.fetch(revalidates: true, let servesOnError), let kept?):
      do {
        return try await ask(order, about: kept, run, recorder)
      } catch let error as ImageError
        where servesOnError && LoadPlan.isCoveredByStale(error)
        || mayServe(kept.record, disconnectedBy: error, for: order)
      {
        recorder.note(.disk, "stale, serves because the origin failed: \(error)", since: .now)
        return DataResponse(
          order.request, kept, source: .disk, freshness: .staleOnError, recorder: recorder)
      }
    case (.fetch, _), (.deliver, nil), (.deliverAndRefresh, nil):
      do {
        return try await ask(order, about: nil, run, recorder)
      } catch let error as ImageError {
        await remember(error, for: order)
        throw error
      }
    }
  }

  // MARK: Disk

  /// What the rules of HTTP allow to be done with what is kept.
  func use(_ record: CacheRecord, at now: Date, for order: LoadOrder) -> HTTPFreshness.Use {
    record.use(
      at: now, request: CacheControl(order.request.headers), isShared: configuration.isShared)
  }

  private func lookUp(
    _ order: LoadOrder, _ recorder: LoadRecorder
  ) async throws -> CachedEntry? {
    guard let disk, order.policy != .reload else { return nil }
    let start = ContinuousClock.now
    let entry = try await executor.run(priority: order.request.priority) {
      let entry = VaryEntry(spelled: order.spelled, request: order.request.headers)
        .read(from: disk, protecting: order.request.isToBeKept)
      if let entry, !entry.record.isNegative { Self.join(order, entry.record.key, in: disk) }
      return entry
    }
    recorder.note(
      .disk,
      entry.map { $0.record.isNegative ? "nothing there, as remembered" : "found" } ?? "absent",
      since: start)
    return entry
  }

  // MARK: Fetch

  /// Asks the origin, about what is kept where something is, and takes in its answer.
  private func ask(
    _ order: LoadOrder, about kept: CachedEntry?,
    _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    let meter = TransferMeter()
    // Bytes on their way count towards the budget of memory until they are stored or decoded.
    let reservation = configuration.governor?.reserve(0)
    defer {
      add(meter.reading)
      reservation?.setByteCount(0)
    }
    let validators = kept?.record.conditionalFields ?? [:]
    let previews = BodyPreviews(
      run: run, interval: configuration.previewInterval, limits: configuration.limits,
      reservation: reservation, now: configuration.queueClock.now)
    let response = try await HTTPValidation.asking(validators) {
      try await fetch(order, adding: $0, meter, previews, run.priority, recorder)
    }
    if case .bytes(let bytes) = response.body { reservation?.setByteCount(bytes.count) }
    do { try Task.checkCancellation() } catch {
      response.body.remove()
      throw error
    }
    if response.head.status == 304, let kept {
      return try await confirm(kept, by: response, for: order, meter, recorder)
    }
    return try await accept(response, for: order, meter, recorder)
  }

  private func fetch(
    _ order: LoadOrder, adding validators: HTTPFields,
    _ meter: TransferMeter, _ watcher: any BodyWatching, _ priority: LivePriority,
    _ recorder: LoadRecorder
  ) async throws -> FetchedResponse {
    let url = WebURL(order.request.url)
    if order.policy == .http || order.policy == .forever,
      let known = negatives.answer(
        for: [order.spelled, url?.host ?? ""], at: configuration.clock())
    {
      var refusal = ImageError(
        known.code, "\(known.message) (a short while ago)", status: known.status,
        retryAfter: known.retryAfter, head: known.head)
      refusal.host = known.host
      throw refusal
    }
    var fetch = FetchRequest(url: order.request.url)
    fetch.headers = order.request.headers
    for field in validators { fetch.headers[field.name] = field.value }
    fetch.limits = configuration.fetchLimits
    fetch.hostRules = configuration.hostRules
    fetch.resumes = validators.isEmpty
    fetch.alternates = order.request.alternates
    fetch.meter = meter
    fetch.watcher = watcher
    fetch.attemptEnded = { [hosts] host, error in hosts.note(host, error) }
    if let prepare = configuration.prepare {
      let start = ContinuousClock.now
      fetch = try await prepare(fetch)
      recorder.note(.prepare, "as \(fetch.url)", since: start)
      try Task.checkCancellation()
    }
    let ready = fetch
    let host = WebURL(ready.url).map { ready.hostRules.target(of: $0) }?.hostAndPort
    try refuseWhileHeld(host)
    let asked = ContinuousClock.now
    return try await queue.run(priority: priority, host: host) {
      recorder.note(.wait, "for a place at \(host ?? "the origin")", since: asked)
      let start = ContinuousClock.now
      do {
        let response = try await transfers.fetch(ready)
        recorder.note(
          .fetch, "\(response.head.status), \(response.body.byteCount) bytes", since: start)
        return response
      } catch {
        recorder.note(.fetch, "\(error)", since: start)
        throw error
      }
    }
  }

  private func add(_ reading: TransferMeter.Reading) {
    totals.withLock { totals in
      totals.requestCount += reading.requestCount
      totals.receivedByteCount += reading.receivedByteCount
    }
    if reading.requestCount > 0 { disk?.count(.requests, by: reading.requestCount) }
  }

  // MARK: Check, store, deliver

  private func confirm(
    _ kept: CachedEntry, by response: FetchedResponse, for order: LoadOrder,
    _ meter: TransferMeter, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    let record = kept.record.confirmed(
      by: response.head.fields, requestTime: response.requestTime,
      responseTime: response.responseTime)
    let failure = await update(record)
    disk?.count(.revalidations)
    return DataResponse(
      order.request, body: .bytes(kept.bytes), byteCount: kept.bytes.count, record: record,
      source: .revalidated, meter: meter, storeFailure: failure, recorder: recorder)
  }

  private func update(_ record: CacheRecord) async -> ImageError? {
    guard let disk else { return nil }
    do {
      try await executor.run { try disk.update(record) }
      return nil
    } catch {
      disk.count(.storeFailures)
      return error as? ImageError
    }
  }

  private func accept(
    _ response: FetchedResponse, for order: LoadOrder,
    _ meter: TransferMeter, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    let (limits, disk, isShared) = (configuration.limits, disk, configuration.isShared)
    let priority = LivePriority.constant(order.request.priority)
    do {
      // A look at all pixels is a decode like any other; the structure is looked at without one.
      var weigh: (@Sendable () throws -> ImageInfo)?
      if order.request.check == .decode {
        weigh = { try response.body.withBytes { try ImageCodecs.info(of: $0, limits: limits) } }
      }
      return try await decoding(priority, weighing: weigh) {
        let checked = try recorder.attempt(.check) {
          try Self.inspect(response, order.request.check, limits)
        }
        try Task.checkCancellation()
        let entry = VaryEntry(spelled: order.spelled, request: order.request.headers)
        let record = Self.record(
          of: response, checked, for: order, entry.key(of: response.head.fields, in: disk),
          selecting: entry.selection(of: response.head.fields), isShared: isShared)
        let start = ContinuousClock.now
        let (body, kept, failure) = try Self.store(response.body, record, for: order, in: disk)
        if kept.content != nil { recorder.note(.store, "kept", since: start) }
        if let failure { recorder.note(.store, "not kept: \(failure)", since: start) }
        return DataResponse(
          order.request, body: body, byteCount: response.body.byteCount, record: kept,
          source: .network, meter: meter, storeFailure: failure, recorder: recorder)
      }
    } catch {
      response.body.remove()
      throw error
    }
  }

  /// Runs a decode among those that may run at once.
  ///
  /// - Parameter weighing: Tells how much there is to decode; `nil` for nothing. Where it fails, so
  ///   will the decode, at no cost.
  func decoding<Value: Sendable>(
    _ priority: LivePriority, weighing: (@Sendable () throws -> ImageInfo)?,
    _ body: @escaping @Sendable () throws -> sending Value
  ) async throws -> Value {
    guard let gate = configuration.decodeGate, let weighing,
      let info = try? await executor.run(priority: priority.value, { try weighing() })
    else { return try await executor.run(priority: priority.value, body) }
    return try await gate.run(priority: priority, pixelCount: info.decodedPixelCount) {
      try await executor.run(priority: priority.value, body)
    }
  }

  /// A store that fails never fails the load: the bytes are delivered with the reason.
  private static func store(
    _ body: FetchedBody, _ record: CacheRecord, for order: LoadOrder, in cache: DiskCache?
  ) throws -> (DataResponse.Body, CacheRecord, ImageError?) {
    guard let cache, order.request.storesOriginal, !record.isAlwaysStale || order.request.isToBeKept
    else {
      defer { body.remove() }
      return (.bytes(try body.bytes()), record, nil)
    }
    do throws(ImageError) {
      switch body {
      case .bytes(let bytes):
        let kept = try cache.store(bytes, record, protecting: order.request.isToBeKept)
        return (.bytes(bytes), kept, nil)
      case .file(let path, _):
        let kept = try cache.adopt(fileAt: path, record, protecting: order.request.isToBeKept)
        guard let path = cache.path(for: record.key) else {
          throw ImageError(.storeFailed, "the file was gone as soon as it was stored")
        }
        return (.file(path: path), kept, nil)
      }
    } catch {
      defer { body.remove() }
      cache.count(.storeFailures)
      return (.bytes(try body.bytes()), record, error)
    }
  }
}
