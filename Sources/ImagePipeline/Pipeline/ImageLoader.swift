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
  /// The HTTP cache of originals.
  let originals: OriginalCache
  private let transfers: HedgedFetcher
  private let totals = Locked(ImagePipeline.Totals())
  private let loads: TaskCoalescer<MemoryKey, DataResponse, LoadUpdate>
  private let pictures: TaskCoalescer<MemoryKey, MadePicture, LoadUpdate>
  /// What is made of bytes that prove good by the making.
  let proofs: TaskCoalescer<MemoryKey, ProvenOriginal, LoadUpdate>

  init(_ configuration: ImagePipeline.Configuration) throws(ImageError) {
    self.configuration = configuration
    originals = OriginalCache(
      DiskResponseStore(disk: configuration.diskCache, kind: .originals),
      profile: .images(isShared: configuration.isShared), clock: configuration.clock)
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
    if !order.request.groups.isSubset(of: response.record.groups) {
      try await join(order, response.record.key)
    }
    return response
  }

  /// From the disk, or from the origin: one load, whoever waits for it.
  private func load(
    _ order: LoadOrder, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    if let path = localPath(order) { return try await read(path, order, recorder) }
    let request = order.cacheRequest(isLookedAt: run.priority.value > .prefetch)
    switch try lookUp(request, order, recorder) {
    case .deliver(let kept, let freshness):
      if freshness == .staleWhileRevalidating { refreshLater(order) }
      return DataResponse(
        order.request, kept, source: .disk, freshness: freshness, recorder: recorder)
    case .refuse(let error): throw error
    case .ask(let question):
      do {
        return try await ask(question, order, run, recorder)
      } catch let error as ImageError {
        return try substitute(for: error, question, order, recorder)
      }
    }
  }

  /// What the disk has for a request.
  private enum Found {
    case deliver(CachedEntry, LoadFreshness)
    case refuse(ImageError)
    case ask(OriginalCache.Question)
  }

  private func lookUp(
    _ request: HTTPCacheRequest, _ order: LoadOrder, _ recorder: LoadRecorder
  ) throws -> Found {
    let start = ContinuousClock.now
    let answer = originals.answer(request, for: order.spelled)
    if disk != nil, order.policy != .reload {
      recorder.note(.disk, answer.outcome, since: start)
    }
    switch answer {
    case .ask(let question): return .ask(question)
    case .gatewayTimeout: return .refuse(notCached)
    case .deliver(let entry, let delivery, _):
      if entry.record.isNegative { return .refuse(refusal(by: entry.record, for: order)) }
      // Bytes that are gone or damaged are as good as none.
      guard let kept = disk?.read(entry.record.key, protecting: order.request.isToBeKept) else {
        return order.policy == .onlyIfCached
          ? .refuse(notCached) : .ask(OriginalCache.Question(request, url: order.spelled))
      }
      if let disk { Self.join(order, kept.record.key, in: disk) }
      return .deliver(kept, LoadFreshness(delivery))
    }
  }

  /// Returns what is kept where it may answer for an origin that failed.
  ///
  /// - Throws: The error where it may not; one that lasts is remembered.
  private func substitute(
    for error: ImageError, _ question: OriginalCache.Question, _ order: LoadOrder,
    _ recorder: LoadRecorder
  ) throws -> DataResponse {
    if let entry = originals.substitute(for: error, in: question),
      let kept = disk?.read(entry.record.key, protecting: order.request.isToBeKept)
    {
      recorder.note(.disk, "stale, serves because the origin failed: \(error)", since: .now)
      return DataResponse(
        order.request, kept, source: .disk, freshness: .staleOnError, recorder: recorder)
    }
    if question.substitute == nil { remember(error, for: order) }
    throw error
  }

  // MARK: Fetch

  /// Asks the origin, about what is kept where something is, and takes in its answer.
  private func ask(
    _ question: OriginalCache.Question, _ order: LoadOrder,
    _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    let meter = TransferMeter()
    // Bytes on their way count towards the budget of memory until they are stored or decoded.
    let reservation = configuration.governor?.reserve(0)
    defer {
      add(meter.reading)
      reservation?.setByteCount(0)
    }
    let previews = BodyPreviews(
      run: run, interval: configuration.previewInterval, limits: configuration.limits,
      reservation: reservation, now: configuration.queueClock.now)
    return try await originals.ask(question) { fields, take in
      let response = try await fetch(
        order, fields, isConditional: fields != question.request.fields, meter, previews,
        run.priority, recorder)
      if response.body.staged == nil { reservation?.setByteCount(response.body.byteCount) }
      try Task.checkCancellation()
      let head = HTTPCacheUpdate.Answer(response)
      switch try take(head) {
      case .deliver(let entry): return try confirm(entry, for: order, meter, recorder)
      case .store(let stored):
        return try await accept(
          response, as: stored, isStored: order.request.storesOriginal, order, meter, recorder)
      case .pass:
        return try await accept(
          response, as: StoredResponse(unstored: head), isStored: false, order, meter, recorder)
      case .join, .substitute: throw OriginalCache.UselessResponse()
      }
    }
  }

  private func fetch(
    _ order: LoadOrder, _ fields: HTTPFields, isConditional: Bool,
    _ meter: TransferMeter, _ watcher: any BodyWatching, _ priority: LivePriority,
    _ recorder: LoadRecorder
  ) async throws -> FetchedResponse {
    let url = WebURL(order.request.url)
    if order.policy == .http || order.policy == .forever,
      let known = negatives.answer(
        for: [order.spelled, url?.host ?? ""], at: configuration.clock())
    {
      throw known
    }
    var fetch = FetchRequest(url: order.request.url)
    fetch.headers = fields
    fetch.limits = configuration.fetchLimits
    fetch.hostRules = configuration.hostRules
    fetch.resumes = !isConditional
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
    _ entry: DiskResponseStore.Entry, for order: LoadOrder, _ meter: TransferMeter,
    _ recorder: LoadRecorder
  ) throws -> DataResponse {
    guard let kept = disk?.read(entry.record.key, protecting: order.request.isToBeKept) else {
      throw OriginalCache.UselessResponse()
    }
    disk?.count(.revalidations)
    return DataResponse(
      order.request, body: .bytes(kept.bytes), byteCount: kept.bytes.count, record: kept.record,
      source: .revalidated, meter: meter, storeFailure: entry.failure, recorder: recorder)
  }

  private func accept(
    _ response: FetchedResponse, as stored: StoredResponse, isStored: Bool, _ order: LoadOrder,
    _ meter: TransferMeter, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    let (limits, disk) = (configuration.limits, disk)
    // A look at all pixels is a decode like any other; the structure is looked at without one.
    var weigh: (@Sendable () throws -> ImageInfo)?
    if order.request.check == .decode {
      weigh = { try response.body.withBytes { try ImageCodecs.info(of: $0, limits: limits) } }
    }
    return try await decoding(.constant(order.request.priority), weighing: weigh) {
      let checked = try recorder.attempt(.check) {
        try Self.inspect(response, order.request.check, limits)
      }
      try Task.checkCancellation()
      let record = Self.record(of: stored, checked, for: order)
      guard let disk, isStored else {
        return DataResponse(
          order.request, body: .bytes(try response.body.bytes()),
          byteCount: response.body.byteCount, record: record, source: .network, meter: meter,
          recorder: recorder)
      }
      let start = ContinuousClock.now
      let (body, kept, failure) = try Self.store(response.body, record, for: order, in: disk)
      recorder.note(.store, failure.map { "not kept: \($0)" } ?? "kept", since: start)
      return DataResponse(
        order.request, body: body, byteCount: response.body.byteCount, record: kept,
        source: .network, meter: meter, storeFailure: failure, recorder: recorder)
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
    _ body: FetchedBody, _ record: CacheRecord, for order: LoadOrder, in cache: DiskCache
  ) throws -> (DataResponse.Body, CacheRecord, ImageError?) {
    let protecting = order.request.isToBeKept
    do throws(ImageError) {
      guard let staged = body.staged as? StagedBlob else {
        let bytes = try body.bytes()
        return (.bytes(bytes), try cache.store(bytes, record, protecting: protecting), nil)
      }
      let kept = try cache.commit(staged, record, protecting: protecting)
      guard let path = cache.path(for: record.key) else {
        throw ImageError(.storeFailed, "the file was gone as soon as it was stored")
      }
      return (.file(path: path), kept, nil)
    } catch {
      cache.count(.storeFailures)
      return (.bytes(try body.bytes()), record, error)
    }
  }
}
