import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageCodecs
import ImageFetching
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cache that several servers share, behind that on disk: each original is fetched and each
/// result made by one of them.
extension ImageGraph {
  // MARK: What is on disk

  /// Whether the stored response of an original may answer: not if another server has purged it.
  ///
  /// If the tier cannot decide that, the entry answers, and is revalidated in the background.
  func mayAnswer(
    _ record: CacheRecord, _ resolved: ResolvedRequest, _ recorder: LoadRecorder
  ) async -> Bool {
    guard let tier = resolved.tier else { return true }
    let start = ContinuousClock.now
    switch await tier.standing(of: resolved.spelled, under: record.generation) {
    case .valid(let wasAsked):
      if wasAsked { recorder.note(.shared, "asked whether it was purged", since: start) }
    case .doubtful:
      recorder.note(.shared, "does not know it", since: start)
      if resolved.policy == .http { refreshLater(resolved) }
    case .purged:
      recorder.note(.shared, "purged", since: start)
      negatives.forget([resolved.spelled])
      // What was made of it is found out when it is asked for.
      _ = try? await executor.run(priority: resolved.request.priority) { [self] in
        let same = disk?.variations(of: resolved.spelled).filter {
          $0.generation == record.generation
        }
        try disk?.remove((same ?? []).map(\.key) + [record.key])
      }
      return false
    }
    return true
  }

  // MARK: Originals

  /// Takes an original from the tier, or fetches it for all servers.
  ///
  /// - Parameter fetch: Fetches it, and stores it under a generation.
  func shared(
    _ question: OriginalCache.Question, _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder, _ fetch: (TierGeneration?) async throws -> OriginalResult
  ) async throws -> OriginalResult {
    guard let tier = resolved.tier else { return try await fetch(nil) }
    let key = TierKey(url: resolved.spelled)
    guard resolved.isShareable, resolved.mayReuse else {
      let original = try await fetch(await tier.generation(of: resolved.spelled))
      if resolved.isShareable { share(original, of: resolved, for: key, tier) }
      return original
    }
    let asked = configuration.clock()
    switch try await turn(key, tier, resolved, recorder) {
    case .use(let value, let generation):
      if let original = try await take(value, generation, asked, resolved, run, recorder) {
        return original
      }
      let original = try await fetch(generation)
      share(original, of: resolved, for: key, tier)
      return original
    case .makeAlone: return try await fetch(nil)
    case .make(let lock):
      do {
        let original = try await fetch(lock.generation)
        share(original, of: resolved, for: key, lock: lock, tier)
        return original
      } catch {
        share(error, lock: lock, tier)
        throw error
      }
    }
  }

  private func turn(
    _ key: TierKey, _ tier: any SharedResponseTier, _ resolved: ResolvedRequest,
    _ recorder: LoadRecorder
  ) async throws -> TierTurn {
    let start = ContinuousClock.now
    let turn = try await tier.turn(for: key, until: resolved.deadline) {
      freshness(of: $0, for: resolved) != nil
    }
    let outcome =
      switch turn {
      case .use: "found"
      case .make: "absent"
      case .makeAlone: "does not answer"
      }
    recorder.note(.shared, outcome, since: start)
    return turn
  }

  /// How a value may answer a request; `nil` for one that may not.
  private func freshness(of value: TierValue, for resolved: ResolvedRequest) -> LoadFreshness? {
    let now = configuration.clock()
    if value.isRefusal { return value.freshUntil > now ? .fresh : nil }
    return LoadFreshness(
      value.response.reuse(for: resolved.cacheRequest(), at: now, profile: originals.profile))
  }

  /// Computes the results that callers need from an original of the tier, and stores it; `nil` if
  /// it is unusable.
  ///
  /// - Parameter asked: The time of the request to the tier.
  /// - Throws: ``ImageError`` of code `httpStatus` if the origin has answered that there is nothing.
  private func take(
    _ value: TierValue, _ generation: TierGeneration, _ asked: Date, _ resolved: ResolvedRequest,
    _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> OriginalResult? {
    if value.isRefusal {
      // It ends when the other server's does.
      let rest = max(0, Int(value.freshUntil.timeIntervalSince(configuration.clock())))
      let (url, status) = (resolved.request.url, value.response.status)
      throw ImageError(
        .httpStatus, "the origin answered \(status) to another server", status: status,
        head: ResponseHead(
          url: url, status: status, fields: [.cacheControl: "max-age=\(rest)"]))
    }
    guard let freshness = freshness(of: value, for: resolved) else { return nil }
    let original = OriginalResult(
      body: .bytes(value.body), record: record(of: value, generation, asked, resolved),
      source: .shared, freshness: freshness, recorder: recorder, isStorable: disk != nil,
      isChecked: false)
    do {
      return try await finish(original, resolved, run, recorder)
    } catch let error as ImageError where Self.uselessCodes.contains(error.code) {
      // Bytes of another server are trusted no more than those of an origin.
      return nil
    }
  }

  private static let uselessCodes: Set<ImageError.Code> = [
    .notAnImage, .unsupportedFormat, .truncated, .corrupt, .limitExceeded, .tooLarge, .emptyBody,
  ]

  /// The record of the original of which a value is, or from which it was made.
  private func record(
    of value: TierValue, _ generation: TierGeneration, _ asked: Date, _ resolved: ResolvedRequest
  ) -> CacheRecord {
    let response = value.received(generation, asked: asked, at: configuration.clock())
    var record = Self.record(of: response, for: resolved)
    record.fetchedAt = value.currentAt
    // Its groups are those of another server.
    let own = Set(CacheTag.all(of: record).map(\.name))
    record.sharedTags = Set(value.tags).subtracting(own)
    return record
  }

  // MARK: Results

  /// Takes an encoded result from the tier, or makes it for all servers.
  ///
  /// - Parameter isKnown: Whether the original is there, decoded.
  func sharedResult(
    _ resolved: ResolvedRequest, _ recorder: LoadRecorder, isKnown: Bool,
    _ make: () async throws -> DataResponse
  ) async throws -> DataResponse {
    guard let tier = resolved.tier, resolved.isShareable, resolved.storesResult else {
      return try await make()
    }
    let key = TierKey(url: resolved.spelled, variant: resolved.request.resultIdentity)
    guard resolved.mayReuse, !isKnown else {
      let made = try await make()
      share(made, of: resolved, for: key, tier)
      return made
    }
    let asked = configuration.clock()
    switch try await turn(key, tier, resolved, recorder) {
    case .use(let value, let generation):
      let taken = try await executor.run(priority: resolved.request.priority) { [self] in
        result(from: value, generation, asked, resolved, recorder)
      }
      if let taken { return taken }
      let made = try await make()
      share(made, of: resolved, for: key, tier)
      return made
    case .makeAlone: return try await make()
    case .make(let lock):
      do {
        let made = try await make()
        share(made, of: resolved, for: key, lock: lock, tier)
        return made
      } catch {
        tier.release(lock)
        throw error
      }
    }
  }

  /// Stores a result of the tier as one without its original; `nil` if it is of no use.
  private func result(
    from value: TierValue, _ generation: TierGeneration, _ asked: Date,
    _ resolved: ResolvedRequest, _ recorder: LoadRecorder
  ) -> DataResponse? {
    guard let freshness = freshness(of: value, for: resolved), !value.isRefusal,
      let info = try? ImageCodecs.inspect(
        value.body.span.bytes, level: .none, limits: configuration.limits)
    else { return nil }
    let original = record(of: value, generation, asked, resolved)
    var record = original
    record.key = resolved.entry(of: nil)
    record.format = info.format
    record.size = info.size
    record.frameCount = info.frameCount
    var failure: ImageError?
    do throws(ImageError) {
      if let disk {
        record = try disk.store(
          value.body, record, of: original, begun: resolved.begun,
          protecting: resolved.request.isToBeKept)
      }
    } catch {
      failure = error
    }
    var response = response(
      resolved, CachedEntry(record: record, bytes: value.body), original: original,
      source: .shared, freshness, recorder)
    response.storeFailure = failure
    return response
  }

  // MARK: Writing

  private func share(
    _ original: OriginalResult, of resolved: ResolvedRequest, for key: TierKey,
    lock: TierLock? = nil, _ tier: any SharedResponseTier
  ) {
    share(original.record, resolved, byteCount: original.body.byteCount, for: key, lock, tier) {
      if let path = original.path {
        try MappedFile(path: path, byteCount: original.body.byteCount).withBytes { span in
          span.withUnsafeBytes { [UInt8]($0) }
        }
      } else {
        try original.body.bytes()
      }
    }
  }

  private func share(
    _ made: DataResponse, of resolved: ResolvedRequest, for key: TierKey, lock: TierLock? = nil,
    _ tier: any SharedResponseTier
  ) {
    share(made.original, resolved, byteCount: made.byteCount, for: key, lock, tier) {
      try made.bytes()
    }
  }

  /// Writes what was fetched or made to the tier, unless that is for this server alone, and releases
  /// the lock.
  ///
  /// A result is written under the generation of its original: if that was purged meanwhile, the
  /// tier does not take it.
  private func share(
    _ record: CacheRecord, _ resolved: ResolvedRequest, byteCount: Int, for key: TierKey,
    _ lock: TierLock?, _ tier: any SharedResponseTier, _ bytes: () throws -> [UInt8]
  ) {
    guard let generation = record.generation, isForAll(record),
      byteCount <= tier.maximumBodyByteCount, let body = try? bytes()
    else {
      if let lock { tier.release(lock) }
      return
    }
    let now = configuration.clock()
    let use = record.freshness(isShared: true)
    let freshUntil = use.isFresh(at: now) ? now + use.remaining(at: now) : now
    let grace = max(use.control.staleWhileRevalidate ?? 0, use.control.staleIfError ?? 0)
    var value = TierValue(
      response: StoredResponse(record), body: body, freshUntil: freshUntil,
      // A tier has a limit of its own.
      staleUntil: resolved.policy == .forever ? .distantFuture : freshUntil + Double(grace),
      tags: CacheTag.all(of: record).map(\.name))
    // Purges by tag since the origin sent it concern it, whenever this server has received it.
    value.currentAt = record.sharedAt ?? record.responseTime
    tier.write(value, for: key, generation, lock: lock)
  }

  /// Whether a stored response may answer the clients of other servers.
  private func isForAll(_ record: CacheRecord) -> Bool {
    !record.isAlwaysStale && record.originMark.isEmpty
      && !record.headers.saysPrivate
      // One that was selected by fields of its request (`Vary`) is not for all of them.
      && StoredResponse(record).selection.isEmpty
  }

  /// Records for a while that the origin has no content; any other failure may concern this server
  /// alone.
  private func share(_ error: any Error, lock: TierLock, _ tier: any SharedResponseTier) {
    let now = configuration.clock()
    guard let error = error as? ImageError, let status = error.status,
      NegativeLifetimes.isMissing(error),
      let lifetime = configuration.negativeLifetimes.lifetime(of: error, at: now)
    else { return tier.release(lock) }
    let until = now + lifetime.seconds
    let value = TierValue(
      response: StoredResponse(status: status, fields: [:], requestTime: now, responseTime: now),
      body: [], freshUntil: until, staleUntil: until,
      tags: CacheTag.all(of: CacheRecord(key: .original(url: lock.key.url.text), at: now))
        .map(\.name))
    tier.write(value, for: lock.key, lock.generation, lock: lock)
  }
}

extension TierValue {
  /// Whether it is the response of an origin that has no content.
  fileprivate var isRefusal: Bool { response.status >= 400 }
}
