/// Carries over what can still be read of a damaged index.
enum IndexSalvage {
  private static let columns = """
    hash, kind, name, recipe, area, sha, byte_count, checksum, boot, status, format, width, height, \
    frames, headers, requested, responded, fetched, always_stale, failure, expires, color, \
    thumb_hash, accessed, accesses, rank
    """

  /// Copies entries, groups and small values, row by row from both ends until the damage.
  ///
  /// - Returns: How many entries came over.
  static func carry(from path: String, into database: SQLiteDatabase) throws -> Int {
    try database.execute("ATTACH '\(path.replacing("'", with: "''"))' AS old")
    defer { try? database.execute("DETACH old") }
    try database.execute("BEGIN IMMEDIATE")
    copy("entry", "id, \(columns), pins", "id", in: database)
    copy("crowd", "id, name, pinned, maximum_age", "id", in: database)
    copy("member", "crowd, entry", "crowd, entry", in: database)
    copy("state", "name, value", "name", in: database)
    copy("counter", "name, value, run", "name", in: database)
    try database.execute(
      """
      DELETE FROM member WHERE entry NOT IN (SELECT id FROM entry)
        OR crowd NOT IN (SELECT id FROM crowd);
      UPDATE entry SET pins = (SELECT count(*) FROM member JOIN crowd ON crowd.id = member.crowd
        WHERE member.entry = entry.id AND pinned = 1);
      \(recount)
      COMMIT;
      """)
    return Int(try database.integer("SELECT count(*) FROM entry"))
  }

  /// Brings the totals to what the entries say.
  static let recount = """
    UPDATE total SET
      entries = (SELECT count(*) FROM entry WHERE sha IS NOT NULL AND entry.area = total.area),
      bytes = (SELECT coalesce(sum(byte_count), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE sha IS NOT NULL AND entry.area = total.area))
      WHERE area < 2;
    UPDATE total SET entries = (SELECT count(*) FROM entry WHERE sha IS NULL) WHERE area = 2;
    """

  private static func copy(
    _ table: String, _ columns: String, _ order: String, in database: SQLiteDatabase
  ) {
    for direction in ["", " DESC"] {
      let ordered = order.split(separator: ", ").map { $0 + direction }.joined(separator: ", ")
      // The rows before the damage are in when the statement fails: it is OR FAIL, not OR ABORT.
      try? database.execute(
        """
        INSERT OR FAIL INTO main.\(table)(\(columns))
        SELECT \(columns) FROM old.\(table) ORDER BY \(ordered)
        """)
    }
  }
}
