import ImageModel

/// Removal for good: a purge also reaches what processes keep in memory and what they are loading.
extension DiskCache {
  /// Removes originals with all their variants, pinned or not, and remembered failures.
  ///
  /// Observers of every process that uses the directory are told: those of this one before this
  /// returns, others within half a second. The store of a load that was requested before fails with
  /// an ``ImageError`` of code `purged`. Costs a look at the records of all variants, and with tags
  /// of all originals.
  ///
  /// - Returns: The number of entries removed, variants and remembered failures included.
  /// - Throws: ``ImageError`` with code `cacheUnusable` or `storeFailed`; part of the entries may be
  ///   removed then.
  @discardableResult
  nonisolated(nonsending) public func purge(_ purge: CachePurge) async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in try store.purge(purge) }
  }

  /// Removes everything, documents included; small values stay.
  ///
  /// - Returns: The number of entries removed.
  @discardableResult
  nonisolated(nonsending) public func purgeAll() async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in try store.purgeAll() }
  }

  /// Returns the records of the entries that a purge would remove.
  nonisolated(nonsending) public func records(of purge: CachePurge) async -> [CacheRecord] {
    await perform { $0.records(of: purge) }
  }

  /// Removes a group and those of its entries that are not pinned and in no other group of the same
  /// family (`day:` is the family of `day:20200616`), with their variants, as ``purge(_:)`` does.
  ///
  /// - Returns: The number of entries removed.
  @discardableResult
  nonisolated(nonsending) public func removeGroup(_ group: String) async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in try store.removeGroup(group) }
  }

  /// Calls an observer when something was purged, by any process, as long as the observation is
  /// kept. It is called on a thread that may block, and must not purge.
  public func observePurges(
    _ observer: @escaping @Sendable (PurgeNotice) -> Void
  ) -> PurgeObservation {
    PurgeObservation(core.purges, observer)
  }
}
