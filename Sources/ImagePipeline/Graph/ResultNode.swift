import DiskCaching
import HTTPCaching
import ImageCodecs
import ImageModel
import LoadScheduling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encoded results: read from disk, made, stored.
extension ImageGraph {
  // MARK: Lookup

  /// The entry of a result on disk, which has not been read.
  struct FoundResult {
    let key: CacheKey
    let freshness: LoadFreshness
    /// The record of the original, or of the result if that is stored alone.
    let original: CacheRecord
  }

  /// The entry of a request's result, if there is one that may be used; the original is not read.
  ///
  /// - Parameter isInteractive: See ``ResolvedRequest/cacheRequest(isInteractive:)``.
  func findResult(_ resolved: ResolvedRequest, isInteractive: Bool) -> FoundResult? {
    guard let disk, resolved.storesResult else { return nil }
    let request = resolved.cacheRequest(isInteractive: isInteractive)
    let answer = originals.answer(request, for: resolved.spelled)
    if case .deliver(let entry, let delivery, _) = answer {
      return entry.record.content.map { content in
        FoundResult(
          key: key(of: content.hash, entry.record, resolved), freshness: LoadFreshness(delivery),
          original: entry.record)
      }
    }
    // A result of another server comes without its original.
    guard !resolved.storesOriginal || resolved.tier != nil,
      let record = disk.record(for: resolved.entry(of: nil)),
      let freshness = LoadFreshness(
        StoredResponse(record)
          .reuse(for: request, at: configuration.clock(), profile: originals.profile))
    else { return nil }
    // It may be of an older original than the one that is stored.
    if case .ask(let question) = answer,
      question.stored.contains(where: { $0.record.fetchedAt > record.fetchedAt })
    {
      return nil
    }
    return FoundResult(key: record.key, freshness: freshness, original: record)
  }

  /// The key of a result whose original is stored: with a shared tier it may be there from before
  /// its original.
  private func key(
    of hash: BlobHash, _ original: CacheRecord, _ resolved: ResolvedRequest
  ) -> CacheKey {
    let (own, alone) = (resolved.entry(of: hash, original.format), resolved.entry(of: nil))
    guard resolved.tier != nil, let generation = original.generation, let disk,
      disk.record(for: own) == nil, let earlier = disk.record(for: alone),
      earlier.generation == generation, earlier.fetchedAt >= original.fetchedAt
    else { return own }
    return alone
  }

  /// Reads the result of a request, if there is one that may be used.
  private func readResult(
    _ resolved: ResolvedRequest, _ priority: LoadPriority
  ) -> (found: FoundResult, entry: CachedEntry)? {
    guard let found = findResult(resolved, isInteractive: priority > .prefetch),
      let entry = disk?.read(found.key, protecting: resolved.request.isToBeKept)
    else { return nil }
    if found.freshness == .staleWhileRevalidating { refreshLater(resolved) }
    return (found, entry)
  }

  /// The encoded result of a request, if it is on disk and may be used.
  func storedResult(
    _ resolved: ResolvedRequest, _ priority: LoadPriority, _ recorder: LoadRecorder
  ) throws -> DataResponse? {
    let start = ContinuousClock.now
    guard let (found, entry) = readResult(resolved, priority) else { return nil }
    recorder.note(.disk, "found, made before", since: start)
    return response(
      resolved, entry, original: found.original, source: .disk, found.freshness, recorder)
  }

  /// The same, decoded.
  func storedImage(
    _ resolved: ResolvedRequest, _ priority: LoadPriority, _ recorder: LoadRecorder
  ) throws -> MadeImage? {
    let start = ContinuousClock.now
    guard let (found, entry) = readResult(resolved, priority),
      let pixels = try? ImageCodecs.decode(entry.bytes.span.bytes, limits: configuration.limits)
    else { return nil }
    recorder.note(.disk, "found, made before", since: start)
    return MadeImage(
      DecodedImage(
        pixels: pixels, format: entry.record.format, frameCount: entry.record.frameCount,
        freshUntil: freshUntil(found.original, found.freshness)),
      source: .disk, freshness: found.freshness, record: found.original, recorder: recorder)
  }

  /// The file with the bytes that a request describes, if they are stored.
  func storedFile(_ resolved: ResolvedRequest) async throws -> String? {
    guard let disk else { return nil }
    return try await executor.run(priority: resolved.request.priority) {
      let original = CacheKey.original(url: resolved.spelled)
      let record = disk.record(for: original)
      // A proxy on the directory keeps redirects, errors and parts as well.
      if let record, !record.isUsableByPipelines { return nil }
      guard resolved.request.isProcessed else { return disk.path(for: original) }
      if let record, let hash = record.content?.hash {
        return disk.path(for: resolved.entry(of: hash, record.format))
      }
      return disk.path(for: resolved.entry(of: nil))
    }
  }

  func response(
    _ resolved: ResolvedRequest, _ stored: CachedEntry, original: CacheRecord, source: LoadSource,
    _ freshness: LoadFreshness, _ recorder: LoadRecorder
  ) -> DataResponse {
    var response = DataResponse(
      resolved.request.url, .bytes(stored.bytes), original: original, source: source,
      freshness: freshness, recorder: recorder)
    response.describe(stored.record)
    response.path = disk?.location(of: stored.record)
    return response
  }

  // MARK: Encoding

  /// Makes the encoded result of a request, and stores it.
  func encoded(
    _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder,
    known: OriginalResult?
  ) async throws -> DataResponse {
    let request = resolved.request
    guard let recipe = request.thumbnail, request.processing.steps.isEmpty else {
      let made = try await image(
        resolved, request.processing, storesResult: false,
        LoadWatch(of: run, recorder: recorder))
      recorder.add(made.recorder)
      let encoded = try await encode(made, for: request, run.priority, recorder)
      var response = store(
        encoded, as: resolved, original: made.record, source: made.source, made.freshness,
        recorder)
      response.cost = made.cost
      response.storeFailure = made.storeFailure ?? response.storeFailure
      return response
    }
    let output = DecodeOutput(encoding: recipe)
    let watch = LoadWatch(of: run, recorder: recorder)
    var original = try await original(
      resolved, OriginalWants(variants: [recipe], isStored: resolved.storesOriginal), watch,
      known: known)
    recorder.add(original.recorder)
    if original.outputs[output] == nil {
      let key = resolved.entry(of: original.record.content?.hash, original.record.format)
      if let stored = disk?.read(key, protecting: request.isToBeKept) {
        return response(
          resolved, stored, original: original.record, source: original.source,
          original.freshness, recorder)
      }
      // It was evicted meanwhile.
      original = try await self.original(
        resolved, OriginalWants(outputs: [output]), watch, known: original)
    }
    let (frames, limits) = (try original.outputs.frames(output), configuration.limits)
    guard let info = original.info else { throw ImageError(.corrupt, "not an image") }
    let pixelCount = frames.reduce(0) { $0 + $1.pixels.size.pixelCount }
    let body = original.body
    let encoded = try await gated(run.priority, pixelCount) {
      try Self.encoding(recorder) {
        let colors = try body.withBytes {
          try ImageCodecs.colors(of: $0, info, recipe: recipe, limits: limits)
        }
        return try ImageCodecs.encode(
          frames, recipe: recipe, info: info, colors: colors, limits: limits)
      }
    }
    var response = store(
      encoded, as: resolved, original: original.record, source: original.source,
      original.freshness, recorder)
    response.cost = original.cost
    response.storeFailure = original.storeFailure ?? response.storeFailure
    return response
  }

  private func encode(
    _ made: MadeImage, for request: ImageRequest, _ priority: LivePriority,
    _ recorder: LoadRecorder
  ) async throws -> EncodedImage {
    let pixels = made.decoded.pixels
    let recipe = request.thumbnail ?? ThumbnailRecipe(size: pixels.size, fit: .inside)
    return try await gated(priority, pixels.size.pixelCount) {
      try Self.encoding(recorder) { try ImageCodecs.encode(pixels, recipe: recipe) }
    }
  }

  /// Records an encoding.
  private static func encoding(
    _ recorder: LoadRecorder, _ encode: () throws -> EncodedImage
  ) throws -> EncodedImage {
    let start = ContinuousClock.now
    do {
      let encoded = try encode()
      recorder.note(.encode, "\(encoded.size) \(encoded.format)", since: start)
      return encoded
    } catch {
      recorder.note(.encode, error, since: start)
      throw error
    }
  }

  // MARK: Store

  /// Encodes and stores the result of a request. A store that fails does not fail the request.
  ///
  /// An animation or a profile, which the pixels of one frame are without, is not stored from them.
  func store(
    _ made: MadeImage, as resolved: ResolvedRequest, _ priority: LivePriority,
    _ recorder: LoadRecorder
  ) async {
    if let recipe = resolved.request.thumbnail, resolved.request.processing.steps.isEmpty,
      DecodeOutput(encoding: recipe) != .thumbnail(recipe) || recipe.profile == .keep
    {
      return
    }
    do {
      _ = store(
        try await encode(made, for: resolved.request, priority, recorder), as: resolved,
        original: made.record, source: made.source, made.freshness, recorder)
    } catch {
      disk?.count(.storeFailures)
    }
  }

  private func store(
    _ encoded: EncodedImage, as resolved: ResolvedRequest, original: CacheRecord,
    source: LoadSource, _ freshness: LoadFreshness, _ recorder: LoadRecorder
  ) -> DataResponse {
    var record = CacheRecord(
      key: resolved.entry(of: original.content?.hash, original.format), at: configuration.clock())
    // A result that is stored alone is used as long as its original could be.
    if original.content == nil { record.adoptResponse(of: original) }
    record.format = encoded.format
    record.size = encoded.size
    record.frameCount = encoded.frameCount
    record.groups = resolved.request.groups
    var failure: ImageError?
    if resolved.storesResult, !original.isAlwaysStale || resolved.request.isToBeKept, let disk {
      let start = ContinuousClock.now
      do throws(ImageError) {
        record = try disk.store(
          encoded.bytes, record, of: original, begun: resolved.begun,
          protecting: resolved.request.isToBeKept)
        recorder.note(.store, "kept the result", since: start)
      } catch {
        failure = error
      }
    }
    var response = DataResponse(
      resolved.request.url, .bytes(encoded.bytes), original: original, source: source,
      freshness: freshness, recorder: recorder)
    response.describe(record)
    response.isNew = true
    response.warnings = encoded.warnings
    response.storeFailure = failure
    response.path = disk?.location(of: record)
    return response
  }
}

extension CacheRecord {
  /// Takes over the answer that another record has stored.
  fileprivate mutating func adoptResponse(of other: CacheRecord) {
    status = other.status
    headers = other.headers
    requestTime = other.requestTime
    responseTime = other.responseTime
    fetchedAt = other.fetchedAt
    isAlwaysStale = other.isAlwaysStale
    originMark = other.originMark
    generation = other.generation
    sharedTags = other.sharedTags
    sharedAt = other.sharedAt
  }
}
