package import ImageModel
import Synchronization

extension DiskStore {
  package var partialBodies: PartialBodies {
    PartialBodies(
      PartialStore(
        blobs: blobs, isWritable: index.mode == .writing,
        maximumByteCount: limit / 4, mark: { [marks] in marks.mark(of: $0) }))
  }

  package func statistics() -> CacheStatistics {
    var statistics = CacheStatistics()
    statistics.maximumByteCount = limit
    let found = index.reporting {
      try index.snapshot { open, state in
        let pinned = open.table.entries { $0.isEntry && $0.flags.contains(.isPinned) }
        return (open.table, state.totals, pinned)
      }
    }
    guard let (table, totals, pinned) = found ?? nil else { return statistics }
    let budget = budget(totals)
    statistics.retainedCount = totals.retainedCount
    statistics.retainedByteCount = totals.retainedByteCount
    statistics.entryCount = totals.images.count
    statistics.byteCount = totals.images.byteCount
    statistics.documentCount = totals.documents.count
    statistics.documentByteCount = totals.documents.byteCount
    statistics.negativeCount = totals.negativeCount
    statistics.pinnedCount = pinned.count
    (statistics.total, statistics.lastRun) = table.counts
    statistics.indexByteCount = index.byteCount
    statistics.countedByteCount =
      max(0, totals.images.countedByteCount - totals.retainedByteCount)
      + budget.folderByteCount(fileCount: totals.images.count)
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

  func flush() {
    guard index.mode == .writing, learned.exchange(0, ordering: .relaxed) >= Self.leastLearned
    else { return }
    let (name, snapshot) = eviction.withLock { ($0.name, $0.snapshot()) }
    if !snapshot.isEmpty { PolicySnapshot.write(snapshot, of: name, in: blobs) }
  }

  package func close() {
    flush()
    openBodies.withLock { $0.removeAll() }
    index.close()
  }

  /// Returns the limit that a cache was made with, and writes it where it is made now: the
  /// configured one, or 10 GiB or a quarter of the file system, whichever is less.
  static func limit(of configuration: DiskCache.Configuration, in index: CacheIndex) -> Int {
    let directory = index.blobs.directory
    let kept = try? FormatFile.limit(in: directory, index.files)
    if let kept { return configuration.maximumByteCount ?? kept }
    let space = try? index.files.space(at: configuration.directory)
    let limit = configuration.maximumByteCount ?? min(10 << 30, (space?.byteCount ?? .max) / 4)
    guard index.mode == .writing else { return limit }
    // Where it cannot be written, what the cache has can be read all the same.
    try? index.write { [blobs = index.blobs] _ in
      // Of two processes the first one writes it.
      if try FormatFile.limit(in: directory, blobs.files) == nil {
        try FormatFile.write(limit: limit, in: blobs)
      }
    }
    return limit
  }

  /// The free space that is left to others: as configured, or 5 % of the file system up to 1 GiB.
  static func minimumFreeByteCount(
    of configuration: DiskCache.Configuration, _ files: any FileSystem
  ) -> Int? {
    if let minimum = configuration.minimumFreeByteCount { return minimum == 0 ? nil : minimum }
    let space = try? files.space(at: configuration.directory)
    return space.map { min(1 << 30, $0.byteCount / 20) }
  }
}
