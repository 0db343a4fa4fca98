import DiskCaching
public import ImageModel

extension ImagePipeline {
  /// What the pipeline keeps in memory and on disk, by request.
  public struct Cache: Sendable {
    let pipeline: ImagePipeline

    private var graph: ImageGraph { pipeline.graph }

    /// Whether the image of a request is in memory, or its bytes are on disk, fresh or not; not for
    /// an invalid request.
    public func contains(_ request: ImageRequest) async -> Bool {
      if graph.memory?.value(for: graph.memoryKey(of: request)) != nil { return true }
      return (try? await pipeline.storedFile(for: request)) ?? nil != nil
    }

    /// Removes the original of a request with all its variants, as ``ImagePipeline/purge(_:)`` does.
    ///
    /// - Throws: As ``ImagePipeline/purge(_:)``.
    public func remove(_ request: ImageRequest) async throws(ImageError) {
      var purge = CachePurge()
      purge.urls = [pipeline.configuration.cacheURL(of: request)]
      try await pipeline.purgeKeys(purge)
    }

    /// Removes everything from memory and, if there is one, from the disk cache.
    ///
    /// - Throws: `ImageError` with code `cacheUnusable` or `storeFailed`.
    public func removeAll() async throws(ImageError) {
      _ = graph.memory?.removeAll { _ in true }
      _ = try await pipeline.configuration.diskCache?.purgeAll()
    }

    /// Keeps pixels in memory as the image of a request, until they are evicted.
    ///
    /// - Returns: Whether the memory tier took them.
    @discardableResult
    public func store(_ pixels: PixelBuffer, for request: ImageRequest) -> Bool {
      let image = DecodedImage(
        pixels: pixels, freshUntil: .distantFuture,
        url: pipeline.configuration.cacheURL(of: request))
      return graph.memory?.insert(
        image, for: graph.memoryKey(of: request), byteCount: image.byteCount,
        lifetime: request.cache.lifetime)
        ?? false
    }
  }

  /// What this pipeline keeps in memory and on disk.
  public var cache: Cache { Cache(pipeline: self) }

  /// Keeps bytes as the original of a request, as if its origin had sent them now: they are checked,
  /// stored on disk, and decoded into memory as the request specifies.
  ///
  /// They are fresh for ``ImageRequest/Cache/lifetime``, by default for a year. A load of the request
  /// that is under way replaces them when it ends. Without a disk cache, what is kept is the image
  /// in memory.
  ///
  /// - Throws: `ImageError` with code `storeFailed` if no cache took them, or as `data(for:)`.
  public func store(_ bytes: [UInt8], for request: ImageRequest) async throws {
    var request = request
    request.cache.policy = .reload
    request.cache.lifetime = request.cache.lifetime ?? .seconds(31_536_000)
    request.supplied = bytes
    _ = try await image(for: request)
    if await !cache.contains(request) {
      throw ImageError(.storeFailed, "no cache of the pipeline took the bytes", url: request.url)
    }
  }
}
