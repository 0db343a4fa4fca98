import HTTPCaching
public import ImageModel

extension DiskCache {
  /// Iterates over the entries of a selection, oldest first, with their groups. Entries stored
  /// during the iteration may be left out.
  public func entries(
    matching selection: EntrySelection = .all
  ) -> some AsyncSequence<CacheRecord, Never> & Sendable {
    EntrySequence(cache: self, selection: selection)
  }

  /// Returns what the cache holds and what has happened to it, events of this process included.
  nonisolated(nonsending) public func statistics() async -> CacheStatistics {
    await perform { $0.statistics() }
  }

  /// The entries that this instance has evicted since it was opened, to stay within its limit, and
  /// the bytes of their files, whether others have the same or not.
  public var evicted: (count: Int, byteCount: Int) { core.ledger.withLock { $0.evicted } }

  /// Counts look-ups in a memory tier of the caller's own.
  public func countMemory(hits: Int, misses: Int) {
    core.count(.memoryHits, by: hits)
    core.count(.memoryMisses, by: misses)
  }

  /// Reads every file and compares its SHA-256.
  ///
  /// - Parameter repair: Whether damaged entries are dropped, so that they are fetched again.
  nonisolated(nonsending) public func verify(repair: Bool = false) async throws(ImageError)
    -> VerificationReport
  {
    try await perform { store throws(ImageError) in try store.verify(repair: repair) }
  }

  /// Sets the limit of this instance, in place of ``Configuration/maximumByteCount`` and in its
  /// bytes, and evicts until it holds; pinned and protected entries stay.
  ///
  /// - Throws: `ImageError` with code `cacheUnusable` or `storeFailed`.
  nonisolated(nonsending) public func setMaximumByteCount(_ count: Int) async throws(ImageError) {
    try await perform { store throws(ImageError) in try store.setMaximumByteCount(count) }
  }

  /// Removes files without a record and abandoned temporary files, and enforces age and limit now.
  nonisolated(nonsending) public func collectGarbage() async throws(ImageError) -> GarbageReport {
    try await perform { store throws(ImageError) in try store.collectGarbage() }
  }

  /// Explains whether the disk would answer for a key. Does not count as an access.
  nonisolated(nonsending) public func explain(_ key: CacheKey, isShared: Bool = false) async
    -> CacheExplanation
  {
    await perform { store in
      guard let entry = store.find(key) else {
        return CacheExplanation(verdict: .absent, record: nil, path: nil)
      }
      let (record, now) = (entry.currentRecord, store.configuration.clock())
      guard let content = record.content else {
        if let expires = record.expires, expires <= now {
          return CacheExplanation(verdict: .absent, record: record, path: nil)
        }
        return CacheExplanation(
          verdict: .negative(record.failure, until: record.expires), record: record, path: nil)
      }
      let reason = store.fault(of: content, in: BlobArea(of: key))
      if !reason.isEmpty {
        return CacheExplanation(verdict: .damaged(reason), record: record, path: entry.stored.path)
      }
      let (request, profile) = (HTTPCacheRequest(), CacheProfile.images(isShared: isShared))
      let response = StoredResponse(record)
      let freshness = profile.freshness(of: response)
      let verdict: CacheExplanation.Verdict =
        switch response.reuse(for: request, at: now, profile: profile) {
        case .fresh: .fresh(remaining: freshness.remaining(at: now))
        case .some: .staleWhileRevalidating
        case nil:
          .revalidate(
            mayServeOnError: record.isAlwaysStale
              || freshness.maySubstitute(for: .status(503), at: now, profile: profile))
        }
      return CacheExplanation(verdict: verdict, record: record, path: entry.stored.path)
    }
  }

  /// Writes what is pending, removes the files of evicted entries and closes the index. A later
  /// call opens it again.
  nonisolated(nonsending) public func close() async {
    await perform { $0.close() }
  }
}

private struct EntrySequence: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let cache: DiskCache
  let selection: EntrySelection
  /// The remaining entries; `nil` before the first page.
  var listing: EntryListing?
  var page: ArraySlice<CacheRecord> = []

  func makeAsyncIterator() -> EntrySequence { self }

  mutating func next() async -> CacheRecord? {
    if page.isEmpty {
      let (selection, rest) = (selection, listing)
      let next = await cache.perform { store in
        let begun = rest ?? store.index.reporting { try EntryListing(selection, in: store.index) }
        guard var listing = begun else { return (listing: rest, page: [CacheRecord]()) }
        let page = listing.next(500, in: store).map(\.currentRecord)
        return (listing: listing, page: page)
      }
      (listing, page) = (next.listing, next.page[...])
    }
    return page.popFirst()
  }
}
