import ImageModel

/// The connection that changes the index. Everything below runs inside one transaction, so in one
/// process at a time.
final class IndexWriter {
  let database: SQLiteDatabase
  private let pageByteCount: Int
  private var statements: [String: SQLiteStatement] = [:]
  private let beginning: SQLiteStatement
  private let commit: SQLiteStatement
  /// The keys, by their word, whose records this transaction changes.
  private var changedSlots: Set<Int> = []
  /// The totals, once this transaction has asked for them, and as the last row has them.
  private var totals: (now: IndexTotals, written: IndexTotals)?
  /// Blobs whose last record went in this transaction.
  var doomedCount = 0

  init(
    path: String, durability: DiskCache.Durability,
    logByteCount: Int = DiskBudget(maximumByteCount: .max).logByteCount
  ) throws {
    database = try SQLiteDatabase(path: path, access: .writing)
    pageByteCount = max(512, Int(try database.integer("PRAGMA page_size")))
    // Written back at half its size: a transaction begun below that may still end above it.
    try database.execute(
      """
      PRAGMA synchronous = \(durability == .strict ? "FULL" : "NORMAL");
      PRAGMA wal_autocheckpoint = \(logByteCount / 2 / (pageByteCount + 24));
      PRAGMA journal_size_limit = \(logByteCount);
      PRAGMA cache_size = -4096;
      """)
    beginning = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    doomedCount = Int(try database.integer("SELECT count(*) FROM doomed"))
  }

  /// Returns a compiled statement, from the second call on a cached one.
  func statement(_ sql: String) throws -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    let statement = try database.prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// Runs changes in one transaction; each is rolled back by itself when it fails.
  ///
  /// - Throws: When none of them could be committed.
  func run(_ batch: [PendingWrite], generations: IndexGenerations?) throws {
    try beginning.run()
    var failures: [(any Error)?] = []
    do {
      totals = nil
      changedSlots = []
      for change in batch { failures.append(try attempt(change, alone: batch.count == 1)) }
      if batch.count == 1, failures[0] != nil {
        try statement("ROLLBACK").run()
      } else {
        try writeTotals()
        generations?.begin(changedSlots)
        defer { generations?.end(changedSlots) }
        try commit.run()
      }
    } catch {
      if database.isInTransaction { try? statement("ROLLBACK").run() }
      throw error
    }
    for (change, failure) in zip(batch, failures) { change.finish(failure) }
  }

  /// Runs one change and rolls it back when it fails.
  ///
  /// - Throws: Damage to the index, which concerns all changes.
  private func attempt(_ change: PendingWrite, alone: Bool) throws -> (any Error)? {
    let before = totals
    if !alone { try statement("SAVEPOINT change").run() }
    do {
      try change.run(self)
      if !alone { try statement("RELEASE change").run() }
      return nil
    } catch let failure as SQLiteFailure {
      throw failure
    } catch {
      totals = before
      if !alone {
        try statement("ROLLBACK TO change").run()
        try statement("RELEASE change").run()
      }
      return error
    }
  }

  /// The record of a key.
  func record(for key: CacheKey) throws -> IndexedRecord? {
    try statement("SELECT \(IndexSchema.recordColumns) FROM entry WHERE hash = ?1")
      .record(for: key, hash: key.indexHash)
  }

  /// The records of all variations of a URL's answer.
  func variations(of url: String) throws -> [IndexedRecord] {
    let key = CacheKey.original(url: url)
    return try statement("SELECT \(IndexSchema.recordColumns) FROM entry WHERE hash = ?1")
      .records(like: key, hash: key.indexHash)
      .filter { $0.record.key.isVariation(of: url) }
  }

  /// Notes that the record with a key's hash changes; `nil` for all records.
  func changes(_ hash: UInt64?) {
    changedSlots.insert(hash.map { IndexGenerations.slot(of: $0) } ?? 0)
  }

  /// Adds a row. Its content, if any, is accounted for.
  ///
  /// - Parameter isNew: Whether no record names the content yet.
  func insert(
    _ record: CacheRecord, isNew: Bool, boot: Int64, rank: Double
  ) throws -> Int64 {
    let area = BlobArea(of: record.key)
    changes(record.key.indexHash)
    var totals = try currentTotals()
    if let content = record.content, isNew {
      totals.add(byteCount: content.byteCount, in: area)
      try spare(content.hash, in: area)
    }
    totals.add(1, of: area, isNegative: record.isNegative)
    let insertion = try statement(
      """
      INSERT INTO entry(hash, kind, name, recipe, area, sha, byte_count, checksum, boot, accessed,
        accesses, rank, pins, status, format, width, height, frames, headers, requested, responded,
        fetched, always_stale, failure, expires, color, thumb_hash, \(IndexTotals.columns))
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15, ?16, ?17, ?18,
        ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33)
      """)
    insertion.bind(1, Int64(bitPattern: record.key.indexHash))
    insertion.bind(2, Int64(record.key.kind.rawValue))
    insertion.bind(3, record.key.name)
    insertion.bind(4, record.key.recipe)
    insertion.bind(5, Int64(area.rawValue))
    insertion.bind(6, record.content?.hash)
    insertion.bind(7, Int64(record.byteCount))
    insertion.bind(8, Int64(record.content?.checksum ?? 0))
    insertion.bind(9, boot)
    insertion.bind(10, record.lastAccess.microseconds)
    insertion.bind(11, Int64(record.accessCount))
    insertion.bind(12, rank)
    record.bind(to: insertion, from: 13)
    totals.bind(to: insertion, from: 27)
    try insertion.run()
    self.totals = (now: totals, written: totals)
    return database.lastInsertedRow
  }

  /// Replaces the bytes and the record of an entry; its groups and pins stay.
  ///
  /// - Parameter isNew: Whether no record, this one's old state included, names the content yet.
  func replace(
    _ old: IndexedRecord, by record: CacheRecord, isNew: Bool, boot: Int64, rank: Double
  ) throws {
    let area = BlobArea(of: record.key)
    changes(record.key.indexHash)
    if let content = record.content, isNew {
      try changeTotals { $0.add(byteCount: content.byteCount, in: area) }
      try spare(content.hash, in: area)
    }
    let change = try statement(
      """
      UPDATE entry SET sha = ?2, byte_count = ?3, checksum = ?4, boot = ?5, accessed = ?6, rank = ?7,
        status = ?8, format = ?9, width = ?10, height = ?11, frames = ?12, headers = ?13,
        requested = ?14, responded = ?15, fetched = ?16, always_stale = ?17, failure = ?18,
        expires = ?19, color = ?20, thumb_hash = ?21
      WHERE id = ?1
      """)
    change.bind(1, old.row)
    change.bind(2, record.content?.hash)
    change.bind(3, Int64(record.byteCount))
    change.bind(4, Int64(record.content?.checksum ?? 0))
    change.bind(5, boot)
    change.bind(6, record.lastAccess.microseconds)
    change.bind(7, rank)
    record.bind(to: change, from: 8)
    try change.run()
    if old.record.isNegative != record.isNegative {
      try changeTotals {
        $0.add(-1, of: area, isNegative: old.record.isNegative)
        $0.add(1, of: area, isNegative: record.isNegative)
      }
    }
    if let content = old.record.content, content.hash != record.content?.hash {
      try releaseContent(content, in: area)
    }
  }

  /// Replaces the record of an entry; its bytes and accesses stay.
  func update(_ row: Int64, _ record: CacheRecord) throws {
    changes(record.key.indexHash)
    let change = try statement(
      """
      UPDATE entry SET status = ?2, format = ?3, width = ?4, height = ?5, frames = ?6, headers = ?7,
        requested = ?8, responded = ?9, fetched = ?10, always_stale = ?11, failure = ?12,
        expires = ?13, color = ?14, thumb_hash = ?15
      WHERE id = ?1
      """)
    change.bind(1, row)
    record.bind(to: change, from: 2)
    try change.run()
  }

  /// Deletes a row; its bytes are removed with their last record.
  func delete(_ entry: Row) throws {
    changes(entry.hash)
    // Before the row goes: it may be the one with the totals.
    try changeTotals { $0.add(-1, of: entry.area, isNegative: entry.content == nil) }
    for sql in ["DELETE FROM entry WHERE id = ?1", "DELETE FROM member WHERE entry = ?1"] {
      let deletion = try statement(sql)
      deletion.bind(1, entry.row)
      try deletion.run()
    }
    if let content = entry.content { try releaseContent(content, in: entry.area) }
  }

  /// Deletes a record.
  func delete(_ found: IndexedRecord) throws {
    let key = found.record.key
    try delete(
      Row(
        row: found.row, hash: key.indexHash, content: found.record.content, area: BlobArea(of: key))
    )
  }

  /// Whether a record, of another row than this, names these bytes.
  func isReferenced(_ hash: BlobHash, in area: BlobArea, besides row: Int64 = 0) throws -> Bool {
    let query = try statement(
      """
      SELECT 1 FROM entry WHERE substr(sha, 1, 8) = substr(?1, 1, 8) AND sha IS NOT NULL
        AND sha = ?1 AND area = ?2 AND id <> ?3 LIMIT 1
      """)
    query.bind(1, hash)
    query.bind(2, Int64(area.rawValue))
    query.bind(3, row)
    defer { query.reset() }
    return try query.step()
  }

  /// Bytes of the database's pages.
  ///
  /// - Parameter growth: Bytes about to be written. Free pages take them first.
  /// - Returns: Bytes of the file afterwards, and of the pages in use.
  func databaseByteCount(adding growth: Int) throws -> (file: Int, used: Int) {
    let pages = try statement("PRAGMA page_count")
    let count = try pages.step() ? Int(pages.integer(0)) * pageByteCount : 0
    pages.reset()
    let list = try statement("PRAGMA freelist_count")
    let free = try list.step() ? Int(list.integer(0)) * pageByteCount : 0
    list.reset()
    return (max(count, count - free + growth), count - free)
  }

  /// The totals as this transaction has them.
  func currentTotals() throws -> IndexTotals {
    if let totals { return totals.now }
    var read = try IndexTotals(try statement(IndexTotals.query))
    if read.isIncomplete {
      try statement(IndexTotals.recount).run()
      read = try IndexTotals(try statement(IndexTotals.query))
    }
    totals = (now: read, written: read)
    return read
  }

  private func changeTotals(_ change: (inout IndexTotals) -> Void) throws {
    var now = try currentTotals()
    change(&now)
    totals?.now = now
  }

  /// Has the totals read again after a recount.
  func forgetTotals() { totals = nil }

  /// Writes the totals, unless the last insertion of the transaction has.
  private func writeTotals() throws {
    guard let totals, totals.now != totals.written else { return }
    let change = try statement(IndexTotals.update)
    totals.now.bind(to: change, from: 1)
    try change.run()
    self.totals = (now: totals.now, written: totals.now)
  }

  /// Marks bytes that no record names any more for removal: record first, file later.
  private func releaseContent(_ content: CacheContent, in area: BlobArea) throws {
    guard try !isReferenced(content.hash, in: area) else { return }
    try changeTotals { $0.add(byteCount: -content.byteCount, in: area) }
    let doom = try statement("INSERT OR IGNORE INTO doomed VALUES(?1, ?2)")
    doom.bind(1, Int64(area.rawValue))
    doom.bind(2, content.hash)
    try doom.run()
    doomedCount += 1
  }

  /// Removes the mark of bytes that a record names again.
  private func spare(_ hash: BlobHash, in area: BlobArea) throws {
    guard doomedCount > 0 else { return }
    let change = try statement("DELETE FROM doomed WHERE area = ?1 AND sha = ?2")
    change.bind(1, Int64(area.rawValue))
    change.bind(2, hash)
    try change.run()
  }
}
