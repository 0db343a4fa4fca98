#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Beside the journey: processed pictures on disk, wishes of those who joined, and small words.
extension ImageLoader {
  /// The encoded result of a request, where it is on disk and may be used; its freshness is its original's.
  func keptResult(
    of order: LoadOrder, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> MadePicture? {
    guard let disk = configuration.diskCache else { return nil }
    let key = resultKey(of: order)
    let (limits, now) = (configuration.limits, configuration.clock())
    let start = ContinuousClock.now
    return try await executor.run(priority: run.priority.value) { [self] in
      let request = order.cacheRequest()
      guard let record = disk.record(for: key),
        let freshness = LoadFreshness(
          StoredResponse(record, for: request.fields)
            .reuse(for: request, at: now, profile: originals.profile)),
        let entry = disk.read(key, protecting: order.request.isToBeKept),
        let pixels = try? ImageCodecs.decode(entry.bytes.span.bytes, limits: limits)
      else { return nil }
      recorder.note(.disk, "found, processed", since: start)
      return MadePicture(
        DecodedPicture(
          pixels: pixels, format: entry.record.format, frameCount: entry.record.frameCount,
          freshUntil: self.freshUntil(entry.record, freshness)),
        source: .disk, freshness: freshness, record: entry.record, recorder: recorder)
    }
  }

  /// Encodes and keeps the result of a request. One that cannot be kept was had all the same.
  func keepResult(
    _ made: MadePicture, of order: LoadOrder, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws {
    guard let disk = configuration.diskCache, made.mayBeKept || order.request.isToBeKept else {
      return
    }
    let key = resultKey(of: order)
    let recipe =
      order.request.thumbnail ?? ThumbnailRecipe(size: made.picture.pixels.size, fit: .inside)
    let start = ContinuousClock.now
    try await executor.run(priority: run.priority.value) {
      do throws(ImageError) {
        let encoded = try ImageCodecs.encode(made.picture.pixels, recipe: recipe, profile: nil)
        var record = made.record.described(as: key)
        record.format = encoded.format
        record.size = encoded.size
        record.groups = order.request.groups
        try disk.store(encoded.bytes, record, protecting: order.request.isToBeKept)
        recorder.note(.store, "kept the result", since: start)
      } catch {
        disk.count(.storeFailures)
      }
    }
  }

  /// Stores an original that was loaded for somebody who had no use for it on disk.
  func keep(_ response: DataResponse, for order: LoadOrder) async throws -> DataResponse {
    guard let disk = configuration.diskCache, localPath(order) == nil,
      !response.record.isAlwaysStale || order.request.isToBeKept
    else { return response }
    return try await executor.run(priority: order.request.priority) {
      var kept = response
      do throws(ImageError) {
        var record = response.record
        record.groups.formUnion(order.request.groups)
        kept.keep(
          as: try disk.store(try response.bytes(), record, protecting: order.request.isToBeKept))
      } catch {
        disk.count(.storeFailures)
        kept.storeFailure = error
      }
      return kept
    }
  }

  /// Whether a load would be answered without asking the origin: what a prefetch may skip.
  func isKept(_ request: ImageRequest) async throws -> Bool {
    let order = LoadOrder(request, configuration)
    guard let disk = configuration.diskCache else { return false }
    return try await executor.run(priority: order.request.priority) { [self] in
      guard
        case .deliver(let entry, _, nil) = originals.answer(
          order.cacheRequest(), for: order.spelled), !entry.record.isNegative,
        disk.path(for: entry.record.key, protecting: order.request.isToBeKept) != nil
      else { return false }
      for group in order.request.groups { try? disk.addGroup(group, to: [entry.record.key]) }
      return true
    }
  }

  /// What to show until the picture comes.
  func placeholder(for request: ImageRequest) async -> PixelBuffer? {
    guard request.placeholder.asksCache, let disk = configuration.diskCache else {
      return request.placeholder.picture()
    }
    let key = CacheKey.original(url: configuration.spell(request.url))
    let record = try? await executor.run(priority: request.priority) { disk.record(for: key) }
    return request.placeholder.picture(
      thumbHash: record?.thumbHash ?? [], dominantColor: record?.dominantColor)
  }

  /// The path of a request for a file of this machine, where the pipeline reads files.
  func localPath(_ order: LoadOrder) -> String? {
    configuration.readsLocalFiles ? FileFetcher.path(of: order.request.url) : nil
  }

  /// A page for the stages of a load; observers hear each as it ends.
  func recorder(for request: ImageRequest) -> LoadRecorder {
    let observers = configuration.observers
    guard !observers.isEmpty else { return LoadRecorder() }
    return LoadRecorder { step in
      for observer in observers { observer.stageEnded(step, of: request) }
    }
  }

  func freshUntil(_ record: CacheRecord, _ freshness: LoadFreshness) -> Date {
    guard !record.isAlwaysStale, freshness == .fresh || freshness == .current else {
      return .distantPast
    }
    let now = configuration.clock()
    let use = record.freshness(isShared: configuration.isShared)
    return use.isFresh(at: now) ? now + use.remaining(at: now) : .distantPast
  }

  private func resultKey(of order: LoadOrder) -> CacheKey {
    .variant(source: order.spelled, recipe: order.request.resultIdentity)
  }
}

extension CacheRecord {
  /// The same answer under another key, without what describes the bytes.
  fileprivate func described(as key: CacheKey) -> CacheRecord {
    var record = CacheRecord(key: key, at: responseTime)
    record.status = status
    record.headers = headers
    record.requestTime = requestTime
    record.fetchedAt = fetchedAt
    record.isAlwaysStale = isAlwaysStale
    record.frameCount = 1
    return record
  }
}
