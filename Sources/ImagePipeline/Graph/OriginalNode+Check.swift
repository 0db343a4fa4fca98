import CachePolicies
import DiskCaching
import ImageCodecs
import ImageFetching
import ImageModel
import LoadScheduling

/// Turns the bytes of an original into what its callers need: check, decode, publish.
extension OriginalNode {
  // MARK: Check

  /// Checks an original, makes what callers need of its pixels, and stores it: one header read, one
  /// decode and one hash, for any number of callers.
  func check(_ loaded: OriginalResult) async throws -> OriginalResult {
    var original = loaded
    original.outputs = [:]
    guard original.body.byteCount > 0 else {
      throw ImageError(.emptyBody, "the origin answered \(original.record.status) without a body")
    }
    let early = plan
    let staged = original.isUnstored && early.isStored ? stage(&original) : nil
    let hash = original.record.content?.hash ?? staged?.hash
    if let hash, let stored = original.previous, stored.content?.hash == hash,
      resolved.request.decoding.check != .decode || !stored.thumbHash.isEmpty
    {
      // The same bytes as before, which were checked then.
      original.describe(stored)
      original.isChecked = true
    }
    original.previous = nil
    if !original.isChecked || !groups(of: early, hash, &original).isEmpty {
      try await inspect(&original, hash, early)
    }
    try Task.checkCancellation()
    original.isChecked = true
    if let staged { publish(&original, staged.blob) }
    return original
  }

  /// What the callers that wait now need: read once to see what is to be done, and taken once, at the
  /// gate of the decode.
  private var plan: DecodePlan {
    DecodePlan(parts: graph.originalNodes.needs(for: resolved.originalKey, of: run))
  }

  /// The pixels of each caller that are to be made. Thumbnails are looked up on disk, each once.
  private func groups(
    of plan: DecodePlan, _ hash: BlobHash?, _ original: inout OriginalResult
  ) -> [Set<DecodeOutput>] {
    if let hash, let disk {
      for recipe in plan.variants where original.variants[recipe] == nil {
        let identity = recipe.following(original.record.format).identity
        original.variants[recipe] =
          disk.record(for: .variant(source: "\(hash)", recipe: identity)) != nil
      }
    }
    return plan.groups(missingFrom: original)
  }

  /// Writes the body to a file of the cache, unless the fetcher has done so.
  private func stage(_ original: inout OriginalResult) -> (blob: StagedBlob, hash: BlobHash)? {
    guard let disk else { return nil }
    do {
      let blob =
        try original.body.staged as? StagedBlob
        ?? original.body.withBytes { try disk.stage($0) }
      return (blob, try disk.content(of: blob).hash)
    } catch {
      original.storeFailure =
        error as? ImageError
        ?? ImageError(.storeFailed, "the file cannot be written", cause: error)
      return nil
    }
  }

  /// Reads the header, and decodes if a caller needs pixels or the check does.
  private func inspect(
    _ original: inout OriginalResult, _ hash: BlobHash?, _ early: DecodePlan
  ) async throws {
    let (limits, body, start) = (graph.configuration.limits, original.body, ContinuousClock.now)
    let level = original.isChecked ? .none : resolved.request.decoding.check
    if original.info == nil {
      do {
        let info = try body.withBytes {
          try ImageCodecs.inspect($0, level: level, limits: limits)
        }
        original.info = info
        if !original.isChecked { original.describe(info, nil) }
      } catch {
        recorder.record(.check, error, since: start)
        guard level == .none, let error = error as? ImageError else { throw error }
        // The bytes may be used as they are, but not as an image.
        return original.fail(early, error)
      }
    }
    guard level == .decode || !groups(of: early, hash, &original).isEmpty else {
      return recorder.record(.check, "fine", since: start)
    }
    do {
      try await decode(&original, hash, isCheck: level == .decode, since: start)
    } catch let error as ImageError where level != .decode {
      // The bytes may be used as they are.
      original.fail(plan, error)
    }
  }

  // MARK: Decode

  /// Decodes. A separate function: a structure check alone then has the smaller frame.
  @inline(never)
  private func decode(
    _ original: inout OriginalResult, _ hash: BlobHash?, isCheck: Bool,
    since start: ContinuousClock.Instant
  ) async throws {
    guard let info = original.info else { return }
    let body = original.body
    // An original in memory stays there for as long as it waits for its decode and is decoded.
    let isRead = original.source != .network
    let reservation = isRead ? try graph.configuration.governor?.admit(body.byteCount) : nil
    defer { reservation?.setByteCount(0) }
    var pass = DecodePass(info: info, limits: graph.configuration.limits, isCheck: isCheck)
    pass.makesPlaceholder =
      original.record.thumbHash.isEmpty && (original.isUnstored || original.record.content != nil)
    let earlier = original
    let (made, variants) = try await gated(info.decodedPixelCount) { [pass] in
      // The plan is taken here: callers that come later need another decode.
      var (pass, earlier) = (pass, earlier)
      pass.add(groups(of: plan, hash, &earlier))
      return (try perform(pass, body, since: start), earlier.variants)
    }
    original.outputs = made.outputs
    original.variants = variants
    if original.record.content == nil {
      original.describe(info, made.placeholder)
    } else if let placeholder = made.placeholder {
      add(placeholder, to: original.record)
    }
  }

  private func perform(
    _ pass: DecodePass, _ body: FetchedBody, since start: ContinuousClock.Instant
  ) throws -> DecodePass.Result {
    let stage: LoadStage = pass.groups.isEmpty ? .check : .decode
    do {
      let made = try body.withBytes { try pass.run($0) }
      recorder.record(
        stage, stage == .check ? "fine" : "\(pass.info.size) pixels", since: start)
      return made
    } catch {
      recorder.record(stage, error, since: start)
      throw error
    }
  }

  /// Adds the placeholder to an original that was stored without a look at its pixels.
  private func add(_ placeholder: ImageSummary, to stored: CacheRecord) {
    guard let disk, var record = disk.record(for: stored.key), record.thumbHash.isEmpty,
      record.content?.hash == stored.content?.hash
    else { return }
    record.thumbHash = placeholder.thumbHash.bytes
    record.dominantColor = placeholder.dominantColor.rgb
    try? disk.update(record)
  }

  // MARK: Publish

  /// Gives the file its name and its record. A store that fails does not fail the load: the bytes
  /// are delivered, with the reason.
  private func publish(_ original: inout OriginalResult, _ blob: StagedBlob) {
    guard let disk else { return }
    let start = ContinuousClock.now
    do throws(ImageError) {
      original.record = try disk.commit(
        blob, original.record, protecting: resolved.request.isPinned)
    } catch {
      original.storeFailure = error
    }
    recorder.record(
      .store, original.storeFailure.map { "not kept: \($0)" } ?? "kept", since: start)
    if original.body.staged != nil, original.storeFailure == nil {
      original.path = disk.location(of: original.record)
    }
  }
}

extension OriginalResult {
  /// Notes why the pixels that callers need cannot be made.
  fileprivate mutating func fail(_ plan: DecodePlan, _ error: ImageError) {
    for output in plan.groups(missingFrom: self).joined() { outputs[output] = .failure(error) }
  }
}
