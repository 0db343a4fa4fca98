import CachePolicies
import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageFetching
import ImageModel
import LoadScheduling
import Synchronization

/// The node of an original: looks it up, asks the origin, receives the response, checks it, and
/// publishes it.
struct OriginalNode: GraphNode {
  let load: Load
  let run: SharedRun<LoadUpdate>

  // MARK: Callers

  /// The original of a request with what a caller needs of it: one load and one decode for all
  /// callers whose requests arrive before the decode begins. A later caller gets a separate decode,
  /// of the same bytes.
  static func join(
    _ load: Load, _ part: DecodePlan.Part, known: OriginalResult? = nil,
    found: OriginalLookup? = nil
  ) async throws -> OriginalResult {
    let (graph, watch) = (load.graph, load.watch)
    var known = known
    while true {
      if let known, known.satisfies(part) {
        try await addGroups(load, to: known.record)
        // The pixels of other callers are not held any longer.
        return known.limited(to: part)
      }
      let earlier = known
      var made = try await graph.originalNodes.value(
        for: load.resolved.originalKey, priority: watch.priority, need: part,
        onUpdate: watch.onUpdate, isWatching: watch.isWatching,
        beginsHere: graph.beginsHere(load.resolved)
      ) { run in
        let node = OriginalNode(load: load, run: run)
        defer { graph.endedOriginals.add(1, ordering: .releasing) }
        if let earlier { return try await node.check(earlier) }
        return try await node.make(found)
      }
      if let earlier { made.add(earlier) }
      known = made
    }
  }

  private static func addGroups(_ load: Load, to record: CacheRecord) async throws {
    let (graph, resolved) = (load.graph, load.resolved)
    guard graph.disk != nil, record.content != nil,
      !resolved.request.storage.groups.isSubset(of: record.groups)
    else { return }
    try await graph.executor.run(priority: resolved.request.priority) {
      graph.addGroups(of: resolved.request, to: record.key)
    }
  }

  private func make(_ found: OriginalLookup?) async throws -> OriginalResult {
    let made =
      if let path = resolved.localPath {
        try await readFile(path)
      } else {
        try await answered(
          found.flatMap { $0.isCurrent(in: graph) ? $0 : nil }
            ?? OriginalLookup(load, at: run.priority.value))
      }
    if made.freshness != .staleOnError {
      graph.negatives.forget(resolved.cacheURL, for: resolved.credentials.own)
    }
    return made
  }

  // MARK: Look up

  /// Loads it from disk or from its origin, as the look-up says, and makes what callers need of it.
  private func answered(_ lookup: OriginalLookup) async throws -> OriginalResult {
    if disk != nil, resolved.policy != .reload {
      recorder.record(.disk, lookup.answer.outcome, since: .now - lookup.elapsed)
    }
    switch lookup.answer {
    case .ask(let question): return try await obtain(question)
    case .gatewayTimeout: throw Self.notCached
    case .deliver(let entry, let freshness, _):
      if entry.record.isNegative { throw refusal(by: entry.record) }
      // Bytes that are gone, damaged or purged are as good as none.
      if let stored = read(entry.record.key, freshness), await tier.permits(stored.record) {
        if stored.freshness == .staleWhileRevalidating { graph.refresh(resolved) }
        return try await check(stored)
      }
      if resolved.policy == .onlyIfCached { throw Self.notCached }
      return try await obtain(
        OriginalCache.Question(
          resolved.cacheRequest(isInteractive: lookup.isInteractive), url: resolved.cacheURL))
    }
  }

  /// Reads a file of this machine. It is not stored.
  private func readFile(_ path: String) async throws -> OriginalResult {
    let start = ContinuousClock.now
    let response = try FileFetcher.response(to: resolved.request.url, at: path)
    recorder.record(.disk, "read \(path)", since: start)
    var stored = StoredResponse(
      unstored: OriginHead(
        response, for: resolved.cacheURL, at: graph.configuration.clock()))
    stored.isAlwaysStale = false
    return try await check(
      OriginalResult(
        body: response.body, record: resolved.record(of: stored, in: nil), source: .disk,
        freshness: .current, recorder: recorder, isChecked: false))
  }

  func read(
    _ key: CacheKey, source: LoadSource = .disk, _ freshness: LoadFreshness
  ) -> OriginalResult? {
    disk?.read(key, protecting: resolved.request.isPinned).map { stored in
      OriginalResult(
        body: .bytes(stored.bytes), record: stored.record, source: source, freshness: freshness,
        recorder: recorder)
    }
  }

  // MARK: Ask

  /// Loads an original that is not on disk, or may not answer as it is there.
  private func obtain(_ question: OriginalCache.Question) async throws -> OriginalResult {
    do {
      return try await tier.obtain(
        TierKey(url: resolved.cacheURL), isAsked: resolved.mayReuse,
        take: { try await receive($0) }, make: { try await ask(question, $0) })
    } catch let error as ImageError {
      return try await check(substitute(for: error, question))
    }
  }

  /// Sends a request to the origin, conditional if something is stored, and processes its response,
  /// which is stored under a generation of the shared tier.
  private func ask(
    _ question: OriginalCache.Question, _ generation: TierGeneration?
  ) async throws -> OriginalResult {
    let meter = TransferMeter()
    // Bytes in flight count towards the budget of memory until they are stored or decoded.
    let reservation = graph.configuration.governor?.reserve(0)
    let previews = BodyPreviews(
      run: run, interval: graph.configuration.previewInterval, limits: graph.configuration.limits,
      reservation: reservation, now: graph.configuration.queueClock.now)
    graph.costs.begin(meter, previews)
    defer {
      graph.costs.end(meter)
      let requestCount = meter.reading.requestCount
      if requestCount > 0 { disk?.count(.requests, by: requestCount) }
      reservation?.setByteCount(0)
    }
    return try await graph.originals.ask(question) { fields, take in
      let isConditional = fields != question.request.fields
      let response = try await fetch(
        fields, conditionsURL: isConditional ? question.conditionsURL : nil, meter, previews)
      if response.body.staged == nil { reservation?.setByteCount(response.body.byteCount) }
      try Task.checkCancellation()
      let head = OriginHead(response, to: resolved, at: graph.configuration.clock())
      var original = try receive(response, head, take(head), question, generation)
      original.cost = meter.reading
      return try await check(original)
    }
  }

  private func fetch(
    _ fields: HTTPFields, conditionsURL: String?, _ meter: TransferMeter,
    _ progress: any BodyWatching
  ) async throws -> FetchedResponse {
    let url = WebURL.withoutFragment(resolved.request.url)
    if let bytes = resolved.request.supplied {
      return FetchedResponse(head: ResponseHead(url: url, status: 200), body: .bytes(bytes))
    }
    if resolved.policy == .http || resolved.policy == .forever,
      let known = graph.negatives.answer(
        for: [resolved.cacheURL, WebURL(url)?.host ?? ""], resolved.credentials.own,
        at: graph.configuration.clock())
    {
      throw known
    }
    var fetch = FetchRequest(url: url)
    fetch.headers = fields
    fetch.limits = graph.configuration.fetchLimits(for: resolved.request)
    fetch.hostRules = graph.configuration.hostRules
    // A key of the request's own names what is at its URL.
    fetch.conditionsURL = conditionsURL == resolved.request.cache.key ? nil : conditionsURL
    fetch.resumes = conditionsURL == nil
    fetch.alternates = resolved.request.network.alternates
    fetch.failsWhileBusy = run.priority.value == .prefetch
    fetch.meter = meter
    fetch.progress = progress
    fetch.attemptEnded = { [hosts = graph.hosts] host, error in hosts.record(host, error) }
    fetch.protocolKnown = { [hosts = graph.hosts] in hosts.learn($0, isMultiplexed: $1) }
    if let prepare = graph.configuration.prepare {
      let start = ContinuousClock.now
      fetch = try await wrappingErrors { [fetch] in try await prepare(fetch) }
      recorder.record(.prepare, "as \(fetch.url)", since: start)
      try Task.checkCancellation()
    }
    let ready = fetch
    let host =
      WebURL(ready.url).map { ready.hostRules.target(of: $0).hostAndPort }
      ?? S3Address(ready.url)?.host
    try refuseWhileHeld(host)
    let asked = ContinuousClock.now
    return try await graph.queue.run(priority: run.priority, host: host) {
      recorder.record(.wait, "for a place at \(host ?? "the origin")", since: asked)
      let start = ContinuousClock.now
      do {
        let response = try await wrappingErrors {
          try await recorder.fetch(ready, clock: graph.configuration.clock) {
            try await graph.configuration.fetcher.fetch($0)
          }
        }
        let head = response.head
        guard head.isSuccess || head.status == 304 else {
          throw FetchFailure.error(forStatus: head.status, fields: head.fields, url: ready.url)
        }
        recorder.record(
          .fetch, "\(response.head.status), \(response.body.byteCount) bytes", since: start)
        return response
      } catch {
        recorder.record(.fetch, error, since: start)
        throw error
      }
    }
  }

  /// Calls a fetcher or hook, and throws its errors as an `ImageError`; a `CancellationError` stays
  /// one only if the load was cancelled.
  private func wrappingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      if error is ImageError || error is CancellationError && Task.isCancelled { throw error }
      throw ImageError(.fetchFailed, "\(resolved.request.url): \(error)", cause: error)
    }
  }

  // MARK: Receive

  private func receive(
    _ response: FetchedResponse, _ head: OriginHead,
    _ disposition: OriginalCache.Disposition, _ question: OriginalCache.Question,
    _ generation: TierGeneration?
  ) throws -> OriginalResult {
    switch disposition {
    case .deliver(var entry):
      if let generation, entry.record.generation != generation || entry.record.sharedAt != nil {
        entry.record.generation = generation
        entry.record.sharedAt = nil
        try? disk?.update(entry.record)
      }
      guard var original = read(entry.record.key, source: .revalidated, .current) else {
        throw OriginalCache.UselessResponse()
      }
      disk?.count(.revalidations)
      original.storeFailure = entry.failure
      return original
    case .store(let stored):
      var original = received(response, as: stored)
      original.isStorable = disk != nil
      original.record.generation = generation
      original.previous = question.stored.first { $0.record.key == original.record.key }?.record
      return original
    case .pass: return received(response, as: StoredResponse(unstored: head))
    case .join, .substitute: throw OriginalCache.UselessResponse()
    }
  }

  private func received(_ response: FetchedResponse, as stored: StoredResponse) -> OriginalResult {
    OriginalResult(
      body: response.body,
      record: resolved.record(of: stored, in: disk, sentWith: response.originHeaders),
      source: .network, freshness: .current, recorder: recorder, isChecked: false)
  }

  /// The original that the tier has; `nil` if it is unusable.
  ///
  /// - Throws: ``ImageError`` of code `httpStatus` if the origin has answered that there is nothing.
  private func receive(_ found: FoundValue) async throws -> OriginalResult? {
    let value = found.value
    if value.isRefusal {
      // It ends when the other server's does.
      let rest = max(0, Int(value.freshUntil.timeIntervalSince(graph.configuration.clock())))
      let (url, status) = (resolved.request.url, value.response.status)
      throw ImageError(
        .httpStatus, "the origin answered \(status) to another server", status: status,
        head: ResponseHead(url: url, status: status, fields: [.cacheControl: "max-age=\(rest)"]))
    }
    guard let freshness = tier.freshness(of: value) else { return nil }
    let original = OriginalResult(
      body: .bytes(value.body), record: tier.record(of: found), source: .sharedTier,
      freshness: freshness, recorder: recorder, isStorable: disk != nil, isChecked: false)
    do {
      return try await check(original)
    } catch let error as ImageError where Self.uselessCodes.contains(error.code) {
      // Bytes of another server are trusted no more than those of an origin.
      return nil
    }
  }

  private static let uselessCodes: Set<ImageError.Code> = [
    .notAnImage, .unsupportedFormat, .truncated, .corrupt, .limitExceeded, .tooLarge, .emptyBody,
  ]
}
