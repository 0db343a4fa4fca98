public import DiskCaching
public import HTTPCaching
public import ImageModel

extension ImagePipeline {
  /// Removes originals with all their variants from memory and disk, and forgets their failures.
  ///
  /// Other processes on the same disk cache forget them as well, within half a second, and with a
  /// shared tier all its servers within a second, or a minute if they cannot be notified. Loads in
  /// progress are finished for their callers, but their results are not kept, and loads that begin
  /// afterwards do not join them.
  ///
  /// - Returns: The number of entries removed from disk, variants and remembered failures included;
  ///   without a disk cache the number of images removed from memory.
  /// - Throws: `ImageError` with code `cacheUnusable` or `storeFailed`; the images are removed from
  ///   memory nevertheless. With code `sharedTierFailed` if the purge could not be sent to the
  ///   shared tier, which is retried; on this server they are removed.
  @discardableResult
  public func purge(_ purge: CachePurge) async throws(ImageError) -> Int {
    var purge = purge
    purge.urls = purge.urls.map { configuration.cacheURL(of: $0) }
    return try await purgeKeys(purge)
  }

  /// The same by the names of entries.
  @discardableResult
  func purgeKeys(_ purge: CachePurge) async throws(ImageError) -> Int {
    let count = graph.purges.apply(purge)
    // Whether the others can be told or not, here they are removed. First of all nothing may come from
    // the tier any more.
    var failure: ImageError?
    do throws(ImageError) {
      try await purgeShared(
        TierPurge(urls: purge.urls, tags: purge.tags.map(\.name), time: configuration.clock()))
    } catch {
      failure = error
    }
    let removed = try await configuration.diskCache?.purge(purge) ?? count
    if let failure { throw failure }
    return removed
  }

  /// Purges from the shared tier, and so from all its servers; nothing is removed from this one's disk.
  ///
  /// - Throws: `ImageError` with code `sharedTierFailed`.
  public func purgeShared(_ purge: TierPurge) async throws(ImageError) {
    guard let tier = configuration.sharedTier, !purge.urls.isEmpty || !purge.tags.isEmpty else {
      return
    }
    do throws(TierPurgeFailure) {
      try await tier.purge(purge)
    } catch {
      throw ImageError(.sharedTierFailed, error.description, cause: error)
    }
  }
}
