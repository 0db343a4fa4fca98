import ImageModel

/// One connection that looks things up; it never waits for a writer.
final class IndexReader {
  let database: SQLiteDatabase
  /// The files as they were when this was opened; only compared where nothing may be written.
  let files: IndexFiles?
  private let lookup: SQLiteStatement
  private var membership: SQLiteStatement?

  init(path: String, files: IndexFiles? = nil) throws {
    self.files = files
    database = try SQLiteDatabase(path: path, access: files?.access ?? .writing)
    // Used only as far as the index is large: look-ups among a million entries meet many pages.
    try database.execute("PRAGMA cache_size = -16000")
    lookup = try database.prepare(
      "SELECT \(IndexSchema.recordColumns) FROM entry WHERE hash = ?1")
  }

  /// The record of a key.
  func record(for key: CacheKey, hash: UInt64) throws -> IndexedRecord? {
    try lookup.record(for: key, hash: hash)
  }

  /// All records under a key's hash.
  func records(like key: CacheKey, hash: UInt64) throws -> [IndexedRecord] {
    try lookup.records(like: key, hash: hash)
  }

  /// Entries of a selection with a row above `row`, at most `count`, in the order of rows, with
  /// their groups.
  func page(
    of selection: EntrySelection, after row: Int64, count: Int
  ) throws -> [IndexedRecord] {
    var conditions = ["id > ?1"]
    if selection.group != nil {
      conditions.append(
        "id IN (SELECT entry FROM member WHERE crowd = (SELECT id FROM crowd WHERE name = ?2))")
    }
    if let kind = selection.kind { conditions.append("kind = \(kind.rawValue)") }
    if let before = selection.before { conditions.append("responded < \(before.microseconds)") }
    let statement = try database.prepare(
      """
      SELECT \(IndexSchema.recordColumns) FROM entry WHERE \(conditions.joined(separator: " AND ")) \
      ORDER BY id LIMIT \(count)
      """)
    statement.bind(1, row)
    if let group = selection.group { statement.bind(2, group) }

    var found: [IndexedRecord] = []
    while try statement.step() {
      if let record = IndexedRecord(statement) { found.append(record) }
    }
    let groups = try groupQuery()
    for index in found.indices {
      groups.bind(1, found[index].row)
      while try groups.step() { found[index].record.groups.insert(groups.text(0)) }
    }
    return found
  }

  /// The groups that an entry is in.
  func groups(of key: CacheKey) throws -> Set<String> {
    guard let found = try record(for: key, hash: key.indexHash) else { return [] }
    let query = try groupQuery()
    query.bind(1, found.row)
    var groups: Set<String> = []
    while try query.step() { groups.insert(query.text(0)) }
    return groups
  }

  private func groupQuery() throws -> SQLiteStatement {
    try database.prepare(
      "SELECT name FROM crowd JOIN member ON crowd.id = member.crowd WHERE member.entry = ?1")
  }

  /// Whether an entry is absent or in a group already.
  func isMember(_ key: CacheKey, of group: String) throws -> Bool {
    guard let found = try record(for: key, hash: key.indexHash) else { return true }
    if membership == nil {
      membership = try database.prepare(
        """
        SELECT 1 FROM member WHERE crowd = (SELECT id FROM crowd WHERE name = ?1) AND entry = ?2
        """)
    }
    guard let membership else { return false }
    membership.bind(1, group)
    membership.bind(2, found.row)
    defer { membership.reset() }
    return try membership.step()
  }

  /// The names of all groups.
  func groups() throws -> [String] {
    let statement = try database.prepare("SELECT name FROM crowd ORDER BY name")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  /// Small values whose names begin with `prefix`.
  func states(withPrefix prefix: String) throws -> [String: String] {
    let statement = try database.prepare(
      "SELECT name, value FROM state WHERE name >= ?1 AND name <= ?2")
    statement.bind(1, prefix)
    // No name with the prefix is greater, and no row beyond them is read.
    statement.bind(2, prefix + "\u{10FFFF}")
    var values: [String: String] = [:]
    while try statement.step() {
      let name = statement.text(0)
      if name.hasPrefix(prefix) { values[name] = statement.text(1) }
    }
    return values
  }

  /// A small value.
  func state(_ name: String) throws -> String? {
    let statement = try database.prepare("SELECT value FROM state WHERE name = ?1")
    statement.bind(1, name)
    return try statement.step() ? statement.text(0) : nil
  }

  /// How much there is.
  func totals() throws -> IndexTotals { try IndexTotals(try database.prepare(IndexTotals.query)) }

  /// What the totals and counters say.
  func statistics() throws -> CacheStatistics {
    var statistics = CacheStatistics()
    let totals = try totals()
    statistics.entryCount = totals.imageCount
    statistics.byteCount = totals.imageByteCount
    statistics.documentCount = totals.documentCount
    statistics.documentByteCount = totals.documentByteCount
    statistics.negativeCount = totals.negativeCount
    statistics.countedByteCount = totals.countedImageByteCount
    statistics.pinnedCount = Int(
      try database.integer(
        """
        SELECT count(DISTINCT entry) FROM member
        WHERE crowd IN (SELECT id FROM crowd WHERE pinned = 1)
        """))
    let counters = try database.prepare("SELECT name, value, run FROM counter")
    while try counters.step() {
      guard let counter = CacheCounter(rawValue: counters.text(0)) else { continue }
      statistics.total[counter] = Int(counters.integer(1))
      if counters.integer(2) > 0 { statistics.lastRun[counter] = Int(counters.integer(2)) }
    }
    return statistics
  }
}

extension SQLiteStatement {
  /// Runs a look-up by hash and returns all it finds.
  func records(like key: CacheKey, hash: UInt64) throws -> [IndexedRecord] {
    bind(1, Int64(bitPattern: hash))
    defer { reset() }
    var found: [IndexedRecord] = []
    while try step() {
      let isKey =
        integer(0) == key.kind.rawValue && column(1, is: key.name) && column(2, is: key.recipe)
      if let record = isKey ? IndexedRecord(self, key: key) : IndexedRecord(self) {
        found.append(record)
      }
    }
    return found
  }

  /// Runs a look-up by hash and compares the key's columns.
  func record(for key: CacheKey, hash: UInt64) throws -> IndexedRecord? {
    bind(1, Int64(bitPattern: hash))
    defer { reset() }
    while try step() {
      guard integer(0) == key.kind.rawValue, column(1, is: key.name), column(2, is: key.recipe)
      else { continue }
      // A row that makes no sense was damaged; the next store put a good one beside it.
      if let record = IndexedRecord(self, key: key) { return record }
    }
    return nil
  }
}
