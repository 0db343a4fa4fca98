import ImageModel

extension DiskStore {
  package var partialBodies: PartialBodies {
    PartialBodies(
      PartialStore(
        blobs: blobs, isWritable: index.mode == .writing,
        maximumByteCount: budget(of: .images).maximumByteCount / 4))
  }

  /// Begins to list a selection, oldest entries first.
  func listing(of selection: EntrySelection) throws(ImageError) -> EntryListing {
    try EntryListing(selection, in: index)
  }

  package func statistics() -> CacheStatistics {
    var statistics = CacheStatistics()
    let budget = budget(of: .images)
    statistics.maximumByteCount = budget.maximumByteCount
    let found = index.reporting {
      try index.snapshot { open, state in
        let pinned = open.table.entries { $0.isEntry && $0.flags.contains(.isPinned) }
        return (open.table, state.totals, pinned)
      }
    }
    guard let (table, totals, pinned) = found ?? nil else { return statistics }
    statistics.entryCount = totals.imageCount
    statistics.byteCount = totals.imageByteCount
    statistics.documentCount = totals.documentCount
    statistics.documentByteCount = totals.documentByteCount
    statistics.negativeCount = totals.negativeCount
    statistics.pinnedCount = pinned.count
    (statistics.total, statistics.lastRun) = table.counts
    statistics.indexByteCount = index.byteCount
    statistics.countedByteCount =
      totals.countedImageByteCount + budget.folderByteCount(fileCount: totals.imageCount)
      + budget.indexByteCount(index.byteCount)
    return statistics
  }

  package func count(_ counter: CacheCounter, by amount: Int = 1) {
    if amount != 0, let table = index.readable()?.table { count(counter, by: amount, in: table) }
  }

  func count(_ counter: CacheCounter, by amount: Int = 1, in table: EntryTable) {
    guard table.isWritable else { return }
    let beginsRun =
      !hasCounted.load(ordering: .relaxed) && !hasCounted.exchange(true, ordering: .relaxed)
    table.count(counter, by: amount, beginsRun: beginsRun)
  }

  /// Keeps what the policy has learned for the next process.
  func flush() {
    guard index.mode == .writing,
      learned.exchange(0, ordering: .relaxed) >= Self.leastLearned
    else { return }
    let (name, snapshot) = eviction.withLock { ($0.name, $0.snapshot) }
    if !snapshot.isEmpty { PolicySnapshot(name: name, bytes: snapshot).write(in: blobs) }
  }

  package func close() {
    flush()
    openBodies.withLock { $0.close() }
    index.close()
  }

  /// Sets the limit to the default: 10 GiB, or a quarter of what is free or used by the cache.
  func adaptLimit() {
    if index.mode == .absent { return limit.withLock { $0 = 10 << 30 } }
    let used = index.totals.countedImageByteCount
    let free = (try? blobs.files.freeByteCount(at: configuration.directory)) ?? 0
    let (room, overflow) = free.addingReportingOverflow(used)
    let quarter = (overflow ? Int.max : room) / 4
    limit.withLock { $0 = min(10 << 30, quarter) }
  }

  /// Counts bytes stored; after every 8 MiB adapts the default limit to the free space.
  func adaptLimit(afterStoring byteCount: Int) {
    guard configuration.maximumByteCount == nil else { return }
    let isDue = ledger.withLock { ledger in
      ledger.bytesSinceMeasure += byteCount
      guard ledger.bytesSinceMeasure > 8 << 20 else { return false }
      ledger.bytesSinceMeasure = 0
      return true
    }
    if isDue { adaptLimit() }
  }
}
