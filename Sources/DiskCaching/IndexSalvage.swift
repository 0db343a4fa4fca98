import ImageModel

/// Salvages what can still be read of a damaged index.
enum IndexSalvage {
  /// Each table with the columns to copy; the first is its key, by which rows are ordered.
  private static let tables = [
    (
      "entry",
      """
      id, hash, kind, name, recipe, area, sha, byte_count, checksum, boot, status, format, width, \
      height, frames, headers, requested, responded, fetched, always_stale, failure, expires, color, \
      thumb_hash, accessed, accesses, rank, pins
      """
    ),
    ("crowd", "id, name, pinned, maximum_age"), ("member", "crowd, entry"),
    ("state", "name, value"), ("counter", "name, value, run"),
  ]

  /// Copies tables row by row: those with row numbers past each damage, others from both ends until
  /// the damage.
  ///
  /// - Returns: The number of entries salvaged.
  static func carry(from path: String, into database: SQLiteDatabase) throws -> Int {
    let old = try SQLiteDatabase(path: path, access: .writing)
    try database.execute("BEGIN IMMEDIATE")
    for (table, columns) in tables {
      let count = columns.split(separator: ",").count
      let places = (1...count).map { "?\($0)" }.joined(separator: ", ")
      let insertion = try database.prepare(
        "INSERT OR IGNORE INTO \(table)(\(columns)) VALUES(\(places))")
      if columns.hasPrefix("id, ") {
        try skimming(old, "SELECT \(columns) FROM \(table)", to: insertion, columns: Int32(count))
        continue
      }
      let key = columns.prefix { $0 != "," }
      for direction in ["ASC", "DESC"] {
        let rows = try? old.prepare("SELECT \(columns) FROM \(table) ORDER BY \(key) \(direction)")
        if let rows { try? copy(rows, to: insertion, columns: Int32(count)) }
      }
    }
    try database.execute(
      """
      DELETE FROM entry WHERE byte_count < 0 OR checksum NOT BETWEEN 0 AND 4294967295
        OR typeof(sha) NOT IN ('blob', 'null') OR length(sha) <> 32;
      DELETE FROM entry WHERE id NOT IN (SELECT min(id) FROM entry GROUP BY kind, name, recipe);
      DELETE FROM member WHERE entry NOT IN (SELECT id FROM entry)
        OR crowd NOT IN (SELECT id FROM crowd);
      UPDATE entry SET pins = (SELECT count(*) FROM member JOIN crowd ON crowd.id = member.crowd
        WHERE member.entry = entry.id AND pinned = 1);
      \(IndexTotals.recount);
      COMMIT;
      """)
    return Int(try database.integer("SELECT count(*) FROM entry"))
  }

  /// Copies rows in the order of their numbers; where a page is damaged it goes on behind it, in
  /// growing strides.
  private static func skimming(
    _ old: SQLiteDatabase, _ sql: String, to insertion: SQLiteStatement, columns: Int32
  ) throws {
    guard let rows = try? old.prepare(sql + " WHERE id > ?1 ORDER BY id") else { return }
    var (last, stride): (Int64, Int64) = (0, 1)
    while stride < 1 << 32 {
      rows.bind(1, last)
      do {
        while try rows.step() {
          insertion.bindRow(of: rows, columns: columns)
          if bindHash(of: rows, to: insertion) { try? insertion.run() }
          (last, stride) = (max(last, rows.integer(0)), 1)
        }
        return
      } catch {
        last += stride
        stride *= 2
      }
    }
  }

  /// Recomputes an entry's hash, which may be what was damaged.
  ///
  /// - Returns: False when the row names no key.
  private static func bindHash(of rows: SQLiteStatement, to insertion: SQLiteStatement) -> Bool {
    guard rows.columnCount > 4 else { return true }
    guard let key = CacheKey(kind: rows.integer(2), name: rows.text(3), recipe: rows.text(4))
    else { return false }
    insertion.bind(2, Int64(bitPattern: key.indexHash))
    return true
  }

  private static func copy(
    _ rows: SQLiteStatement, to insertion: SQLiteStatement, columns: Int32
  ) throws {
    while try rows.step() {
      insertion.bindRow(of: rows, columns: columns)
      // A row that violates a constraint of its table is damaged too and is skipped.
      try? insertion.run()
    }
  }
}
