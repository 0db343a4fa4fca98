import ImageModel

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

  /// The entries that this instance has evicted since it was opened, to stay within its limit.
  public var evicted: EvictedTotals { core.evicted }

  /// Counts an event; written with the next batch.
  public func count(_ counter: CacheCounter, by amount: Int = 1) {
    core.count(counter, by: amount)
  }

  /// Reads every file and compares its SHA-256.
  ///
  /// - Parameter repair: Whether damaged entries are dropped, so that they are fetched again.
  nonisolated(nonsending) public func verify(repair: Bool = false) async throws(ImageError)
    -> VerificationReport
  {
    try await perform { store throws(ImageError) in try store.verify(repair: repair) }
  }

  /// Removes files without a record and abandoned temporary files, and enforces age and limit now.
  nonisolated(nonsending) public func collectGarbage() async throws(ImageError) -> GarbageReport {
    try await perform { store throws(ImageError) in try store.collectGarbage() }
  }

  /// Writes what is pending, removes the files of evicted entries and closes the index. A later
  /// call opens it again.
  nonisolated(nonsending) public func close() async {
    await perform { $0.close() }
  }
}

/// The entries of a cache, read a page at a time.
private struct EntrySequence: AsyncSequence, Sendable {
  let cache: DiskCache
  let selection: EntrySelection

  struct Iterator: AsyncIteratorProtocol {
    let entries: EntrySequence
    /// The remaining entries; `nil` before the first page.
    var listing: EntryListing?
    var page: ArraySlice<CacheRecord> = []

    mutating func next() async -> CacheRecord? {
      if page.isEmpty {
        let (selection, rest) = (entries.selection, listing)
        let next = await entries.cache.perform { store in
          let begun = rest ?? store.index.reporting { try store.listing(of: selection) }
          guard var listing = begun else { return (listing: rest, page: [CacheRecord]()) }
          let page = listing.next(500, in: store).map(\.currentRecord)
          return (listing: listing, page: page)
        }
        (listing, page) = (next.listing, next.page[...])
      }
      return page.popFirst()
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(entries: self) }
}
