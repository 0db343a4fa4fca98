/// Thumbnails: made once from the bytes of an original, then kept like any other file.
///
/// A thumbnail's key is the hash of the original's bytes and the identity of the recipe, so that equal pictures under
/// several URLs share it, and a changed original never answers with an old thumbnail.
extension ImagePipeline {
  /// Returns the thumbnail of a picture, from the nearest tier that has it.
  ///
  /// Where original and thumbnail are kept, only the thumbnail is read. An original that has to be fetched is decoded
  /// once: it proves whole by the making, as a check by ``ImageCheck/decode`` would, and is kept only then. All who ask
  /// at the same time share the fetch, and those who ask for the same thumbnail share the making.
  ///
  /// - Throws: ``ImageError``: what the origin or the limits say, `corrupt`, `truncated`, `unsupportedFormat` or
  ///   `limitExceeded` when it cannot be made, `saturated` when too many wait; or `CancellationError` when the task is
  ///   cancelled; then the work ends, unless somebody else waits for it.
  public func thumbnail(
    for request: ImageRequest, _ recipe: ThumbnailRecipe
  ) async throws -> ThumbnailResponse {
    let order = LoadOrder(request, configuration)
    return try await observed(order) { recorder in
      var made = try await loader.thumbnail(
        order, recipe,
        LoadWatch(priority: .constant(request.priority), recorder: recorder))
      made.wasShared = recorder.steps.isEmpty
      return made
    } ending: { made, _ in
      LoadReport.Ending(made, recipe)
    }
  }

  /// Returns the bytes of an original as ``data(for:)`` does with ``ImageCheck/decode``, sharing its fetch with those
  /// who ask for thumbnails of it.
  public func provenData(for request: ImageRequest) async throws -> DataResponse {
    let order = LoadOrder(request, configuration)
    return try await observed(order) { recorder in
      try await loader.provenData(
        order, LoadWatch(priority: .constant(request.priority), recorder: recorder))
    } ending: {
      LoadReport.Ending($0, wasShared: $1.steps.isEmpty)
    }
  }

  /// Returns the thumbnail of a picture whose bytes are at hand, from the cache where it is kept there.
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
    try await loader.thumbnail(of: original, recipe, LoadOrder(request, configuration))
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
