extension DiskCache {
  /// The prefixes of bodies in this directory, shared by all processes, for
  /// ``HTTPFetcher/Configuration/partialBodies``. They take a quarter of the limit at most.
  public var partialBodies: PartialBodies {
    PartialBodies(
      PartialStore(
        blobs: blobs, isWritable: index.mode == .writing,
        maximumByteCount: budget(of: .pictures).maximumByteCount / 4))
  }

  /// Calls `body` with each entry that a selection names, oldest first, groups filled in, until it
  /// returns false.
  public func forEachEntry(
    matching selection: EntrySelection = .all, _ body: (CacheRecord) -> Bool
  ) {
    flush()
    var row: Int64 = 0
    while true {
      let after = row
      let page = index.read { try $0.page(of: selection, after: after, count: 500) } ?? []
      for found in page where !body(found.record) { return }
      guard let last = page.last else { return }
      row = last.row
    }
  }

  /// All entries that a selection names, oldest first, with their groups.
  public func entries(matching selection: EntrySelection = .all) -> [CacheRecord] {
    var entries: [CacheRecord] = []
    forEachEntry(matching: selection) {
      entries.append($0)
      return true
    }
    return entries
  }

  /// What the cache holds and how it fared; includes what this process has not yet written down.
  public func statistics() -> CacheStatistics {
    flush()
    var statistics = index.read { try $0.statistics() } ?? CacheStatistics()
    let budget = budget(of: .pictures)
    statistics.maximumByteCount = budget.maximumByteCount
    statistics.indexByteCount = index.byteCount
    if index.mode != .absent {
      statistics.countedByteCount +=
        budget.folderByteCount(fileCount: statistics.entryCount)
        + budget.indexByteCount(databaseByteCount: index.databaseByteCount)
    }
    return statistics
  }

  /// Counts an event; written down with the next batch.
  public func count(_ counter: CacheCounter, by amount: Int = 1) {
    ledger.withLock { $0.count(counter, by: amount) }
  }

  /// Writes down accesses and counters now. Also done every few seconds and at the end of the
  /// instance.
  public func flush() {
    // Where nothing may be written, accesses and counts are those of this process alone.
    guard index.mode == .writing, let batch = ledger.withLock({ $0.take() }) else { return }
    let (policy, blobs, now) = (policy, blobs, configuration.clock().microseconds)
    do {
      try index.write { writer in
        try writer.removeDoomed(from: blobs)
        // In the order of the rows, so that each page of a large index is met once.
        for (row, access) in batch.accesses.sorted(by: { $0.key < $1.key }) {
          try writer.touch(row, at: access.time, times: access.count) { facts in
            policy.withLock { $0.rank(of: facts) }
          }
        }
        try self.saveInflation(writer)
        _ = try writer.expireGroups(now: now)
        try writer.count(batch.counts, beginsRun: batch.beginsRun)
      }
    } catch {
      ledger.withLock { $0.restore(batch, at: now) }
    }
  }

  /// Writes down what is pending, removes the files of evicted entries and lets go of the index.
  /// What is asked of the cache afterwards opens it again.
  public func close() {
    flush()
    try? removeDoomedFiles()
    index.close()
  }

  /// Removes the files of entries whose records went.
  func removeDoomedFiles() throws(ImageError) {
    let blobs = blobs
    guard index.hasWriter else { return }
    try index.write { try $0.removeDoomed(from: blobs) }
  }

  /// Brings the limit to the default: 10 GiB or a quarter of what is free or used by the cache.
  func adaptLimit() {
    if index.mode == .absent { return limit.withLock { $0 = 10 << 30 } }
    let used = index.read { try $0.totals().countedPictureByteCount } ?? 0
    let free = (try? blobs.files.freeByteCount(at: configuration.directory)) ?? 0
    let (room, overflow) = free.addingReportingOverflow(used)
    let quarter = (overflow ? Int.max : room) / 4
    limit.withLock { $0 = min(10 << 30, quarter) }
    index.setMaximumLogByteCount(budget(of: .pictures).logByteCount)
  }
}
