import DiskCaching
import ImageCodecs
import ImageFetching
import ImageModel
import LoadScheduling

/// Turns the bytes of an original into the requested results: check, decode, store.
extension ImageGraph {
  /// Checks an original, computes the results that callers need from its pixels, and stores it: one
  /// header read, one decode and one hash, for any set of results.
  func finish(
    _ loaded: OriginalResult, _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder
  ) async throws -> OriginalResult {
    var original = loaded
    original.outputs = [:]
    guard original.body.byteCount > 0 else {
      throw ImageError(.emptyBody, "the origin answered \(original.record.status) without a body")
    }
    let wants = wants(of: resolved.originalKey)
    let isStored = wants.contains(where: \.isStored)
    let staged = isStored && original.isUnstored ? stage(&original) : nil
    let hash = original.record.content?.hash ?? staged?.hash
    findVariants(wants, of: hash, &original)
    if let hash, let stored = original.previous, stored.content?.hash == hash,
      resolved.request.check != .decode || !stored.thumbHash.isEmpty
    {
      // The same bytes as before, which were checked then.
      original.describe(stored)
      original.isChecked = true
    }
    original.previous = nil
    let isCheck = !original.isChecked && resolved.request.check == .decode
    if !original.isChecked || wants.contains(where: { !original.missing($0).isEmpty }) {
      try await decode(&original, hash, isCheck: isCheck, resolved, run, recorder)
    }
    try Task.checkCancellation()
    original.isChecked = true
    if let staged {
      store(&original, staged.blob, resolved, recorder)
    }
    return original
  }

  /// Notes which of the wanted thumbnails are on disk.
  private func findVariants(
    _ wants: [OriginalWants], of hash: BlobHash?, _ original: inout OriginalResult
  ) {
    guard let hash, let disk else { return }
    for recipe in wants.flatMap(\.variants) where !original.storedVariants.contains(recipe) {
      let identity = recipe.following(original.record.format).identity
      if disk.record(for: .variant(source: "\(hash)", recipe: identity)) != nil {
        original.storedVariants.insert(recipe)
      }
    }
  }

  // MARK: Decode

  private func decode(
    _ original: inout OriginalResult, _ hash: BlobHash?, isCheck: Bool,
    _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder
  ) async throws {
    let limits = configuration.limits
    let body = original.body
    let level = original.isChecked ? .none : resolved.request.check
    let start = ContinuousClock.now
    if original.info == nil {
      do {
        original.info = try body.withBytes {
          try ImageCodecs.inspect($0, level: level, limits: limits)
        }
      } catch {
        recorder.note(.check, error, since: start)
        guard level == .none, let error = error as? ImageError else { throw error }
        // The bytes may be used as they are, but not as an image.
        for output in wants(of: resolved.originalKey).flatMap(\.allOutputs) {
          original.outputs[output] = .failure(error)
        }
        return
      }
      if !original.isChecked { original.describe(original.info, nil) }
    }
    guard original.info != nil,
      isCheck || wants(of: resolved.originalKey).contains(where: { !original.missing($0).isEmpty })
    else { return recorder.note(.check, "fine", since: start) }

    do {
      try await decodePixels(
        &original, hash, isCheck: isCheck, resolved, run, recorder, since: start)
    } catch let error as ImageError where !isCheck {
      // The bytes may be used as they are.
      for output in wants(of: resolved.originalKey).flatMap({ original.missing($0) }) {
        original.outputs[output] = .failure(error)
      }
    }
  }

  /// Decodes. A separate function: a structure check alone then has the smaller frame.
  @inline(never)
  private func decodePixels(
    _ original: inout OriginalResult, _ hash: BlobHash?, isCheck: Bool,
    _ resolved: ResolvedRequest, _ run: SharedRun<LoadUpdate>, _ recorder: LoadRecorder,
    since start: ContinuousClock.Instant
  ) async throws {
    guard let info = original.info else { return }
    let (limits, body) = (configuration.limits, original.body)
    // An original in memory stays there for as long as it waits for its decode and is decoded.
    let isRead = original.source != .network
    let reservation = isRead ? try configuration.governor?.admit(body.byteCount) : nil
    defer { reservation?.setByteCount(0) }
    var pass = DecodePass(info: info, limits: limits, isCheck: isCheck)
    pass.makesPlaceholder =
      original.record.thumbHash.isEmpty && (original.isUnstored || original.record.content != nil)
    let earlier = original
    let (made, stored) = try await gated(run.priority, info.decodedPixelCount) { [self, pass] in
      // Callers that come later need another decode.
      let wants = wants(of: resolved.originalKey)
      var (pass, earlier) = (pass, earlier)
      findVariants(wants, of: hash, &earlier)
      pass.add(wants.map { earlier.missing($0) }.filter { !$0.isEmpty })
      return (
        try Self.decode(body, pass, recorder, since: start), earlier.storedVariants
      )
    }
    original.outputs = made.outputs
    original.storedVariants = stored
    if original.record.content == nil {
      original.describe(info, made.placeholder)
    } else if let placeholder = made.placeholder {
      describe(original, placeholder)
    }
  }

  private static func decode(
    _ body: FetchedBody, _ pass: DecodePass, _ recorder: LoadRecorder,
    since start: ContinuousClock.Instant
  ) throws -> DecodePass.Result {
    let stage: LoadStage = pass.groups.isEmpty ? .check : .decode
    do {
      let made = try body.withBytes { try pass.run($0) }
      recorder.note(
        stage, stage == .check ? "fine" : "\(pass.info.size) pixels", since: start)
      return made
    } catch {
      recorder.note(stage, error, since: start)
      throw error
    }
  }

  /// Runs a decode among those that may run at once, on a thread that may compute for long: a node
  /// may still be on its caller's.
  func gated<Value: Sendable>(
    _ priority: LivePriority, _ pixelCount: Int, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard let gate = configuration.decodeGate else {
      return try await executor.run(priority: priority.value) { try body() }
    }
    return try await gate.run(priority: priority, pixelCount: pixelCount) {
      try await executor.run(priority: priority.value) { try body() }
    }
  }

  /// Adds the placeholder to an original that was stored without a look at its pixels.
  private func describe(_ original: OriginalResult, _ placeholder: ImageSummary) {
    guard let disk, var record = disk.record(for: original.record.key),
      record.thumbHash.isEmpty, record.content?.hash == original.record.content?.hash
    else { return }
    record.thumbHash = placeholder.thumbHash.bytes
    record.dominantColor = placeholder.dominantColor.rgb
    try? disk.update(record)
  }

  // MARK: Store

  /// Writes the body to a file of the cache, unless the fetcher has done so.
  private func stage(_ original: inout OriginalResult) -> (blob: StagedBlob, hash: BlobHash)? {
    guard let disk else { return nil }
    do {
      let blob: StagedBlob
      if let staged = original.body.staged as? StagedBlob {
        blob = staged
      } else {
        blob = try original.body.withBytes { try disk.stage($0) }
      }
      return (blob, try disk.content(of: blob).hash)
    } catch {
      original.storeFailure =
        error as? ImageError
        ?? ImageError(.storeFailed, "the file cannot be written", cause: error)
      return nil
    }
  }

  /// Publishes the file. A store that fails does not fail the load: the bytes are delivered, with
  /// the reason.
  private func store(
    _ original: inout OriginalResult, _ blob: StagedBlob, _ resolved: ResolvedRequest,
    _ recorder: LoadRecorder
  ) {
    guard let disk else { return }
    let start = ContinuousClock.now
    do throws(ImageError) {
      original.record = try disk.commit(
        blob, original.record, protecting: resolved.request.isToBeKept)
    } catch {
      original.storeFailure = error
    }
    recorder.note(
      .store, original.storeFailure.map { "not kept: \($0)" } ?? "kept", since: start)
    if original.body.staged != nil, original.storeFailure == nil {
      original.path = disk.location(of: original.record)
    }
  }
}
