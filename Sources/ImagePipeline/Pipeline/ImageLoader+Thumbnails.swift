/// What several may wait for while an original proves good: its bytes, and what was made of them.
struct ProvenOriginal: Sendable {
  let original: DataResponse
  var thumbnail: ThumbnailResponse?
}

/// From a request to an encoded thumbnail.
extension ImageLoader {
  /// What tells one proof from another: the bytes, and what is made of them; `nil` for a look at all pixels.
  private struct ProofIdentity: Hashable {
    let data: MemoryKey
    let recipe: ThumbnailRecipe?
  }

  /// The thumbnail of a request, from the disk or made.
  func thumbnail(
    _ order: LoadOrder, _ recipe: ThumbnailRecipe, _ watch: LoadWatch
  ) async throws -> ThumbnailResponse {
    if let kept = try await keptThumbnail(order, recipe, watch.recorder) { return kept }
    let proven = try await proofs.value(
      for: MemoryKey(ProofIdentity(data: order.dataKey, recipe: recipe)), priority: watch.priority
    ) { [self] run in
      try await proof(order, recipe, run, watch.recorder) { original, bytes in
        try await make(recipe, of: original, bytes, order, run.priority, proves: true)
      }
    }
    guard var made = proven.thumbnail else {
      throw ImageError(.corrupt, "no thumbnail was made")
    }
    made.steps = watch.recorder.steps
    return made
  }

  /// The original of a request, looked at as closely as a thumbnail looks at it.
  func provenData(_ order: LoadOrder, _ watch: LoadWatch) async throws -> DataResponse {
    try await proofs.value(
      for: MemoryKey(ProofIdentity(data: order.dataKey, recipe: nil)), priority: watch.priority
    ) { [self] run in
      try await proof(order, nil, run, watch.recorder) {
        [limits = configuration.limits] original, bytes in
        guard original.isLeftUnstored else { return nil }
        let checked = try await decoding(bytes, run.priority) {
          try ImageCodecs.check(bytes.span.bytes, level: .decode, limits: limits)
        }
        return (nil, checked)
      }
    }.original
  }

  /// The thumbnail of bytes that are at hand.
  func thumbnail(
    of original: DataResponse, _ recipe: ThumbnailRecipe, _ order: LoadOrder
  ) async throws -> ThumbnailResponse {
    let bytes = try await executor.run(priority: order.request.priority) { try original.bytes() }
    let (made, _) = try await make(
      recipe, of: original, bytes, order, .constant(order.request.priority), proves: false)
    if made.isNew { try await describe(original, bytes) }
    return made
  }

  // MARK: Steps

  /// Loads bytes that nobody has looked at yet, lets `use` look at them, and keeps them when they are good.
  private func proof(
    _ order: LoadOrder, _ recipe: ThumbnailRecipe?, _ run: SharedRun<LoadUpdate>,
    _ recorder: LoadRecorder,
    _ use: @Sendable (DataResponse, [UInt8]) async throws -> (ThumbnailResponse?, CheckedImage?)?
  ) async throws -> ProvenOriginal {
    var asked = order.request
    asked.check = .none
    asked.storage = .none
    let deferred = LoadOrder(asked, configuration)
    let original = try await data(deferred, LoadWatch(of: run, recorder: recorder))
    if original.recorder !== recorder { recorder.add(original.steps) }
    // Its bytes are held for as long as it waits for its decode and is decoded.
    let reservation = try configuration.governor?.admit(original.byteCount)
    defer { reservation?.setByteCount(0) }
    let bytes = try await executor.run(priority: run.priority.value) { try original.bytes() }
    let start = ContinuousClock.now
    do {
      guard let (thumbnail, checked) = try await use(original, bytes) else {
        return ProvenOriginal(original: original)
      }
      if thumbnail?.isNew != false {
        recorder.note(.decode, thumbnail.map { "\($0.size) pixels" } ?? "whole", since: start)
      }
      let kept = try await keep(original, bytes, checked, for: order)
      return ProvenOriginal(original: kept, thumbnail: thumbnail)
    } catch let error as ImageError {
      recorder.note(.decode, "\(error)", since: start)
      if original.source == .network, !isFault(of: recipe, bytes, error) {
        try await executor.run { [self] in remember(error, for: order) }
      }
      throw error
    }
  }

  /// Whether a limit was passed by what was to be made, which says nothing of the original.
  private func isFault(
    of recipe: ThumbnailRecipe?, _ bytes: [UInt8], _ error: ImageError
  ) -> Bool {
    guard error.code == .limitExceeded, let recipe,
      let info = try? ImageCodecs.info(of: bytes.span.bytes, limits: configuration.limits)
    else { return false }
    return (try? recipe.geometry(of: info.size, limits: configuration.limits)) == nil
  }

  /// A thumbnail that is on disk, of an original that may be used without asking: the original is not read.
  private func keptThumbnail(
    _ order: LoadOrder, _ recipe: ThumbnailRecipe, _ recorder: LoadRecorder
  ) async throws -> ThumbnailResponse? {
    if disk == nil { return nil }
    let start = ContinuousClock.now
    let found = try await executor.run(priority: order.request.priority) {
      [self] () -> (ThumbnailResponse, refreshes: Bool)? in
      guard
        case .deliver(let entry, let delivery, _) = originals.answer(
          order.cacheRequest(), for: order.spelled),
        let hash = entry.record.content?.hash,
        let thumbnail = readThumbnail(
          recipe, of: hash, entry.record, source: .disk, LoadFreshness(delivery),
          protecting: order.request.isToBeKept)
      else { return nil }
      return (thumbnail, thumbnail.freshness == .staleWhileRevalidating)
    }
    guard let (kept, refreshes) = found else { return nil }
    var thumbnail = kept
    if refreshes { refreshLater(order) }
    recorder.note(.disk, "found, made before", since: start)
    thumbnail.steps = recorder.steps
    return thumbnail
  }

  private func readThumbnail(
    _ recipe: ThumbnailRecipe, of hash: BlobHash, _ original: CacheRecord, source: LoadSource,
    _ freshness: LoadFreshness, protecting: Bool
  ) -> ThumbnailResponse? {
    let key = CacheKey.variant(source: "\(hash)", recipe: recipe.identity)
    guard let kept = disk?.read(key, protecting: protecting), let format = kept.record.format,
      let content = kept.record.content
    else { return nil }
    return ThumbnailResponse(
      bytes: kept.bytes, format: format,
      size: kept.record.size ?? PixelSize(width: 0, height: 0), frameCount: kept.record.frameCount,
      hash: content.hash, isNew: false, path: disk?.path(for: key), storeFailure: nil,
      source: source, freshness: freshness, original: original)
  }

  /// Makes and keeps a thumbnail, unless it is kept already.
  ///
  /// - Parameter proves: Whether bytes that nobody has looked at have to prove whole.
  private func make(
    _ recipe: ThumbnailRecipe, of original: DataResponse, _ bytes: [UInt8], _ order: LoadOrder,
    _ priority: LivePriority, proves: Bool
  ) async throws -> (ThumbnailResponse, CheckedImage?) {
    let (request, record) = (order.request, original.record)
    let mayBeKept = !record.isAlwaysStale || request.isToBeKept
    let (hash, kept) = try await executor.run(priority: priority.value) { [self] in
      let hash = original.hash ?? bytes.withUnsafeBytes { SHA256.hash(of: $0) }
      let kept = readThumbnail(
        recipe, of: hash, record, source: original.source, original.freshness,
        protecting: request.isToBeKept)
      return (hash, kept)
    }
    // Bytes that a thumbnail was made of before have proven whole then.
    if let kept { return (kept, nil) }
    let limits = configuration.limits
    let isUnproven = proves && original.isLeftUnstored
    let (made, checked) = try await decoding(bytes, priority) {
      () -> (EncodedImage, CheckedImage?) in
      guard isUnproven else {
        return (
          try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits), nil
        )
      }
      let (made, checked) = try ImageCodecs.provingThumbnail(
        of: bytes.span.bytes, recipe: recipe, limits: limits)
      return (made, checked)
    }
    return try await executor.run(priority: priority.value) { [self] in
      let key = CacheKey.variant(source: "\(hash)", recipe: recipe.identity)
      var entry = CacheRecord(key: key, at: configuration.clock())
      entry.format = made.format
      entry.size = made.size
      entry.frameCount = made.frameCount
      entry.groups = request.groups
      var failure: ImageError?
      if mayBeKept, let disk {
        do throws(ImageError) {
          entry = try disk.store(made.bytes, entry, protecting: request.isToBeKept)
        } catch {
          disk.count(.storeFailures)
          failure = error
        }
      }
      let thumbnail = ThumbnailResponse(
        bytes: made.bytes, format: made.format, size: made.size, frameCount: made.frameCount,
        hash: entry.content?.hash ?? made.bytes.withUnsafeBytes { SHA256.hash(of: $0) },
        isNew: true, path: entry.content == nil ? nil : disk?.path(for: key),
        storeFailure: failure, source: original.source, freshness: original.freshness,
        original: record)
      return (thumbnail, checked)
    }
  }

  /// Runs a decode of bytes among those that may run at once.
  private func decoding<Value: Sendable>(
    _ bytes: [UInt8], _ priority: LivePriority,
    _ body: @escaping @Sendable () throws -> sending Value
  ) async throws -> Value {
    let limits = configuration.limits
    return try await decoding(
      priority, weighing: { try ImageCodecs.info(of: bytes.span.bytes, limits: limits) }, body)
  }

  /// Keeps an original that has proven good; one that is kept already stays as it is.
  private func keep(
    _ original: DataResponse, _ bytes: [UInt8], _ checked: CheckedImage?, for order: LoadOrder
  ) async throws -> DataResponse {
    guard original.isLeftUnstored, order.request.storage != .none,
      !original.record.isAlwaysStale || order.request.isToBeKept
    else { return original }
    return try await keep(original.described(by: checked), for: order)
  }

  /// An original that was stored without a look at its pixels gets its ThumbHash and main colour now. They are an
  /// extra: an original without them is as good.
  private func describe(_ original: DataResponse, _ bytes: [UInt8]) async throws {
    guard let disk else { return }
    let limits = configuration.limits
    try await executor.run {
      guard var record = disk.record(for: original.record.key), record.thumbHash.isEmpty,
        record.content?.hash == original.hash,
        let checked = try? ImageCodecs.check(bytes.span.bytes, level: .decode, limits: limits),
        let placeholder = checked.placeholder
      else { return }
      record.thumbHash = placeholder.thumbHash.bytes
      record.dominantColor = placeholder.dominantColor.rgb
      do throws(ImageError) { try disk.update(record) } catch { disk.count(.storeFailures) }
    }
  }
}
