import CachePolicies
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The index of versions 1 through 4, a SQLite database, and its migration.
///
/// Damaged parts are skipped; the files of entries that are lost in this way are orphans, which the
/// garbage collection removes.
enum FormerIndex {
  /// Copies everything into an index.
  static func carry(from path: String, into index: CacheIndex) throws {
    guard let database = try? SQLiteDatabase(path: path, access: .writing) else { return }
    if let version = try? database.integer("PRAGMA user_version"),
      version >= Int64(IndexMarker.version)
    {
      return
    }
    guard let open = index.readable() else { return }
    let isLocked = try lock(database)
    let writer = IndexWriter(open, of: index)
    try writer.begin()
    let groups = groups(in: database)
    for group in groups.values.sorted(by: { $0.name < $1.name }) { try writer.setGroup(group) }
    var owned: Set<UInt64> = []
    let members = try? database.prepare("SELECT crowd FROM member WHERE entry = ?1")
    try skim(database) { row, boot, record in
      var record = record
      members?.bind(1, row)
      while (try? members?.step()) == true {
        if let group = members.flatMap({ groups[$0.integer(0)] }) {
          record.groups.insert(group.name)
        }
      }
      members?.reset()
      let old = try writer.entry(for: record.key)
      let area = BlobArea(of: record.key)
      let isOwned =
        record.content.map { !owned.insert($0.hash.fileWord(in: area)).inserted } ?? false
      let count = UInt16(min(record.accessCount, 15) * 256)
      try writer.put(
        record, replacing: old, isOwned: isOwned, boot: boot,
        note: EvictionNote(asked: 0, count: count))
    }
    if let states = try? database.prepare("SELECT name, value FROM state") {
      while (try? states.step()) == true {
        let name = states.text(0)
        if !name.hasPrefix("policy") { try writer.setState(states.text(1), for: name) }
      }
    }
    if let counters = try? database.prepare("SELECT name, value FROM counter") {
      while (try? counters.step()) == true {
        if let counter = CacheCounter(rawValue: counters.text(0)) {
          writer.table.setCount(Int(counters.integer(1)), of: counter)
        }
      }
    }
    // In any mode: the database goes next.
    try writer.synchronize()
    try index.blobs.synchronizeDirectory(index.blobs.directory)
    if isLocked { close(database) }
  }

  /// Waits until no older program writes, and keeps them from it.
  ///
  /// - Returns: Whether that is so; a damaged database cannot be locked, nor written by others.
  private static func lock(_ database: SQLiteDatabase) throws -> Bool {
    do throws(SQLiteFailure) {
      try database.execute("BEGIN IMMEDIATE")
      return true
    } catch {
      if error.isDamage { return false }
      throw error
    }
  }

  /// Makes older programs that have the database open fail when they write to it. Before their next
  /// change they see that the file was replaced, and refuse the directory by name; this is for one
  /// that had looked already. A database that cannot be changed, such as a damaged one, stays.
  private static func close(_ database: SQLiteDatabase) {
    for change in ["INSERT", "UPDATE", "DELETE"] {
      try? database.execute(
        """
        CREATE TRIGGER no_\(change) BEFORE \(change) ON entry
        BEGIN SELECT RAISE(ABORT, 'the cache was brought to a newer format'); END
        """)
    }
    try? database.execute("PRAGMA user_version = \(IndexMarker.version); COMMIT")
  }

  private static func groups(in database: SQLiteDatabase) -> [Int64: GroupRecord] {
    var groups: [Int64: GroupRecord] = [:]
    guard let rows = try? database.prepare("SELECT id, name, pinned, maximum_age FROM crowd") else {
      return groups
    }
    while (try? rows.step()) == true {
      var group = GroupRecord(name: rows.text(1))
      group.isPinned = rows.integer(2) != 0
      if !rows.isNull(3) { group.maximumAge = rows.integer(3) }
      groups[rows.integer(0)] = group
    }
    return groups
  }

  /// Reads entries in the order of their rows; where a page is damaged it goes on behind it, in
  /// growing strides.
  private static func skim(
    _ database: SQLiteDatabase, _ body: (Int64, Int64, CacheRecord) throws -> Void
  ) throws {
    guard let rows = try? database.prepare(query) else { return }
    var (last, stride): (Int64, Int64) = (0, 1)
    while stride < 1 << 32 {
      rows.bind(1, last)
      do {
        while try rows.step() {
          (last, stride) = (max(last, rows.integer(23)), 1)
          guard let record = CacheRecord(rows) else { continue }
          do { try body(last, rows.integer(24), record) } catch { throw Interruption(error: error) }
        }
        return
      } catch let failure as Interruption {
        throw failure.error
      } catch {
        rows.reset()
        last += stride
        stride *= 2
      }
    }
  }

  private struct Interruption: Error { let error: any Error }

  private static let query = """
    SELECT kind, name, recipe, sha, byte_count, checksum, status, format, width, height, frames,
      headers, requested, responded, fetched, always_stale, failure, expires, color, thumb_hash,
      accessed, accesses, pins, id, boot
    FROM entry WHERE id > ?1 ORDER BY id
    """
}

extension CacheRecord {
  /// Reads a row of a former index; `nil` for a malformed one.
  fileprivate init?(_ row: SQLiteStatement) {
    guard let key = CacheKey(kind: row.integer(0), name: row.text(1), recipe: row.text(2)),
      !key.isEmpty
    else { return nil }
    self.init(key: key, at: Date(microseconds: row.integer(14)))
    if !row.isNull(3) {
      guard let hash = row.hash(3), let checksum = UInt32(exactly: row.integer(5)),
        TableEntry.byteCounts.contains(row.integer(4))
      else { return nil }
      content = CacheContent(hash: hash, byteCount: Int(row.integer(4)), checksum: checksum)
    }
    status = Int(row.integer(6))
    if !row.isNull(7) { format = ImageFormat(rawValue: row.text(7)) }
    if !row.isNull(8) {
      size = PixelSize(width: Int(row.integer(8)), height: Int(row.integer(9)))
    }
    frameCount = Int(row.integer(10))
    headers = HeaderText(text: row.text(11))
    requestTime = Date(microseconds: row.integer(12))
    responseTime = Date(microseconds: row.integer(13))
    isAlwaysStale = row.integer(15) != 0
    if !row.isNull(16) { failure = ImageError.Code(rawValue: row.text(16)) }
    if !row.isNull(17) { expires = Date(microseconds: row.integer(17)) }
    if !row.isNull(18) { dominantColor = UInt32(truncatingIfNeeded: row.integer(18)) }
    thumbHash = row.blob(19)
    lastAccess = Date(microseconds: row.integer(20))
    accessCount = max(0, Int(row.integer(21)))
  }
}
