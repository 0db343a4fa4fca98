#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Beside the journey: processed pictures on disk, wishes of those who joined, and small words.
extension ImageLoader {
  /// The encoded result of a request, where it is on disk and may be used; its freshness is its original's.
  func keptResult(
    of request: ImageRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws -> MadePicture? {
    guard let disk = configuration.diskCache else { return nil }
    let key = resultKey(of: request)
    let (limits, now, policy) = (
      configuration.limits, configuration.clock(), configuration.policy(for: request)
    )
    let start = ContinuousClock.now
    return try await executor.run(priority: run.priority.value) {
      guard let record = disk.record(for: key),
        case .deliver(let freshness) = LoadPlan(
          policy: policy, kept: record, use: record.use(at: now)),
        let entry = disk.read(key, protecting: request.isToBeKept),
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
    _ made: MadePicture, of request: ImageRequest, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws {
    guard let disk = configuration.diskCache, made.mayBeKept || request.isToBeKept else { return }
    let key = resultKey(of: request)
    let recipe =
      request.thumbnail ?? ThumbnailRecipe(size: made.picture.pixels.size, fit: .inside)
    let start = ContinuousClock.now
    try await executor.run(priority: run.priority.value) {
      do throws(ImageError) {
        let encoded = try ImageCodecs.encode(made.picture.pixels, recipe: recipe, profile: nil)
        var record = made.record.described(as: key)
        record.format = encoded.format
        record.size = encoded.size
        record.groups = request.groups
        try disk.store(encoded.bytes, record, protecting: request.isToBeKept)
        recorder.note(.store, "kept the result", since: start)
      } catch {
        disk.count(.storeFailures)
      }
    }
  }

  /// Stores an original that was loaded for somebody who had no use for it on disk.
  func keep(_ response: DataResponse, for request: ImageRequest) async throws -> DataResponse {
    guard let disk = configuration.diskCache, localPath(request) == nil,
      !response.record.isAlwaysStale || request.isToBeKept
    else { return response }
    return try await executor.run(priority: request.priority) {
      var kept = response
      do throws(ImageError) {
        var record = response.record
        record.groups.formUnion(request.groups)
        kept.keep(
          as: try disk.store(try response.bytes(), record, protecting: request.isToBeKept))
      } catch {
        disk.count(.storeFailures)
        kept.storeFailure = error
      }
      return kept
    }
  }

  /// Whether a load would be answered without asking the origin: what a prefetch may skip.
  func isKept(_ request: ImageRequest) async throws -> Bool {
    guard let disk = configuration.diskCache else { return false }
    let (key, now, policy) = (
      CacheKey.original(url: configuration.spell(request.url)), configuration.clock(),
      configuration.policy(for: request)
    )
    return try await executor.run(priority: request.priority) {
      guard let record = disk.record(for: key), !record.isNegative else { return false }
      let plan = LoadPlan(policy: policy, kept: record, use: record.use(at: now))
      guard case .deliver = plan, disk.path(for: key, protecting: request.isToBeKept) != nil else {
        return false
      }
      for group in request.groups { try? disk.addGroup(group, to: [key]) }
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
  func localPath(_ request: ImageRequest) -> String? {
    configuration.readsLocalFiles ? FileFetcher.path(of: request.url) : nil
  }

  func dataKey(_ request: ImageRequest) -> DataKey {
    DataKey(
      request, spelled: configuration.spell(request.url), policy: configuration.policy(for: request)
    )
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
    let use = record.freshness()
    return use.isFresh(at: now) ? now + use.remaining(at: now) : .distantPast
  }

  private func resultKey(of request: ImageRequest) -> CacheKey {
    .variant(source: configuration.spell(request.url), recipe: request.resultIdentity)
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
