import DiskCaching
import HTTPCaching
import ImageCodecs
import ImageModel
import LoadScheduling

/// The node of an image in memory: a stored result, the decoded original, or the image before it
/// and one more processor.
struct PixelsNode: GraphNode {
  let load: Load
  let run: SharedRun<LoadUpdate>
  /// The steps of the request that the image has gone through.
  let steps: ProcessingChain
  /// Whether these are all steps, and their result may be on disk or is to be stored there.
  let storesResult: Bool

  // MARK: Callers

  static func join(
    _ load: Load, _ steps: ProcessingChain, storesResult: Bool, found: OriginalLookup? = nil
  ) async throws -> MadeImage {
    let watch = load.watch
    return try await load.graph.pixelsNodes.value(
      for: load.resolved.key(of: steps, storesResult: storesResult), priority: watch.priority,
      onUpdate: watch.onUpdate, isWatching: watch.isWatching,
      beginsHere: load.graph.beginsHere(load.resolved)
    ) { run in
      try await PixelsNode(load: load, run: run, steps: steps, storesResult: storesResult)
        .make(found)
    }
  }

  private func make(_ found: OriginalLookup?) async throws -> MadeImage {
    guard storesResult else { return try await stepped(found) }
    let found = OriginalLookup(load, at: run.priority.value)
    if let stored = stored(found), await tier.permits(stored.record) { return stored }
    let made = try await stepped(found)
    await ResultNode(load: load, run: run).keep(made)
    return made
  }

  private func stepped(_ found: OriginalLookup?) async throws -> MadeImage {
    try await steps.steps.isEmpty ? decoded(found) : processed(found)
  }

  // MARK: Stored

  /// The result on disk, decoded, if it may be used.
  private func stored(_ found: OriginalLookup) -> MadeImage? {
    let start = ContinuousClock.now
    guard let result = StoredResult(load, found), let entry = result.read(load),
      let pixels = try? ImageCodecs.decode(
        entry.bytes.span.bytes, limits: graph.configuration.limits)
    else { return nil }
    recorder.record(.disk, "found, made before", since: start - found.elapsed)
    let image = DecodedImage(
      pixels: pixels, format: entry.record.format, frameCount: entry.record.frameCount,
      freshUntil: freshUntil(result))
    return MadeImage(image, of: result, recorder)
  }

  // MARK: Decoded

  private func decoded(_ found: OriginalLookup?) async throws -> MadeImage {
    let recipe = resolved.request.thumbnail
    let output = recipe.map(DecodeOutput.init(pixelsOf:)) ?? .image
    let limits = graph.configuration.limits
    // Previews are of the whole size.
    let load =
      recipe.map { recipe in
        below { try DecodePass.thumbnail(of: $0, recipe: recipe, limits: limits) }
      } ?? below
    let original = try await OriginalNode.join(
      load, DecodePlan.Part(outputs: [output], isStored: resolved.storesOriginal), found: found)
    recorder.add(original.recorder)
    let pixels = try original.outputs.frames(output)[0].pixels
    let image = DecodedImage(
      pixels: pixels, format: original.record.format, originalSize: original.record.size,
      frameCount: original.record.frameCount,
      freshUntil: freshUntil(original))
    return MadeImage(image, of: original, recorder)
  }

  private func freshUntil(_ loaded: some LoadedOriginal) -> Date {
    guard !loaded.record.isAlwaysStale, loaded.freshness == .fresh || loaded.freshness == .current
    else {
      return .distantPast
    }
    let now = graph.configuration.clock()
    let use = loaded.record.freshness(isShared: graph.configuration.isShared)
    guard use.isFresh(at: now) else { return .distantPast }
    // Another server may purge it.
    let most = graph.configuration.sharedTier?.memoryLifetime.seconds ?? .infinity
    return now.addingTimeInterval(min(use.remaining(at: now), most))
  }

  // MARK: Processed

  /// The image after the steps before the last one, processed by that.
  private func processed(_ found: OriginalLookup?) async throws -> MadeImage {
    let step = steps.steps[steps.steps.count - 1]
    let made = try await PixelsNode.join(
      below { try step.process($0) }, steps.prefix(steps.steps.count - 1), storesResult: false,
      found: found)
    recorder.add(made.recorder)
    let start = ContinuousClock.now
    do {
      let pixels = try await graph.executor.run(priority: run.priority.value) {
        try step.process(made.decoded.pixels)
      }
      recorder.record(.process, step.identity, since: start)
      var image = made.decoded
      image.pixels = pixels
      return MadeImage(image, of: made, recorder)
    } catch {
      recorder.record(.process, error, since: start)
      throw error
    }
  }

  /// The load of this node in the one below, whose previews it makes its own of: of each once, and
  /// only while a caller listens. A preview that cannot be processed is omitted: the image's error
  /// will state the reason.
  private func below(
    _ step: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer
  ) -> Load {
    let latest = Locked<(number: Int, preview: PixelBuffer?)>((0, nil))
    let watch = LoadWatch(of: run, recorder: recorder) { [run] update in
      var update = update
      (update.previewNumber, update.preview) = latest.withLock { latest in
        if update.previewNumber != latest.number, run.isWatched() {
          latest = (update.previewNumber, update.preview.flatMap { try? step($0) })
        }
        return latest
      }
      return update
    }
    return Load(graph, resolved, watch)
  }
}
