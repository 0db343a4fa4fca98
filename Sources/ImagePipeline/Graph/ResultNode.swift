import DiskCaching
import HTTPCaching
import ImageCodecs
import ImageFetching
import ImageModel
import LoadScheduling

/// The node of an encoded result: a stored one, one of another server, or the original or image that
/// it is encoded of, and stored.
struct ResultNode: GraphNode {
  let load: Load
  let run: SharedRun<LoadUpdate>

  // MARK: Callers

  static func join(_ load: Load, known: OriginalResult? = nil) async throws -> DataResponse {
    let watch = load.watch
    let (found, stored) = try await load.graph.executor.run(priority: watch.priority.value) {
      lookUp(load)
    }
    if let stored, await TierGuard(load: load).permits(stored.original) { return stored }
    return try await load.graph.resultNodes.value(
      for: load.resolved.resultKey, priority: watch.priority, onUpdate: watch.onUpdate,
      isWatching: watch.isWatching
    ) { run in
      try await ResultNode(load: load, run: run).make(known, found)
    }
  }

  // MARK: Look up

  /// What is found of its original on disk, and the result, if there is one that may be used.
  private static func lookUp(_ load: Load) -> (OriginalLookup?, DataResponse?) {
    guard load.resolved.storesResult else { return (nil, nil) }
    let (start, found) = (ContinuousClock.now, OriginalLookup(load, at: load.watch.priority.value))
    guard let result = StoredResult(load, found), let entry = result.read(load) else {
      return (found, nil)
    }
    load.watch.recorder.record(.disk, "found, made before", since: start)
    return (found, DataResponse(load, entry, of: result))
  }

  private func make(_ known: OriginalResult?, _ found: OriginalLookup?) async throws -> DataResponse
  {
    guard resolved.storesResult else { return try await encoded(known, found) }
    return try await tier.obtain(
      TierKey(url: resolved.cacheURL, variant: resolved.request.resultIdentity),
      isAsked: resolved.mayReuse && known == nil,
      take: { shared in
        try await graph.executor.run(priority: resolved.request.priority) { publish(shared) }
      },
      make: { _ in try await encoded(known, found) })
  }

  // MARK: Encode

  private func encoded(
    _ known: OriginalResult?, _ found: OriginalLookup?
  ) async throws -> DataResponse {
    guard let recipe = resolved.request.thumbnail, resolved.request.processing.steps.isEmpty else {
      return try await encodedPixels(found)
    }
    let output = DecodeOutput(encoding: recipe)
    var original = try await OriginalNode.join(
      below, DecodePlan.Part(variants: [recipe], isStored: resolved.storesOriginal),
      known: known, found: found)
    recorder.add(original.recorder)
    if original.outputs[output] == nil {
      let key = resolved.entry(
        of: original.record.content?.hash, original.record.format, in: disk)
      if let stored = disk?.read(key, protecting: resolved.request.isPinned) {
        return DataResponse(load, stored, of: original)
      }
      // It was evicted meanwhile.
      original = try await OriginalNode.join(
        below, DecodePlan.Part(outputs: [output]), known: original)
    }
    let (frames, limits) = (try original.outputs.frames(output), graph.configuration.limits)
    guard let info = original.info else { throw ImageError(.corrupt, "not an image") }
    let body = original.body
    let encoded = try await recorded(frames.reduce(0) { $0 + $1.pixels.size.pixelCount }) {
      let parts = try body.withBytes {
        try ImageCodecs.parts(of: $0, info, recipe: recipe, limits: limits)
      }
      return try ImageCodecs.encode(
        frames, recipe: recipe, info: info, parts: parts, limits: limits)
    }
    return publish(encoded, of: original)
  }

  private func encodedPixels(_ found: OriginalLookup?) async throws -> DataResponse {
    let made = try await PixelsNode.join(
      below, resolved.request.processing, storesResult: false, found: found)
    recorder.add(made.recorder)
    return publish(try await encode(made), of: made)
  }

  private func encode(_ made: MadeImage) async throws -> EncodedImage {
    let pixels = made.decoded.pixels
    let recipe = resolved.request.thumbnail ?? ThumbnailRecipe(size: pixels.size, fit: .inside)
    return try await recorded(pixels.size.pixelCount) {
      try ImageCodecs.encode(pixels, recipe: recipe)
    }
  }

  private func recorded(
    _ pixelCount: Int, _ encode: @escaping @Sendable () throws -> EncodedImage
  ) async throws -> EncodedImage {
    try await gated(pixelCount) {
      let start = ContinuousClock.now
      do {
        let encoded = try encode()
        recorder.record(.encode, "\(encoded.size) \(encoded.format)", since: start)
        return encoded
      } catch {
        recorder.record(.encode, error, since: start)
        throw error
      }
    }
  }

  /// Encodes and stores an image that callers have as pixels. A store that fails does not fail the
  /// load.
  ///
  /// An animation or a profile, which the pixels of one frame are without, is not stored from them.
  func keep(_ made: MadeImage) async {
    if let recipe = resolved.request.thumbnail, resolved.request.processing.steps.isEmpty,
      DecodeOutput(encoding: recipe) != .thumbnail(recipe) || recipe.profile == .keep
    {
      return
    }
    do { _ = publish(try await encode(made), of: made) } catch { disk?.count(.storeFailures) }
  }

  // MARK: Publish

  /// Stores a result, beside its original or alone. A store that fails does not fail the load: the
  /// bytes are delivered, with the reason.
  private func publish(_ encoded: EncodedImage, of loaded: some LoadedOriginal) -> DataResponse {
    let original = loaded.record
    let key = resolved.entry(of: original.content?.hash, original.format, in: disk)
    var record = CacheRecord(key: key, at: graph.configuration.clock())
    if original.content == nil {
      // A result that is stored alone is used as long as its original could be.
      record = original
      record.key = key
      (record.thumbHash, record.dominantColor, record.effectiveURL) = ([], nil, nil)
    }
    record.format = encoded.format
    record.size = encoded.size
    record.frameCount = encoded.frameCount
    record.groups = resolved.request.storage.groups
    var failure: ImageError?
    if resolved.storesResult, !original.isAlwaysStale || resolved.request.mustBeStored {
      let start = ContinuousClock.now
      failure = store(encoded.bytes, &record, of: original)
      if failure == nil { recorder.record(.store, "kept the result", since: start) }
    }
    var response = DataResponse(load, CachedEntry(record: record, bytes: encoded.bytes), of: loaded)
    response.isNew = true
    response.warnings = encoded.warnings
    response.storeFailure = failure
    response.add(costOf: loaded)
    return response
  }

  /// Stores a result of the tier as one without its original; `nil` if it is of no use.
  private func publish(_ shared: FoundValue) -> DataResponse? {
    let value = shared.value
    guard let freshness = tier.freshness(of: value), !value.isRefusal,
      let info = try? ImageCodecs.inspect(
        value.body.span.bytes, level: .none, limits: graph.configuration.limits)
    else { return nil }
    let original = tier.record(of: shared)
    var record = original
    record.key = resolved.entry(of: nil, in: disk)
    record.format = info.format
    record.size = info.size
    record.frameCount = info.frameCount
    let failure = store(value.body, &record, of: original)
    var response = DataResponse(
      resolved.request.url, .bytes(value.body), original: original, source: .sharedTier,
      freshness: freshness, recorder: recorder)
    response.describe(record)
    response.path = disk?.location(of: record)
    response.storeFailure = failure
    return response
  }

  private func store(
    _ bytes: [UInt8], _ record: inout CacheRecord, of original: CacheRecord
  ) -> ImageError? {
    guard let disk else { return nil }
    do throws(ImageError) {
      record = try disk.store(
        bytes, record, of: original, begun: resolved.begun, protecting: resolved.request.isPinned)
      return nil
    } catch {
      return error
    }
  }
}
