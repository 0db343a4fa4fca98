import ImageModel

/// Keeping files, folders and the index within the limit, in the transaction that would exceed it.
extension DiskStore {
  /// The limit of an area, and how it is divided. The index counts towards that of originals and
  /// variants.
  func budget(of area: BlobArea) -> DiskBudget {
    switch area {
    case .images:
      DiskBudget(
        maximumByteCount: limit.withLock { $0 }, countsOverhead: configuration.countsOverhead)
    case .documents:
      DiskBudget(
        maximumByteCount: configuration.maximumDocumentByteCount,
        countsOverhead: configuration.countsOverhead)
    }
  }

  /// What an area's files may take.
  ///
  /// - Parameter growth: Bytes about to be written into the index.
  private func room(
    in area: BlobArea, adding growth: Int, _ writer: IndexWriter
  ) throws -> IndexWriter.Room {
    let budget = budget(of: area)
    // A database made larger under another limit is compacted after the transaction.
    let index = min(
      try writer.databaseByteCount(adding: growth).file, budget.maximumDatabaseByteCount)
    return IndexWriter.Room(
      budget: budget,
      byteCount: area == .images
        ? budget.fileRoom(databaseByteCount: index) : budget.maximumByteCount)
  }

  /// Evicts until a record and its bytes fit.
  ///
  /// - Parameter addsFile: Whether no other record has these bytes.
  /// - Returns: The number of entries with bytes evicted.
  func makeRoom(
    for record: CacheRecord, addsFile: Bool, replacing old: IndexedRecord?, in area: BlobArea,
    _ writer: IndexWriter
  ) throws -> Int {
    let growth = Self.indexByteCount(of: record)
    var evictions = try boundIndex(adding: growth, keeping: old?.row, writer)
    guard let content = record.content else {
      try boundNegatives(adding: old?.record.isNegative == true ? 0 : 1, at: record, writer)
      let room = try room(in: .images, adding: growth, writer)
      evictions += try shrink(.images, to: room, keeping: old?.row, writer) ?? 0
      return evictions
    }
    var room = try room(in: area, adding: growth, writer)
    if addsFile { room.byteCount -= DiskBudget.counted(content.byteCount) }
    room.addedCount = 1
    // The replaced bytes are removed in the same transaction, unless others have the same.
    if let old, let replaced = old.record.content {
      room.addedCount = 0
      if replaced.hash != content.hash,
        try !writer.isReferenced(replaced.hash, in: area, besides: old.row)
      {
        room.byteCount += DiskBudget.counted(replaced.byteCount)
      }
    }
    guard let gone = try shrink(area, to: room, keeping: old?.row, writer) else {
      guard addsFile else { return evictions }
      throw doesNotFit(record.key, content.byteCount, budget(of: area).maximumByteCount)
    }
    return evictions + gone
  }

  /// Evicts until index and files are within the limits, as far as entries may be evicted.
  func enforceLimits(_ writer: IndexWriter, keeping row: Int64? = nil) throws -> Int {
    var evictions = try boundIndex(adding: 0, keeping: row, writer)
    try boundNegatives(adding: 0, at: nil, writer)
    for area in BlobArea.allCases {
      let room = try room(in: area, adding: 0, writer)
      evictions += try shrink(area, to: room, keeping: row, writer) ?? 0
    }
    return evictions
  }

  private func shrink(
    _ area: BlobArea, to room: IndexWriter.Room, keeping row: Int64?, _ writer: IndexWriter
  ) throws -> Int? {
    try writer.shrink(area, to: room, keeping: row, sparing: isProtected) {
      try self.learnEviction($0, rank: $1, accesses: $2, writer)
    }
  }

  /// Evicts until the index has room: negative entries first, then whole batches of the lowest
  /// rank. A batch ends below the bound, so that the next stores find free pages.
  private func boundIndex(
    adding growth: Int, keeping row: Int64?, _ writer: IndexWriter
  ) throws -> Int {
    let maximum = budget(of: .images).maximumDatabaseByteCount
    guard maximum < .max else { return 0 }
    func used() throws -> Int { try writer.databaseByteCount(adding: 0).used + growth }
    guard try used() > maximum else { return 0 }
    var evictions = 0
    while try used() > maximum - maximum / 16 {
      // Few at a time where there are few.
      let batch = max(1, min(64, try writer.currentTotals().imageCount / 32))
      if try writer.dropNegatives(batch) > 0 { continue }
      let gone = try writer.evict(batch, in: .images, keeping: row, sparing: isProtected) {
        try self.learnEviction($0, rank: $1, accesses: $2, writer)
      }
      evictions += gone
      if gone > 0 { continue }
      if growth > 0, try used() > maximum {
        throw ImageError(
          .cacheFull,
          """
          the cache's index is full: what was asked for or is pinned fills the \(maximum) bytes that \
          the index may have within \(Self.limitSetting); raise \(Self.limitSetting)
          """)
      }
      break
    }
    return evictions
  }

  /// Drops negative entries beyond their limit, expired ones first.
  private func boundNegatives(
    adding count: Int, at record: CacheRecord?, _ writer: IndexWriter
  ) throws {
    if let record {
      // Expired ones are removed along with a new one.
      _ = try writer.expireNegative(before: record.responseTime.microseconds, limit: 16)
    }
    let maximum = budget(of: .images).maximumNegativeCount
    let excess = try writer.currentTotals().negativeCount + count - maximum
    if excess > 0 { _ = try writer.dropNegatives(excess) }
  }

  /// Bytes by which a record may make the index grow: its text, twice, and pages that are split.
  private static func indexByteCount(of record: CacheRecord) -> Int {
    let text = record.key.name.utf8.count + record.key.recipe.utf8.count
    return 2 * (text + record.headers.text.utf8.count) + 12 * 2048
  }

  /// Whether the database has more pages than it may; ``CacheIndex/compact(to:)`` frees unused
  /// ones.
  func needsCompaction(_ writer: IndexWriter) throws -> Bool {
    let size = try writer.databaseByteCount(adding: 0)
    return size.file > budget(of: .images).maximumDatabaseByteCount && size.used < size.file
  }

  func isProtected(_ hash: UInt64) -> Bool {
    ledger.withLock { $0.protected.contains(hash) }
  }

  // MARK: Failures

  /// Refuses bytes that would not fit an empty cache.
  func checkSize(_ key: CacheKey, _ byteCount: Int) throws(ImageError) {
    let area = BlobArea(of: key)
    let budget = budget(of: area)
    let room =
      area == .images
      ? budget.largestFileByteCount : budget.maximumByteCount - budget.folderByteCount(fileCount: 1)
    if DiskBudget.counted(byteCount) <= room { return }
    if room < DiskBudget.blockByteCount, area == .images {
      throw failed(
        ImageError(
          .cacheFull,
          """
          \(limitName) is too small: the index and the folders of a cache take \
          \(budget.leastByteCount - 2 * DiskBudget.blockByteCount) bytes of it; use \
          \(Self.limitSetting) \(budget.leastByteCount) or more
          """))
    }
    throw failed(
      ImageError(
        .cacheFull,
        """
        \(key.name) has \(byteCount) bytes, more than the \(max(0, room)) that \
        \(limitName) leaves for files; raise \(Self.limitSetting)
        """))
  }

  private static let limitSetting = "DiskCache.Configuration.maximumByteCount"

  /// The limit in words: the configured one, or the default on this disk.
  private var limitName: String {
    let maximum = budget(of: .images).maximumByteCount
    return configuration.maximumByteCount == nil
      ? "the default limit of \(maximum) bytes, by the free space,"
      : "\(Self.limitSetting) \(maximum)"
  }

  private func doesNotFit(_ key: CacheKey, _ byteCount: Int, _ maximum: Int) -> ImageError {
    ImageError(
      .cacheFull,
      """
      \(key.name) (\(byteCount) bytes) does not fit: what was asked for or is pinned, and the index, fill \
      the \(maximum) bytes of the cache; raise \(Self.limitSetting)
      """)
  }

  /// Counts a store that failed. A server, which continues without it, logs it once until a store
  /// succeeds.
  func failed(_ error: ImageError) -> ImageError {
    count(.storeFailures)
    guard configuration.access == .createOrRead, index.mode == .writing,
      error.code == .diskFull || error.code == .cacheUnusable
    else { return error }
    let isNews = ledger.withLock { ledger in
      defer { ledger.isStoreFailing = true }
      return !ledger.isStoreFailing
    }
    if isNews {
      configuration.log("\(error.message); until that works again nothing is stored")
    }
    return error
  }
}
