import DiskCaching
import ImageModel
import LoadScheduling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Refusals, remembered failures, and refreshes in the background.
extension ImageGraph {
  /// Sends a request to the origin while callers receive the stored response.
  func refreshLater(_ resolved: ResolvedRequest) {
    var request = resolved.request
    request.cachePolicy = .revalidate
    request.priority = .low
    let refreshed = resolve(request)
    background.start(for: refreshed.originalKey) { [self] in
      let recorder = recorder(for: refreshed.request, span: "image refresh")
      do {
        let original = try await original(
          refreshed, OriginalWants(isStored: refreshed.storesOriginal),
          LoadWatch(priority: LivePriority(.low), recorder: recorder))
        recorder.span?.end(.success(LoadReport.Ending(original)))
      } catch {
        // If the failure lasts, the next request meets it.
        recorder.span?.end(.failure(error))
      }
    }
  }

  /// Adds an entry to the groups of a request. An entry that cannot be added is still an entry.
  func join(_ resolved: ResolvedRequest, _ record: CacheRecord) async throws {
    let groups = resolved.request.groups
    guard disk != nil, record.content != nil, !groups.isSubset(of: record.groups) else { return }
    try await executor.run(priority: resolved.request.priority) { [self] in
      addGroups(of: resolved.request, to: record.key)
    }
  }

  /// Adds an entry to the groups of a request, on a thread that may block.
  func addGroups(of request: ImageRequest, to key: CacheKey) {
    for group in request.groups { try? disk?.addGroup(group, to: [key]) }
  }

  /// Fails if a host's `Retry-After` is longer than a request may wait for a slot.
  func refuseWhileHeld(_ host: String?) throws {
    guard let patience = configuration.waitingFetches.maximumTime, let host,
      let pause = hosts.pause(of: host), pause > patience
    else { return }
    throw ImageError(
      .httpStatus,
      "\(host) sent Retry-After; next attempt in \(max(1, pause.bounded.components.seconds)) s",
      status: 503, retryAfter: pause)
  }

  /// Nothing stored may answer, and the cache policy forbids fetching.
  static var notCached: ImageError {
    ImageError(.notCached, "not cached, and ImageRequest.cachePolicy forbids fetching")
  }

  /// The error of a request whose remembered answer was that there is nothing.
  func refusal(by record: CacheRecord, for resolved: ResolvedRequest) -> ImageError {
    if resolved.policy == .onlyIfCached { return Self.notCached }
    return ImageError(
      record.failure ?? .httpStatus,
      "the origin answered \(record.status) to an earlier request", status: record.status)
  }

  /// Remembers a failure for a while, so that a dead link is not requested in a loop. Stored bytes
  /// stay: an archive does not discard what it has.
  func remember(_ error: ImageError, for resolved: ResolvedRequest) {
    // What failed may be there since a purge.
    guard resolved.epoch == purges.epoch else { return }
    let now = configuration.clock()
    guard let lifetime = configuration.negativeLifetimes.lifetime(of: error, at: now) else {
      return
    }
    var until = now + lifetime.seconds
    // Another server may purge it, and the tier remembers it for its lifetime.
    if let tier = resolved.tier, error.retryAfter == nil {
      until = min(until, now + tier.memoryLifetime.seconds)
    }
    guard NegativeLifetimes.isMissing(error), let disk, !disk.hidesBytes(of: resolved.spelled)
    else {
      let own = WebURL(resolved.request.url)?.host
      let host = error.code == .nameNotResolved ? error.host ?? own : nil
      // A name that a redirect led to says nothing about the host that redirected.
      if host == nil || host != own {
        negatives.remember(error, for: resolved.spelled, until: until, now: now)
      }
      if let host { negatives.remember(error, for: host, until: until, now: now) }
      return
    }
    guard disk.variations(of: resolved.spelled).allSatisfy(\.isNegative) else { return }
    var record = CacheRecord(key: .original(url: resolved.spelled), at: now)
    record.requestTime = resolved.begun
    record.originMark = disk.mark(ofURL: resolved.spelled)
    record.status = error.status ?? 404
    record.failure = error.code
    record.expires = until
    try? disk.storeNegative(record)
  }
}
