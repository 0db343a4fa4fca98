/// The tables of the index, `index.sqlite`.
///
/// Times are microseconds since 1970, hashes 32 bytes. Totals are kept by the writer in the
/// transaction that changes them, so that the limit is exact without a count (``IndexTotals``).
enum IndexSchema {
  /// The `user_version`. Version 0 is a file that was never finished.
  static let version: Int64 = 4

  /// What brings an older index to the next version, by the version it has.
  static let migrations: [Int64: String] = [
    // 1 → 2: the index of ages is made only where a maximum age is set.
    1: "DROP INDEX IF EXISTS entry_age",
    // 2 → 3: totals move into the last row, and hashes are found by their first bytes.
    2: """
    ALTER TABLE entry ADD COLUMN pictures INTEGER;
    ALTER TABLE entry ADD COLUMN picture_bytes INTEGER;
    ALTER TABLE entry ADD COLUMN documents INTEGER;
    ALTER TABLE entry ADD COLUMN document_bytes INTEGER;
    ALTER TABLE entry ADD COLUMN negatives INTEGER;
    DROP TABLE total;
    DROP INDEX entry_sha;
    \(blobIndex);
    """,
    // 3 → 4: files count in whole blocks; the recount fills all totals in.
    3: """
    ALTER TABLE entry ADD COLUMN picture_room INTEGER;
    ALTER TABLE entry ADD COLUMN document_room INTEGER;
    \(IndexTotals.recount);
    """,
  ]

  /// Eight bytes of a hash find it as well as thirty-two do, in a third of the pages.
  private static let blobIndex =
    "CREATE INDEX entry_sha ON entry(substr(sha, 1, 8)) WHERE sha IS NOT NULL"

  /// Before ``creation``: most pages that a store writes hold one new row, so smaller ones cost it
  /// less.
  static let layout = "PRAGMA page_size = 2048; PRAGMA journal_mode = WAL"

  /// Makes all tables in an empty file.
  static let creation = """
    CREATE TABLE entry(
      id INTEGER PRIMARY KEY,
      hash INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, recipe TEXT NOT NULL,
      area INTEGER NOT NULL, sha BLOB, byte_count INTEGER NOT NULL, checksum INTEGER NOT NULL,
      boot INTEGER NOT NULL,
      status INTEGER NOT NULL, format TEXT, width INTEGER, height INTEGER, frames INTEGER NOT NULL,
      headers TEXT NOT NULL,
      requested INTEGER NOT NULL, responded INTEGER NOT NULL, fetched INTEGER NOT NULL,
      always_stale INTEGER NOT NULL, failure TEXT, expires INTEGER,
      color INTEGER, thumb_hash BLOB,
      accessed INTEGER NOT NULL, accesses INTEGER NOT NULL, rank REAL NOT NULL,
      pins INTEGER NOT NULL,
      pictures INTEGER, picture_bytes INTEGER, documents INTEGER, document_bytes INTEGER,
      negatives INTEGER, picture_room INTEGER, document_room INTEGER);
    CREATE INDEX entry_hash ON entry(hash);
    \(blobIndex);
    CREATE INDEX entry_rank ON entry(area, rank) WHERE pins = 0 AND sha IS NOT NULL;
    CREATE INDEX entry_expiry ON entry(expires) WHERE expires IS NOT NULL;
    CREATE TABLE crowd(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      pinned INTEGER NOT NULL DEFAULT 0, maximum_age INTEGER);
    CREATE TABLE member(
      crowd INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY(crowd, entry)) WITHOUT ROWID;
    CREATE INDEX member_entry ON member(entry);
    CREATE TABLE doomed(
      area INTEGER NOT NULL, sha BLOB NOT NULL, PRIMARY KEY(area, sha)) WITHOUT ROWID;
    CREATE TABLE counter(
      name TEXT PRIMARY KEY, value INTEGER NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ghost(hash INTEGER PRIMARY KEY, accesses INTEGER NOT NULL);
    CREATE TABLE state(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    PRAGMA user_version = \(version);
    """

  /// The columns of a record, in the order that ``CacheRecord`` reads them.
  static let recordColumns = """
    kind, name, recipe, sha, byte_count, checksum, status, format, width, height, frames, headers, \
    requested, responded, fetched, always_stale, failure, expires, color, thumb_hash, \
    accessed, accesses, pins, id, boot
    """
}
