import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageModel

/// The shared tier, as one load sees it: whether it permits a stored entry to answer, and what other
/// servers have. Without a tier, any entry may answer, and everything is made here.
struct TierGuard: LoadPart {
  let load: Load

  /// Whether the stored response of an original, or a result of it, may answer: not if another
  /// server has purged it, which removes it here as well.
  ///
  /// If the tier cannot decide that, the entry answers, and is revalidated in the background.
  ///
  /// - Parameter record: The record of the original.
  func permits(_ record: CacheRecord) async -> Bool {
    guard let tier = resolved.tier else { return true }
    let start = ContinuousClock.now
    switch await tier.validity(of: resolved.cacheURL, under: record.generation) {
    case nil: return true
    case .current, .unknown:
      recorder.record(.shared, "asked whether it was purged", since: start)
      return true
    case .unrelated:
      recorder.record(.shared, "does not know it", since: start)
      if resolved.policy == .http { graph.refresh(resolved) }
      return true
    case .purged:
      recorder.record(.shared, "purged", since: start)
      graph.negatives.forget(resolved.cacheURL, for: resolved.credentials.own)
      // What was made of it is found out when it is asked for.
      _ = try? await graph.executor.run(priority: resolved.request.priority) {
        let same = disk?.variations(of: resolved.cacheURL).filter {
          $0.generation == record.generation
        }
        try disk?.remove((same ?? []).map(\.key) + [record.key])
      }
      return false
    }
  }

  // MARK: Taking or making

  /// Takes a value from the tier, or makes it for all servers.
  ///
  /// - Parameters:
  ///   - isAsked: Whether the tier may have it; otherwise it is made, and replaces the tier's.
  ///   - take: Turns a value of the tier into that of this server; `nil` if it is unusable.
  ///   - make: Makes the value, with the generation of the original under which it is stored.
  func obtain<Value: SharedMaking>(
    _ key: @autoclosure () -> TierKey, isAsked: Bool,
    take: (FoundValue) async throws -> Value?,
    make: (TierGeneration?) async throws -> Value
  ) async throws -> Value {
    guard let tier = resolved.tier else { return try await make(nil) }
    let key = key()
    guard resolved.isShareable, isAsked else {
      // A result has the generation of its original.
      let made = try await make(
        key.variant == nil ? await tier.generation(of: resolved.cacheURL) : nil)
      if resolved.isShareable { write(made, for: key, nil, tier) }
      return made
    }
    let asked = graph.configuration.clock()
    let (generation, lock): (TierGeneration, TierLock?)
    switch try await turn(key, tier) {
    case .use(let value, let current):
      let found = FoundValue(value: value, generation: current, asked: asked)
      if let taken = try await take(found) { return taken }
      (generation, lock) = (current, nil)
    case .makeAlone: return try await make(nil)
    case .make(let granted): (generation, lock) = (granted.generation, granted)
    }
    do {
      let made = try await make(generation)
      write(made, for: key, lock, tier)
      return made
    } catch {
      if let lock { release(lock, after: error, tier) }
      throw error
    }
  }

  private func turn(_ key: TierKey, _ tier: any SharedResponseTier) async throws -> TierTurn {
    let start = ContinuousClock.now
    let turn = try await tier.turn(for: key, until: resolved.deadline) { freshness(of: $0) != nil }
    let outcome =
      switch turn {
      case .use: "found"
      case .make: "absent"
      case .makeAlone: "does not answer"
      }
    recorder.record(.shared, outcome, since: start)
    return turn
  }

  /// How a value may answer the request at once; `nil` for one that may not.
  func freshness(of value: TierValue) -> LoadFreshness? {
    let now = graph.configuration.clock()
    if value.isRefusal { return value.freshUntil > now ? .fresh : nil }
    return value.response.reuse(
      for: resolved.cacheRequest(isInteractive: false), at: now, profile: graph.originals.profile)
  }

  /// The record of the original that a value is, or from which it was made.
  func record(of found: FoundValue) -> CacheRecord {
    let response = found.value.received(
      found.generation, asked: found.asked, at: graph.configuration.clock())
    var record = resolved.record(of: response, in: disk)
    record.fetchedAt = found.value.currentAt
    // Its groups are those of another server.
    let own = Set(CacheTag.all(of: record).map(\.name))
    record.sharedTags = Set(found.value.tags).subtracting(own)
    return record
  }

  // MARK: Writing

  /// Writes what was fetched or made to the tier, unless that is for this server alone, and releases
  /// the lock.
  ///
  /// A result is written under the generation of its original: if that was purged meanwhile, the
  /// tier does not take it.
  private func write(
    _ made: some SharedMaking, for key: TierKey, _ lock: TierLock?, _ tier: any SharedResponseTier
  ) {
    let record = made.original
    guard let generation = record.generation, isForAll(record),
      made.byteCount <= tier.maximumBodyByteCount, let body = try? made.bytes()
    else {
      if let lock { tier.release(lock) }
      return
    }
    let now = graph.configuration.clock()
    let use = record.freshness(isShared: true)
    let freshUntil = use.isFresh(at: now) ? now.addingTimeInterval(use.remaining(at: now)) : now
    let grace = max(use.control.staleWhileRevalidate ?? 0, use.control.staleIfError ?? 0)
    var value = TierValue(
      response: StoredResponse(record), body: body, freshUntil: freshUntil,
      // A tier has a limit of its own.
      staleUntil: resolved.policy == .forever
        ? .distantFuture : freshUntil.addingTimeInterval(Double(grace)),
      tags: CacheTag.all(of: record).map(\.name))
    // Purges by tag since the origin sent it concern it, whenever this server has received it.
    value.currentAt = record.sharedAt ?? record.responseTime
    tier.write(value, for: key, generation, lock: lock)
  }

  private func isForAll(_ record: CacheRecord) -> Bool {
    !record.isAlwaysStale && record.originMark.isEmpty
      && !record.headers.saysPrivate
      // One that was selected by fields of its request (`Vary`) is not for all of them.
      && StoredResponse(record).selection.isEmpty
  }

  /// Releases the lock of a value that could not be made. That the origin has no content is recorded
  /// for a while; any other failure may concern this server alone.
  private func release(
    _ lock: TierLock, after error: any Error, _ tier: any SharedResponseTier
  ) {
    let now = graph.configuration.clock()
    guard lock.key.variant == nil, let error = error as? ImageError, let status = error.status,
      NegativeLifetimes.isMissing(error),
      let lifetime = graph.configuration.negativeLifetimes.lifetime(of: error, at: now)
    else { return tier.release(lock) }
    let until = now.addingTimeInterval(lifetime.seconds)
    let value = TierValue(
      response: StoredResponse(status: status, fields: [:], requestTime: now, responseTime: now),
      body: [], freshUntil: until, staleUntil: until,
      tags: CacheTag.all(of: CacheRecord(key: .original(url: lock.key.url.text), at: now))
        .map(\.name))
    tier.write(value, for: lock.key, lock.generation, lock: lock)
  }
}

protocol SharedMaking {
  /// The record of the original.
  var original: CacheRecord { get }
  var byteCount: Int { get }
  func bytes() throws(ImageError) -> [UInt8]
}

struct FoundValue: Sendable {
  let value: TierValue
  let generation: TierGeneration
  /// The time of the request to the tier.
  let asked: Date
}

extension TierValue {
  /// Whether it is the response of an origin that has no content.
  var isRefusal: Bool { response.status >= 400 }
}
