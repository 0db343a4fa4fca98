import ImageModel

extension DiskStore {
  package var partialBodies: PartialBodies {
    PartialBodies(
      PartialStore(
        blobs: blobs, isWritable: index.mode == .writing,
        maximumByteCount: budget(of: .images).maximumByteCount / 4))
  }

  /// The next 500 entries of a selection behind a row, oldest first.
  func page(of selection: EntrySelection, after row: Int64) -> [IndexedRecord] {
    index.read { try $0.page(of: selection, after: row, count: 500) } ?? []
  }

  package func statistics() -> CacheStatistics {
    flush()
    var statistics = index.read { try $0.statistics() } ?? CacheStatistics()
    let budget = budget(of: .images)
    statistics.maximumByteCount = budget.maximumByteCount
    statistics.indexByteCount = index.byteCount
    if index.mode != .absent {
      statistics.countedByteCount +=
        budget.folderByteCount(fileCount: statistics.entryCount)
        + budget.indexByteCount(databaseByteCount: index.databaseByteCount)
    }
    return statistics
  }

  package func count(_ counter: CacheCounter, by amount: Int = 1) {
    ledger.withLock { $0.count(counter, by: amount) }
  }

  func flush() {
    // Where nothing may be written, accesses and counts stay in this process.
    guard index.mode == .writing, let batch = ledger.withLock({ $0.take() }) else { return }
    let (policy, blobs, now) = (policy, blobs, configuration.clock().microseconds)
    do {
      try index.write { writer in
        try writer.removeDoomed(from: blobs)
        // In the order of the rows, so that each page of a large index is read once.
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

  package func close() {
    flush()
    try? removeDoomedFiles()
    index.close()
  }

  /// Removes the files of entries whose records were deleted.
  func removeDoomedFiles() throws(ImageError) {
    let blobs = blobs
    guard index.hasWriter else { return }
    try index.write { try $0.removeDoomed(from: blobs) }
  }

  /// Sets the limit to the default: 10 GiB, or a quarter of what is free or used by the cache.
  func adaptLimit() {
    if index.mode == .absent { return limit.withLock { $0 = 10 << 30 } }
    let used = index.read { try $0.totals().countedImageByteCount } ?? 0
    let free = (try? blobs.files.freeByteCount(at: configuration.directory)) ?? 0
    let (room, overflow) = free.addingReportingOverflow(used)
    let quarter = (overflow ? Int.max : room) / 4
    limit.withLock { $0 = min(10 << 30, quarter) }
    index.setMaximumLogByteCount(budget(of: .images).logByteCount)
  }
}
