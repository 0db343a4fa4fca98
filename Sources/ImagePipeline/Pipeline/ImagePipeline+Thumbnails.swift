/// Thumbnails: made once from the bytes of an original, then kept like any other file.
extension ImagePipeline {
  /// Returns the thumbnail of a picture whose bytes are at hand, from the cache where it is kept there.
  ///
  /// Its key is the hash of the original's bytes and the identity of the recipe, so that equal pictures under several
  /// URLs share it, and a changed original never answers with an old thumbnail.
  ///
  /// - Parameters:
  ///   - original: The bytes, as ``data(for:)`` returned them.
  ///   - recipe: What is to be made.
  ///   - request: The request that brought the original: its priority, groups and protection hold for the thumbnail.
  /// - Throws: ``ImageError``: `corrupt`, `truncated`, `unsupportedFormat` or `limitExceeded` when it cannot be made;
  ///   or `CancellationError`.
  public func thumbnail(
    of original: DataResponse, _ recipe: ThumbnailRecipe, for request: ImageRequest
  ) async throws -> ThumbnailResponse {
    let (cache, limits, now) = (
      configuration.diskCache, configuration.limits, configuration.clock()
    )
    return try await executor.run(priority: request.priority) {
      let bytes = try original.bytes()
      let hash = original.hash ?? bytes.withUnsafeBytes { SHA256.hash(of: $0) }
      let key = CacheKey.variant(source: "\(hash)", recipe: recipe.identity)
      if let kept = cache?.read(key, protecting: request.isToBeKept),
        let format = kept.record.format
      {
        return ThumbnailResponse(
          bytes: kept.bytes, format: format,
          size: kept.record.size ?? PixelSize(width: 0, height: 0),
          frameCount: kept.record.frameCount, isNew: false, path: cache?.path(for: key),
          storeFailure: nil)
      }

      let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits)
      if let cache { Self.describe(original, bytes, in: cache, limits) }
      var record = CacheRecord(key: key, at: now)
      record.format = made.format
      record.size = made.size
      record.frameCount = made.frameCount
      record.groups = request.groups
      var failure: ImageError?
      do throws(ImageError) {
        try cache?.store(made.bytes, record, protecting: request.isToBeKept)
      } catch {
        cache?.count(.storeFailures)
        failure = error
      }
      return ThumbnailResponse(
        bytes: made.bytes, format: made.format, size: made.size, frameCount: made.frameCount,
        isNew: true, path: cache?.path(for: key), storeFailure: failure)
    }
  }

  /// An original that was stored without a look at its pixels gets its ThumbHash and main colour now. They are an
  /// extra: an original without them is as good.
  private static func describe(
    _ original: DataResponse, _ bytes: [UInt8], in cache: DiskCache, _ limits: ImageLimits
  ) {
    guard var record = cache.record(for: .original(url: original.url)), record.thumbHash.isEmpty,
      record.content?.hash == original.hash,
      let checked = try? ImageCodecs.check(bytes.span.bytes, level: .decode, limits: limits),
      let placeholder = checked.placeholder
    else { return }
    record.thumbHash = placeholder.thumbHash.bytes
    record.dominantColor = placeholder.dominantColor.rgb
    do throws(ImageError) { try cache.update(record) } catch { cache.count(.storeFailures) }
  }

  /// Returns the path of the read-only file with a kept thumbnail of a kept picture; `nil` when either is not kept.
  public func keptThumbnail(of url: String, _ recipe: ThumbnailRecipe) async throws -> String? {
    guard let cache = configuration.diskCache else { return nil }
    return try await executor.run {
      guard let hash = cache.record(for: .original(url: url))?.content?.hash else { return nil }
      return cache.path(for: .variant(source: "\(hash)", recipe: recipe.identity))
    }
  }
}
