import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Around the journey: groups, refusals, what is remembered of failures, files of this machine.
extension ImageLoader {
  /// Asks the origin while others are served what is kept.
  func refreshLater(_ order: LoadOrder) {
    var asked = order.request
    asked.cachePolicy = .revalidate
    asked.priority = .low
    let refreshed = LoadOrder(asked, configuration)
    background.start(for: refreshed.dataKey) { [self] in
      // Whoever asks next meets the failure, if it lasts.
      _ = try? await data(
        refreshed,
        LoadWatch(priority: LivePriority(.low), recorder: recorder(for: refreshed.request)))
    }
  }

  /// Puts an entry into the groups of a request.
  func join(_ order: LoadOrder, _ key: CacheKey) async throws {
    guard let disk, !order.request.groups.isEmpty else { return }
    try await executor.run(priority: order.request.priority) { Self.join(order, key, in: disk) }
  }

  /// An entry that cannot be put into a group is still an entry.
  static func join(_ order: LoadOrder, _ key: CacheKey, in disk: DiskCache) {
    for group in order.request.groups {
      do throws(ImageError) { try disk.addGroup(group, to: [key]) } catch {
        disk.count(.storeFailures)
      }
    }
  }

  /// A host that asked to be left alone for longer than anybody may wait for a place is not waited
  /// for.
  func refuseWhileHeld(_ host: String?) throws {
    guard let patience = configuration.waitingFetches.maximumTime, let host,
      let pause = hosts.pause(of: host), pause > patience
    else { return }
    throw ImageError(
      .httpStatus, "\(host) asked to be left alone a short while ago", status: 503,
      retryAfter: pause)
  }

  /// Nothing is stored that may answer, and the origin is not to be asked.
  var notCached: ImageError {
    ImageError(.notCached, "not kept, and the origin is not to be asked")
  }

  /// The error of a request for which the origin had nothing a short while ago.
  func refusal(by record: CacheRecord, for order: LoadOrder) -> ImageError {
    if order.policy == .onlyIfCached { return notCached }
    return ImageError(
      record.failure ?? .httpStatus,
      "the origin had nothing (\(record.status)) a short while ago", status: record.status)
  }

  /// Keeps "there is nothing here" for a while, so that a dead link is not asked for in a loop.
  /// Bytes that are kept from better days stay: what an archive has, it does not throw away.
  func remember(_ error: ImageError, for order: LoadOrder) {
    let now = configuration.clock()
    guard let lifetime = configuration.negativeLifetimes.lifetime(of: error, at: now) else {
      return
    }
    let until = now + lifetime.seconds
    guard NegativeLifetimes.isMissing(error), let disk else {
      let own = WebURL(order.request.url)?.host
      let host = error.code == .nameNotResolved ? error.host ?? own : nil
      // A name that a redirect led to says nothing about the host that redirected.
      if host == nil || host != own {
        negatives.remember(error, for: order.spelled, until: until, now: now)
      }
      if let host { negatives.remember(error, for: host, until: until, now: now) }
      return
    }
    guard disk.variations(of: order.spelled).allSatisfy(\.isNegative) else { return }
    var record = CacheRecord(key: .original(url: order.spelled), at: now)
    record.status = error.status ?? 404
    record.failure = error.code
    record.expires = until
    do throws(ImageError) { try disk.storeNegative(record) } catch { disk.count(.storeFailures) }
  }

  func read(
    _ path: String, _ order: LoadOrder, _ recorder: LoadRecorder
  ) async throws -> DataResponse {
    let (limits, start) = (configuration.limits, ContinuousClock.now)
    let fetch = FetchRequest(url: order.request.url)
    let response = try await FileFetcher().fetch(fetch)
    recorder.note(.disk, "read \(path)", since: start)
    return try await executor.run(priority: order.request.priority) {
      let checked = try Self.inspect(response, order.request.check, limits)
      var stored = StoredResponse(unstored: HTTPCacheUpdate.Answer(response))
      stored.isAlwaysStale = false
      let record = Self.record(of: stored, checked, for: order)
      return DataResponse(
        order.request, body: .bytes(try response.body.bytes()), byteCount: response.body.byteCount,
        record: record, source: .disk, meter: TransferMeter(), freshness: .current,
        recorder: recorder)
    }
  }
}
