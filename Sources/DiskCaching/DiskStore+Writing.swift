import CachePolicies
import ImageModel

extension DiskStore {
  /// Creates a temporary file for bytes that arrive in pieces.
  package func stage() throws(ImageError) -> StagedBlob {
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

  /// Writes bytes to a temporary file.
  package func stage(_ bytes: RawSpan) throws(ImageError) -> StagedBlob {
    let staged = try stage()
    do throws(ImageError) { try staged.append(bytes) } catch { throw failed(error) }
    return staged
  }

  /// Ends the writing of staged bytes, and returns which they are; the file may still be discarded.
  package func content(of staged: StagedBlob) throws(ImageError) -> CacheContent {
    do throws(FileSystemFailure) { return try staged.finish() } catch { throw failed(error.error) }
  }

  /// Publishes staged bytes as ``DiskCache/store(_:_:protecting:)`` does. Their file is renamed; if
  /// this fails, it is removed with the last reference.
  @discardableResult
  package func commit(
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

  @discardableResult
  package func store(
    _ bytes: [UInt8], _ record: CacheRecord, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord {
    try checkSize(record.key, bytes.count)
    return try commit(try stage(bytes.span.bytes), record, protecting: protecting)
  }

  package func storeNegative(_ record: CacheRecord) throws(ImageError) {
    if record.key.isEmpty { return }
    var record = record
    record.content = nil
    try put(record, publishing: nil)
  }

  package func update(_ record: CacheRecord) throws(ImageError) {
    let evictions = try write { writer in
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

  // MARK: Removing

  @discardableResult
  package func remove(_ keys: [CacheKey]) throws(ImageError) -> Int {
    try remove { writer in
      var count = 0
      for key in keys {
        guard let found = try writer.record(for: key) else { continue }
        try writer.delete(found)
        count += 1
      }
      return count
    }
  }

  @discardableResult
  package func remove(urls: [String]) throws(ImageError) -> Int {
    try remove { writer in
      var count = 0
      for url in urls {
        let found = try writer.variations(of: url)
        for entry in found { try writer.delete(entry) }
        if !found.isEmpty { count += 1 }
      }
      return count
    }
  }

  @discardableResult
  func remove(matching selection: EntrySelection) throws(ImageError) -> Int {
    var count = 0
    var row: Int64 = 0
    while true {
      let page = page(of: selection, after: row)
      guard let last = page.last else { return count }
      row = last.row
      count += try remove(page.map(\.record.key))
    }
  }

  /// Deletes records in one transaction and their files in another.
  ///
  /// - Parameter body: Deletes, and returns the number of entries.
  func remove(_ body: @escaping @Sendable (IndexWriter) throws -> Int) throws(ImageError) -> Int {
    if index.mode == .absent { return 0 }
    let blobs = blobs
    let count = try write { writer in
      try writer.removeDoomed(from: blobs)
      return try body(writer)
    }
    if count > 0 { try removeDoomedFiles() }
    return count
  }

  // MARK: The transaction

  /// Changes the index. A failure counts as a store that failed.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (IndexWriter) throws -> Value
  ) throws(ImageError) -> Value {
    do throws(ImageError) { return try index.write(body) } catch { throw failed(error) }
  }

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
        // An entry makes the index grow even where its bytes are shared.
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
      // The limit is for files, so those of evicted entries are removed at once.
      if evictions.leavesFiles { try? removeDoomedFiles() }
      if evictions.leavesPages { index.compact(to: budget(of: .images).maximumDatabaseByteCount) }
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
