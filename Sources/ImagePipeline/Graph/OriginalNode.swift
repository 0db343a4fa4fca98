import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageFetching
import ImageModel
import LoadScheduling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// From a request to the bytes of its original: disk, HTTP cache, fetch.
extension ImageGraph {
  /// Loads an original from disk or from its origin, and computes the results that callers need.
  func load(
    _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> OriginalResult {
    if let path = resolved.localPath { return try await read(path, resolved, run, recorder) }
    let request = resolved.cacheRequest(isInteractive: run.priority.value > .prefetch)
    switch try lookUp(request, resolved, recorder) {
    case .deliver(let stored):
      if resolved.tier != nil, await !mayAnswer(stored.record, resolved, recorder) {
        if resolved.policy == .onlyIfCached { throw Self.notCached }
        return try await obtain(
          OriginalCache.Question(request, url: resolved.spelled), resolved, run, recorder)
      }
      if stored.freshness == .staleWhileRevalidating { refreshLater(resolved) }
      return try await finish(stored, resolved, run, recorder)
    case .refuse(let error): throw error
    case .ask(let question): return try await obtain(question, resolved, run, recorder)
    }
  }

  /// Loads an original that is not on disk, or may not answer as it is there.
  private func obtain(
    _ question: OriginalCache.Question, _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws -> OriginalResult {
    do {
      return try await shared(question, resolved, run, recorder) { [self] generation in
        try await ask(question, generation, resolved, run, recorder)
      }
    } catch let error as ImageError {
      let stored = try await substitute(for: error, question, resolved, recorder)
      return try await finish(stored, resolved, run, recorder)
    }
  }

  // MARK: Disk

  /// The outcome of a lookup on disk.
  private indirect enum Lookup {
    case deliver(OriginalResult)
    case refuse(ImageError)
    case ask(OriginalCache.Question)
  }

  private func lookUp(
    _ request: HTTPCacheRequest, _ resolved: ResolvedRequest, _ recorder: LoadRecorder
  ) throws -> Lookup {
    let start = ContinuousClock.now
    let answer = originals.answer(request, for: resolved.spelled)
    if disk != nil, resolved.policy != .reload {
      recorder.note(.disk, answer.outcome, since: start)
    }
    switch answer {
    case .ask(let question): return .ask(question)
    case .gatewayTimeout: return .refuse(Self.notCached)
    case .deliver(let entry, let delivery, _):
      if entry.record.isNegative { return .refuse(refusal(by: entry.record, for: resolved)) }
      // Bytes that are gone or damaged are as good as none.
      guard let stored = read(entry.record.key, resolved, LoadFreshness(delivery), recorder) else {
        return resolved.policy == .onlyIfCached
          ? .refuse(Self.notCached) : .ask(OriginalCache.Question(request, url: resolved.spelled))
      }
      return .deliver(stored)
    }
  }

  private func read(
    _ key: CacheKey, _ resolved: ResolvedRequest, source: LoadSource = .disk,
    _ freshness: LoadFreshness, _ recorder: LoadRecorder
  ) -> OriginalResult? {
    disk?.read(key, protecting: resolved.request.isToBeKept).map { stored in
      OriginalResult(
        body: .bytes(stored.bytes), record: stored.record, source: source, freshness: freshness,
        recorder: recorder)
    }
  }

  /// The entry that may answer in place of an origin that failed.
  ///
  /// - Throws: The error if none may; one that lasts is remembered.
  private func substitute(
    for error: ImageError, _ question: OriginalCache.Question, _ resolved: ResolvedRequest,
    _ recorder: LoadRecorder
  ) async throws -> OriginalResult {
    // A 503 holds its URL for its Retry-After, also where a stale response answers meanwhile.
    if question.substitute == nil || error.status == 503 { remember(error, for: resolved) }
    if let entry = originals.substitute(for: error, in: question),
      resolved.tier == nil ? true : await mayAnswer(entry.record, resolved, recorder),
      let stored = read(entry.record.key, resolved, .staleOnError, recorder)
    {
      recorder.note(.disk, "stale, serves because the origin failed: \(error)", since: .now)
      return stored
    }
    throw error
  }

  /// Reads a file of this machine. It is not stored.
  private func read(
    _ path: String, _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws -> OriginalResult {
    let start = ContinuousClock.now
    let response = try await FileFetcher().fetch(FetchRequest(url: resolved.request.url))
    recorder.note(.disk, "read \(path)", since: start)
    var stored = StoredResponse(
      unstored: HTTPCacheUpdate.Answer(response, for: resolved.spelled))
    stored.isAlwaysStale = false
    return try await finish(
      OriginalResult(
        body: response.body, record: Self.record(of: stored, for: resolved), source: .disk,
        freshness: .current, recorder: recorder, isChecked: false),
      resolved, run, recorder)
  }

  // MARK: Origin

  /// Sends a request to the origin, conditional if something is stored, and processes its response.
  ///
  /// - Parameter generation: The generation of the original in the shared tier, under which it is
  ///   stored.
  private func ask(
    _ question: OriginalCache.Question, _ generation: TierGeneration?,
    _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> OriginalResult {
    let meter = TransferMeter()
    // Bytes in flight count towards the budget of memory until they are stored or decoded.
    let reservation = configuration.governor?.reserve(0)
    let previews = BodyPreviews(
      run: run, interval: configuration.previewInterval, limits: configuration.limits,
      reservation: reservation, now: configuration.queueClock.now)
    costs.begin(meter, previews)
    defer {
      costs.end(meter)
      let requestCount = meter.reading.requestCount
      if requestCount > 0 { disk?.count(.requests, by: requestCount) }
      reservation?.setByteCount(0)
    }
    return try await originals.ask(question) { fields, take in
      let response = try await fetch(
        resolved, fields,
        conditionsURL: fields == question.request.fields ? nil : question.conditionsURL, meter,
        previews, run.priority, recorder)
      if response.body.staged == nil { reservation?.setByteCount(response.body.byteCount) }
      try Task.checkCancellation()
      let head = HTTPCacheUpdate.Answer(response, for: question.url)
      var original = try original(
        of: response, head, take(head), question, generation, resolved, recorder)
      original.cost = meter.reading
      return try await finish(original, resolved, run, recorder)
    }
  }

  /// The original that a response brings or confirms.
  private func original(
    of response: FetchedResponse, _ head: HTTPCacheUpdate.Answer,
    _ disposition: OriginalCache.Disposition, _ question: OriginalCache.Question,
    _ generation: TierGeneration?, _ resolved: ResolvedRequest, _ recorder: LoadRecorder
  ) throws -> OriginalResult {
    switch disposition {
    case .deliver(var entry):
      if let generation, entry.record.generation != generation || entry.record.sharedAt != nil {
        entry.record.generation = generation
        entry.record.sharedAt = nil
        try? disk?.update(entry.record)
      }
      guard
        var original = read(entry.record.key, resolved, source: .revalidated, .current, recorder)
      else { throw OriginalCache.UselessResponse() }
      disk?.count(.revalidations)
      original.storeFailure = entry.failure
      return original
    case .store(let stored):
      var original = fetched(response, as: stored, isStorable: true, resolved, recorder)
      original.record.generation = generation
      original.previous = question.stored.first { $0.record.key == original.record.key }?.record
      return original
    case .pass:
      return fetched(
        response, as: StoredResponse(unstored: head), isStorable: false, resolved, recorder)
    case .join, .substitute: throw OriginalCache.UselessResponse()
    }
  }

  private func fetched(
    _ response: FetchedResponse, as stored: StoredResponse, isStorable: Bool,
    _ resolved: ResolvedRequest, _ recorder: LoadRecorder
  ) -> OriginalResult {
    var record = Self.record(of: stored, for: resolved)
    record.originMark = disk?.mark(of: response.originHeaders) ?? []
    return OriginalResult(
      body: response.body, record: record, source: .network, freshness: .current,
      recorder: recorder, isStorable: isStorable && disk != nil, isChecked: false)
  }

  /// The record under which a response is stored.
  static func record(
    of response: StoredResponse, for resolved: ResolvedRequest
  ) -> CacheRecord {
    var record = CacheRecord(
      key: .original(url: resolved.spelled, vary: response.selection), at: response.responseTime)
    record.adopt(response.withoutCookieValues)
    record.groups = resolved.request.groups
    return record
  }

  private func fetch(
    _ resolved: ResolvedRequest, _ fields: HTTPFields, conditionsURL: String?,
    _ meter: TransferMeter, _ watcher: any BodyWatching, _ priority: LivePriority,
    _ recorder: LoadRecorder
  ) async throws -> FetchedResponse {
    let url = WebURL.withoutFragment(resolved.request.url)
    if resolved.policy == .http || resolved.policy == .forever,
      let known = negatives.answer(
        for: [resolved.spelled, WebURL(url)?.host ?? ""], at: configuration.clock())
    {
      throw known
    }
    var fetch = FetchRequest(url: url)
    fetch.headers = fields
    fetch.limits = configuration.fetchLimits
    fetch.hostRules = configuration.hostRules
    fetch.conditionsURL = conditionsURL
    fetch.resumes = conditionsURL == nil
    fetch.alternates = resolved.request.alternates
    fetch.failsWhileBusy = priority.value == .prefetch
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
    let host =
      WebURL(ready.url).map { ready.hostRules.target(of: $0).hostAndPort }
      ?? S3Address(ready.url)?.host
    try refuseWhileHeld(host)
    let asked = ContinuousClock.now
    return try await queue.run(priority: priority, host: host) {
      recorder.note(.wait, "for a place at \(host ?? "the origin")", since: asked)
      let start = ContinuousClock.now
      do {
        let response = try await recorder.fetch(ready) { try await transfers.fetch($0) }
        recorder.note(
          .fetch, "\(response.head.status), \(response.body.byteCount) bytes", since: start)
        return response
      } catch {
        recorder.note(.fetch, error, since: start)
        throw error
      }
    }
  }
}
