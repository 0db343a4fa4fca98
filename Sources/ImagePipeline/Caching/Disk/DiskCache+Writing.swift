extension DiskCache {
  /// Creates a temporary file for bytes that arrive in pieces.
  ///
  /// - Throws: ``ImageError``: `cacheUnusable`, `diskFull` or `storeFailed`.
  public func stage() throws(ImageError) -> StagedBlob {
    guard index.mode == .writing else {
      throw failed(
        ImageError(.cacheUnusable, "the cache directory \(blobs.directory) is not writable"))
    }
    do throws(FileSystemFailure) {
      return try StagedBlob(in: blobs)
    } catch {
      throw failed(error.error)
    }
  }

  /// Ends the writing of staged bytes, and returns which they are; the file may still be discarded.
  func content(of staged: StagedBlob) throws(ImageError) -> CacheContent {
    do throws(FileSystemFailure) { return try staged.finish() } catch { throw failed(error.error) }
  }

  /// Publishes staged bytes under the record's key and returns the record with its content.
  ///
  /// - Parameters:
  ///   - staged: The bytes. Their file is renamed; if this fails, it goes with the last reference.
  ///   - record: What is known of them; ``CacheRecord/groups`` are added to.
  ///   - protecting: Keeps the entry from eviction by this instance: it was asked for by name.
  /// - Throws: ``ImageError``: `cacheFull` when the bytes do not fit beside what is pinned or
  ///   protected, `diskFull`, `storeFailed` or `cacheUnusable`.
  @discardableResult
  public func commit(
    _ staged: StagedBlob, _ record: CacheRecord, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord {
    if record.key.isEmpty { return record }
    if protecting { protect(record.key) }
    var record = record
    do throws(FileSystemFailure) {
      record.content = try staged.seal()
    } catch {
      throw failed(error.error)
    }
    configuration.stageHook?(.written)
    try put(record, publishing: staged)
    return record
  }

  /// Stores bytes; as ``commit(_:_:protecting:)``.
  @discardableResult
  public func store(
    _ bytes: [UInt8], _ record: CacheRecord, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord {
    try checkSize(record.key, bytes.count)
    let staged = try stage()
    try staged.append(bytes)
    return try commit(staged, record, protecting: protecting)
  }

  /// Remembers that there is nothing for a key; see ``CacheRecord/failure`` and
  /// ``CacheRecord/expires``.
  public func storeNegative(_ record: CacheRecord) throws(ImageError) {
    if record.key.isEmpty { return }
    var record = record
    record.content = nil
    try put(record, publishing: nil)
  }

  /// Replaces what is known of an entry (after a 304); its bytes, accesses and groups stay, and it
  /// is added to the record's groups. No effect when the entry is gone.
  public func update(_ record: CacheRecord) throws(ImageError) {
    let evictions = try index.write { writer in
      guard let current = try writer.record(for: record.key) else { return 0 }
      try writer.update(current.row, record)
      for group in record.groups.sorted() {
        try writer.add(current.row, to: try writer.group(group))
      }
      try self.prepareRanks(at: self.configuration.clock().microseconds, writer)
      return try self.enforceLimits(writer, keeping: current.row)
    }
    if evictions > 0 { count(.evictions, by: evictions) }
  }

  /// Removes entries; absent ones are no error.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func remove(_ keys: [CacheKey]) throws(ImageError) -> Int {
    if index.mode == .absent { return 0 }
    let blobs = blobs
    let count = try index.write { writer in
      try writer.removeDoomed(from: blobs)
      var count = 0
      for key in keys {
        guard let found = try writer.record(for: key) else { continue }
        try writer.delete(
          found.row, hash: key.indexHash, content: found.record.content, area: BlobArea(of: key))
        count += 1
      }
      return count
    }
    if count > 0 { try removeDoomedFiles() }
    return count
  }

  /// Removes all entries that a selection names.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func remove(matching selection: EntrySelection) throws(ImageError) -> Int {
    var count = 0
    var row: Int64 = 0
    while true {
      let after = row
      let page = index.read { try $0.page(of: selection, after: after, count: 500) } ?? []
      guard let last = page.last else { return count }
      row = last.row
      count += try remove(page.map(\.record.key))
    }
  }

  // MARK: The transaction

  private func put(_ record: CacheRecord, publishing staged: StagedBlob?) throws(ImageError) {
    let area = BlobArea(of: record.key)
    try checkSize(record.key, record.byteCount)
    let now = configuration.clock()
    let time = ledger.withLock { $0.time(now) }
    let (blobs, maximumAge) = (blobs, configuration.maximumAge)
    do throws(ImageError) {
      let evictions = try index.write { writer in
        try writer.removeDoomed(from: blobs)
        try self.prepareRanks(at: time, writer)
        if let maximumAge {
          _ = try writer.expire(
            before: time - maximumAge.microseconds, limit: 64, sparing: self.isProtected)
        }
        let old = try writer.record(for: record.key)
        var evictions = old == nil ? try self.dropExcessVariations(beside: record, writer) : 0
        func addsFile() throws -> Bool {
          try record.content.map { try !writer.isReferenced($0.hash, in: area) } ?? true
        }
        var isNew = try addsFile()
        // An entry makes the index grow even where its bytes are another's.
        evictions += try self.makeRoom(
          for: record, addsFile: isNew, replacing: old, in: area, writer)
        if !isNew, try addsFile() {
          // The other entries with these bytes were evicted.
          isNew = true
          evictions += try self.makeRoom(
            for: record, addsFile: true, replacing: old, in: area, writer)
        }
        if let staged, let content = record.content {
          try staged.publish(as: content, in: area)
          self.configuration.stageHook?(.published)
        }
        try self.write(record, replacing: old, isNew: isNew, at: time, writer)
        self.configuration.stageHook?(.recorded)
        return (
          count: evictions, leavesFiles: writer.doomedCount > 0,
          leavesPages: try self.needsCompaction(writer)
        )
      }
      configuration.stageHook?(.committed)
      ledger.withLock { ledger in
        ledger.count(.stores)
        ledger.reported.remove(record.key.indexHash)
        ledger.isStoreFailing = false
        if evictions.count > 0 { ledger.count(.evictions, by: evictions.count) }
      }
      // The limit holds for files, so those of evicted entries do not wait for the next store.
      if evictions.leavesFiles { try? removeDoomedFiles() }
      if evictions.leavesPages { index.compact(to: budget(of: .pictures).maximumDatabaseByteCount) }
    } catch {
      if let content = record.content { removeOrphan(content.hash, in: area) }
      throw failed(error)
    }
    adaptLimit(afterStoring: record.byteCount)
    if ledger.withLock({ $0.isDue(at: time) }) { flush() }
  }

  private func write(
    _ record: CacheRecord, replacing old: IndexedRecord?, isNew: Bool, at time: Int64,
    _ writer: IndexWriter
  ) throws {
    var record = record
    record.lastAccess = .init(microseconds: time)
    record.accessCount =
      try (old?.record.accessCount ?? accessesBeforeEviction(record.key, writer)) + 1
    let rank = policy.withLock {
      $0.rank(
        of: EvictionFacts(
          byteCount: record.byteCount, accessCount: record.accessCount, lastAccess: Double(time)))
    }
    let row: Int64
    if let old {
      row = old.row
      try writer.replace(old, by: record, isNew: isNew, boot: boot, rank: rank)
    } else {
      row = try writer.insert(record, isNew: isNew, boot: boot, rank: rank)
    }
    for group in record.groups.sorted() { try writer.add(row, to: try writer.group(group)) }
  }

  /// Removes a file that was published for a record which then could not be written.
  private func removeOrphan(_ hash: BlobHash, in area: BlobArea) {
    let blobs = blobs
    try? index.write { writer in
      if try !writer.isReferenced(hash, in: area) { try blobs.remove(hash, in: area) }
    }
  }
}

extension Duration {
  /// Whole microseconds, cut off at the ends of the range.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? .min / 4 : .max / 4 }
    return product + attoseconds / 1_000_000_000_000
  }
}
