import DiskCaching
import HTTPCaching
import ImageModel
import LoadScheduling

/// Originals that cannot be loaded, and what answers in their place.
extension OriginalNode {
  /// Nothing stored may answer, and the cache policy forbids fetching.
  static var notCached: ImageError {
    ImageError(.notCached, "not cached, and ImageRequest.cache.policy forbids fetching")
  }

  /// The error of a request whose remembered answer was that there is nothing.
  func refusal(by record: CacheRecord) -> ImageError {
    if resolved.policy == .onlyIfCached { return Self.notCached }
    return ImageError(
      record.failure ?? .httpStatus,
      "the origin answered \(record.status) to an earlier request", status: record.status)
  }

  /// Fails if a host's `Retry-After` is longer than a request may wait for a slot.
  func refuseWhileHeld(_ host: String?) throws {
    guard let patience = graph.configuration.waitingFetches.maximumTime, let host,
      let pause = graph.hosts.pause(of: host), pause > patience
    else { return }
    throw ImageError(
      .httpStatus,
      "\(host) sent Retry-After; next attempt in \(max(1, pause.bounded.components.seconds)) s",
      status: 503, retryAfter: pause)
  }

  /// The entry that may answer in place of an origin that failed.
  ///
  /// - Throws: The error if none may; one that lasts is remembered.
  func substitute(
    for error: ImageError, _ question: OriginalCache.Question
  ) async throws -> OriginalResult {
    // Bytes that a caller gave say nothing of the origin; a file is looked at each time.
    if resolved.request.supplied != nil || LocalAddress.isNamed(by: resolved.request.url) {
      throw error
    }
    // A 503 holds its URL for its Retry-After, also where a stale response answers meanwhile.
    if question.substitute == nil || error.status == 503 { remember(error) }
    guard let entry = graph.originals.substitute(for: error, in: question),
      await tier.permits(entry.record), let stored = read(entry.record.key, .staleOnError)
    else { throw error }
    recorder.record(.disk, "stale, serves because the origin failed: \(error)", since: .now)
    return stored
  }

  /// Remembers a failure for a while, so that a dead link is not requested in a loop. Stored bytes
  /// stay: an archive does not discard what it has.
  private func remember(_ error: ImageError) {
    // What failed may be there since a purge.
    guard resolved.epoch == graph.purges.epoch else { return }
    let now = graph.configuration.clock()
    guard let lifetime = graph.configuration.negativeLifetimes.lifetime(of: error, at: now) else {
      return
    }
    var until = now.addingTimeInterval(lifetime.seconds)
    // Another server may purge it, and the tier remembers it for its lifetime.
    if let tier = resolved.tier, error.retryAfter == nil {
      until = min(until, now.addingTimeInterval(tier.memoryLifetime.seconds))
    }
    let credentials = resolved.credentials
    guard NegativeLifetimes.isMissing(error), let disk, !disk.hidesBytes(from: credentials) else {
      let own = WebURL(resolved.request.url)?.host
      let host = error.code == .nameNotResolved ? error.host ?? own : nil
      // A name that a redirect led to says nothing about the host that redirected.
      if host == nil || host != own {
        graph.negatives.remember(
          error, for: resolved.cacheURL, credentials.own, until: until, now: now)
      }
      if let host {
        graph.negatives.remember(error, for: host, credentials.own, until: until, now: now)
      }
      return
    }
    guard disk.variations(for: credentials).allSatisfy(\.isNegative) else { return }
    var record = CacheRecord(
      key: CacheKey.original(url: resolved.cacheURL).marked(disk.keyMark(of: credentials)), at: now)
    record.requestTime = resolved.begun
    record.originMark = disk.mark(of: credentials.sent())
    record.status = error.status ?? 404
    record.failure = error.code
    record.expires = until
    try? disk.storeNegative(record)
  }
}
