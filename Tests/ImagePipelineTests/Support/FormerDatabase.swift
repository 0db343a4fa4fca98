import Foundation

@testable import DiskCaching
@testable import ImageModel

/// An index as versions 1 through 4 of the program made it: a SQLite database.
struct FormerDatabase {
  let path: String
  let version: Int

  /// Makes the database, in a directory that exists, and a file for each content.
  ///
  /// - Parameter entries: Records and their bytes; none for negative entries.
  func write(
    _ entries: [(record: CacheRecord, bytes: [UInt8])], in directory: String,
    pinned: Set<String> = [], states: [String: String] = [:]
  ) throws {
    let database = try SQLiteDatabase(path: path, access: .creating)
    try database.execute("PRAGMA page_size = 2048; PRAGMA journal_mode = WAL")
    try database.execute("BEGIN IMMEDIATE; \(Self.schema(version))")
    let insertion = try database.prepare(
      """
      INSERT INTO entry(hash, kind, name, recipe, area, sha, byte_count, checksum, boot, accessed,
        accesses, rank, pins, status, format, width, height, frames, headers, requested, responded,
        fetched, always_stale, failure, expires, color, thumb_hash)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10, 0, 0, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
        ?18, ?19, ?20, ?21, ?22, ?23, ?24)
      """)
    let member = try database.prepare("INSERT INTO member VALUES(?1, ?2)")
    var groups: [String: Int64] = [:]
    for (record, bytes) in entries {
      let content =
        bytes.isEmpty ? nil : bytes.withUnsafeBytes { CacheContent(of: $0) }
      let area = BlobArea(of: record.key)
      insertion.bind(1, Int64(bitPattern: record.key.indexHash))
      insertion.bind(2, Int64(record.key.kind.rawValue))
      insertion.bind(3, record.key.name)
      insertion.bind(4, record.key.recipe)
      insertion.bind(5, Int64(area.rawValue))
      insertion.bind(6, content?.hash)
      insertion.bind(7, Int64(bytes.count))
      insertion.bind(8, Int64(content?.checksum ?? 0))
      insertion.bind(9, record.lastAccess.microseconds)
      insertion.bind(10, Int64(record.accessCount))
      insertion.bind(11, Int64(record.status))
      insertion.bind(12, record.format?.rawValue)
      insertion.bind(13, record.size.map { Int64($0.width) })
      insertion.bind(14, record.size.map { Int64($0.height) })
      insertion.bind(15, Int64(record.frameCount))
      insertion.bind(16, record.headers.text)
      insertion.bind(17, record.requestTime.microseconds)
      insertion.bind(18, record.responseTime.microseconds)
      insertion.bind(19, record.fetchedAt.microseconds)
      insertion.bind(20, Int64(record.isAlwaysStale ? 1 : 0))
      insertion.bind(21, record.failure?.rawValue)
      insertion.bind(22, record.expires?.microseconds)
      insertion.bind(23, record.dominantColor.map { Int64($0) })
      insertion.bind(24, record.thumbHash)
      try insertion.run()
      let row = database.lastInsertedRow
      for group in record.groups {
        if groups[group] == nil {
          let crowd = try database.prepare("INSERT INTO crowd(name, pinned) VALUES(?1, ?2)")
          crowd.bind(1, group)
          crowd.bind(2, Int64(pinned.contains(group) ? 1 : 0))
          try crowd.run()
          groups[group] = database.lastInsertedRow
        }
        member.bind(1, groups[group])
        member.bind(2, row)
        try member.run()
      }
      if let content {
        let hex = content.hash.hex
        let folder = "\(directory)/\(area.folder)/\(hex.prefix(2))"
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(hex)"))
      }
    }
    for (name, value) in states {
      let state = try database.prepare("INSERT INTO state VALUES(?1, ?2)")
      state.bind(1, name)
      state.bind(2, value)
      try state.run()
    }
    try database.execute("INSERT INTO counter VALUES('stores', 41, 1); COMMIT")
  }

  private static func schema(_ version: Int) -> String {
    let totals =
      switch version {
      case 1, 2: ""
      case 3:
        ", pictures INTEGER, picture_bytes INTEGER, documents INTEGER, document_bytes INTEGER, "
          + "negatives INTEGER"
      default:
        ", pictures INTEGER, picture_bytes INTEGER, documents INTEGER, document_bytes INTEGER, "
          + "negatives INTEGER, picture_room INTEGER, document_room INTEGER"
      }
    return """
      CREATE TABLE entry(
        id INTEGER PRIMARY KEY,
        hash INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, recipe TEXT NOT NULL,
        area INTEGER NOT NULL, sha BLOB, byte_count INTEGER NOT NULL, checksum INTEGER NOT NULL,
        boot INTEGER NOT NULL,
        status INTEGER NOT NULL, format TEXT, width INTEGER, height INTEGER,
        frames INTEGER NOT NULL, headers TEXT NOT NULL,
        requested INTEGER NOT NULL, responded INTEGER NOT NULL, fetched INTEGER NOT NULL,
        always_stale INTEGER NOT NULL, failure TEXT, expires INTEGER,
        color INTEGER, thumb_hash BLOB,
        accessed INTEGER NOT NULL, accesses INTEGER NOT NULL, rank REAL NOT NULL,
        pins INTEGER NOT NULL\(totals));
      CREATE INDEX entry_hash ON entry(hash);
      CREATE TABLE crowd(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
        pinned INTEGER NOT NULL DEFAULT 0, maximum_age INTEGER);
      CREATE TABLE member(
        crowd INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY(crowd, entry)) WITHOUT ROWID;
      CREATE TABLE counter(
        name TEXT PRIMARY KEY, value INTEGER NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE state(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      PRAGMA user_version = \(version);
      """
  }
}
