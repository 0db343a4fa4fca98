/// The index's files as they are at one moment.
///
/// Where the directory cannot be written to no lock can be taken, so these are compared before and
/// after a read: as long as they are the same, nothing was written in between.
struct IndexFiles: Sendable, Hashable {
  /// SQLite's names for what belongs to a database.
  static let suffixes = ["", "-wal", "-shm", "-journal"]

  private let facts: [FileFacts?]

  /// Looks at the files.
  ///
  /// - Throws: A failure for what is neither absent nor a regular file: SQLite would follow a link,
  ///   and block on a FIFO for ever.
  init(of path: String, in files: any FileSystem) throws(FileSystemFailure) {
    var all: [FileFacts?] = []
    for suffix in Self.suffixes {
      let facts = try files.facts(at: path + suffix)
      if let facts, !facts.isRegular { throw FileSystemFailure.irregular(path + suffix) }
      all.append(facts)
    }
    facts = all
  }

  /// Whether there is a database.
  var exist: Bool { facts[0] != nil }

  /// The inode of the database; 0 where there is none.
  var identity: UInt64 { facts[0]?.identity ?? 0 }

  /// Whether a connection opened on these files may go on reading `others`: nothing has changed, or
  /// the log's own rules keep it consistent.
  func stillServes(_ others: IndexFiles) -> Bool {
    self == others
      || access == .reading && others.access == .reading && identity == others.identity
  }

  /// Bytes of the write-ahead log.
  var logByteCount: Int { facts[1]?.byteCount ?? 0 }

  /// Bytes of all of them.
  var byteCount: Int { facts.reduce(0) { $0 + ($1?.byteCount ?? 0) } }

  /// How the database can be read without writing: with an empty log there is nothing to share.
  var access: SQLiteDatabase.Access { logByteCount == 0 ? .readingUnchanged : .reading }
}
