import ImageModel
import Synchronization

/// The index file and its connections: one that writes, behind a lock, and a few that read beside
/// it.
///
/// A damaged index is replaced, and what can be read of it is salvaged, without manual repair.
final class CacheIndex: Sendable {
  /// What may be done with the files.
  enum Mode: Sendable {
    /// Everything.
    case writing
    /// Look-ups; no file is created or changed.
    case reading
    /// Nothing: there is not an index, and none is created.
    case absent
  }

  let path: String
  let mode: Mode
  private let blobs: BlobStore
  private var files: any FileSystem { blobs.files }
  private let durability: DiskCache.Durability
  private let log: @Sendable (String) -> Void
  private let writer = Locked<IndexWriter?>(nil)
  private let queue = Locked<[PendingWrite]>([])
  private let front = Locked(RecordFront())
  private let generations = Locked<IndexGenerations?>(nil)
  private let readers: [Locked<IndexReader?>]
  private let turn = Atomic<Int>(0)
  /// The inode that the connections are open on; another one at the path means that the file was
  /// replaced or removed.
  private let identity = Atomic<UInt64>(0)
  /// Bytes of the write-ahead log beyond which it is truncated.
  private let maximumLogByteCount = Atomic<Int>(DiskBudget(maximumByteCount: .max).logByteCount)
  /// Transactions of this instance.
  private let transactionCount = Atomic<Int>(0)

  /// Opens the index of a directory, which exists; creates the index where the mode allows that.
  init(
    of blobs: BlobStore, durability: DiskCache.Durability, mode: Mode = .writing,
    log: @escaping @Sendable (String) -> Void
  ) throws(ImageError) {
    path = blobs.directory + "/index.sqlite"
    self.mode = mode
    self.blobs = blobs
    self.durability = durability
    self.log = log
    readers = (0..<2).map { _ in Locked<IndexReader?>(nil) }
    do {
      switch mode {
      case .writing: try open()
      case .reading: try checkReadable()
      case .absent: break
      }
    } catch {
      throw Self.translate(error)
    }
  }

  /// Sets the size beyond which the write-ahead log is truncated. Applies to connections opened
  /// later.
  func setMaximumLogByteCount(_ count: Int) {
    maximumLogByteCount.store(count, ordering: .relaxed)
  }

  /// Bytes of the index's files.
  var byteCount: Int {
    let words = try? files.facts(at: generationsPath)
    return ((try? IndexFiles(of: path, in: files))?.byteCount ?? 0) + (words?.byteCount ?? 0)
  }

  /// Bytes of the database, without its log.
  var databaseByteCount: Int {
    read {
      Int(
        try $0.database.integer("PRAGMA page_count") * $0.database.integer("PRAGMA page_size"))
    } ?? 0
  }

  /// Runs changes that are all committed or all rolled back, in one process at a time.
  ///
  /// Changes of several threads share a transaction: the thread that gets the lock also runs those
  /// that wait.
  ///
  /// - Throws: What `body` throws, or the index's failure as an ``ImageError``.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (IndexWriter) throws -> Result
  ) throws(ImageError) -> Result {
    guard mode == .writing else {
      throw ImageError(
        .cacheUnusable,
        mode == .absent
          ? "no cache in \(blobs.directory)"
          : "the cache directory \(blobs.directory) is not writable")
    }
    do {
      return try attempt(body)
    } catch let failure as SQLiteFailure where failure.isDamage {
      do {
        try replaceDamaged(failure)
        return try attempt(body)
      } catch {
        throw Self.translate(error)
      }
    } catch {
      throw Self.translate(error)
    }
  }

  private func attempt<Result: Sendable>(
    _ body: @escaping @Sendable (IndexWriter) throws -> Result
  ) throws -> Result {
    let result = Locked<Result?>(nil)
    let change = PendingWrite { writer in
      let value = try body(writer)
      result.withLock { $0 = value }
    }
    try reopenIfReplaced()
    queue.withLock { $0.append(change) }
    writer.withLock { writer in
      if change.isDecided { return }
      let batch = queue.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      do {
        if writer == nil {
          try checkFiles()
          writer = try IndexWriter(
            path: path, durability: durability,
            logByteCount: maximumLogByteCount.load(ordering: .relaxed))
        }
        try writer?.run(batch, generations: generations.withLock { $0 })
        boundLog(writer)
      } catch {
        writer = nil
        for change in batch { change.finish(error) }
      }
    }
    if let error = change.error { throw error }
    if let value = result.withLock({ $0 }) { return value }
    throw SQLiteFailure(code: 0, message: "a change was not made")
  }

  /// Truncates the write-ahead log where readers kept it from being restarted.
  private func boundLog(_ writer: IndexWriter?) {
    guard transactionCount.add(1, ordering: .relaxed).oldValue & 15 == 0,
      let log = try? files.facts(at: path + "-wal"),
      log.byteCount > maximumLogByteCount.load(ordering: .relaxed)
    else { return }
    writer?.database.truncateLog()
  }

  /// Returns the record of a key, from memory if it is still valid there.
  func record(for key: CacheKey, hash: UInt64) -> RecordFront.Entry? {
    entries(like: key, hash: hash).first { $0.found.record.key == key }
  }

  /// Returns the entries under a key's hash, from memory if they are still valid there: variations
  /// of the key, and on a collision others.
  func entries(like key: CacheKey, hash: UInt64) -> [RecordFront.Entry] {
    let slot = IndexGenerations.slot(of: hash)
    let words = generations.withLock { $0 }
    let generation = words?.generation(of: slot)
    if let generation,
      let answer = front.withLock({ $0.answer(hash, generation: generation) })
    {
      return answer.entries
    }
    guard let records = read({ try $0.records(like: key, hash: hash) }) else { return [] }
    let entries = records.map { found in
      let area = BlobArea(of: found.record.key)
      let path = found.record.content.map { blobs.path(of: $0.hash, in: area) } ?? ""
      return RecordFront.Entry(found: found, path: path)
    }
    if let generation, words?.generation(of: slot) == generation {
      let answer = RecordFront.Answer(entries: entries, generation: generation)
      front.withLock { $0.insert(answer, for: hash) }
    }
    return entries
  }

  /// Runs a look-up beside the writer; `nil` when the index cannot be read.
  func read<Result: Sendable>(_ body: @Sendable (IndexReader) throws -> Result) -> Result? {
    switch mode {
    case .writing: break
    case .reading: return readUnchanged(body)
    case .absent: return nil
    }
    let first = turn.add(1, ordering: .relaxed).oldValue
    let reader = readers[first & (readers.count - 1)]
    do {
      return try reader.withLock { reader in
        if reader == nil {
          try checkFiles()
          reader = try IndexReader(path: path)
        }
        guard let open = reader else { return nil }
        do {
          return try body(open)
        } catch {
          reader = nil
          throw error
        }
      }
    } catch let failure as SQLiteFailure where failure.isDamage {
      try? replaceDamaged(failure)
      return nil
    } catch {
      log("the cache's index cannot be read: \(Self.translate(error).message)")
      return nil
    }
  }

  /// Runs a look-up where nothing may be written, again if a file changed meanwhile.
  private func readUnchanged<Result: Sendable>(
    _ body: @Sendable (IndexReader) throws -> Result
  ) -> Result? {
    do {
      for _ in 0..<8 {
        let before = try IndexFiles(of: path, in: files)
        guard before.exist else { return nil }
        let result = Swift.Result {
          try readers[0].withLock { reader in
            if reader?.files?.stillServes(before) != true { reader = nil }
            let open = try reader ?? IndexReader(path: path, files: before)
            reader = open
            return try body(open)
          }
        }
        // A log in use keeps its readers consistent by itself.
        if before.access == .reading { return try result.get() }
        if try IndexFiles(of: path, in: files) == before { return try result.get() }
      }
      throw ImageError(
        .cacheUnusable, "the cache's index is being written to without pause; try again")
    } catch {
      log("the cache's index cannot be read: \(Self.translate(error).message)")
      return nil
    }
  }

  /// Rewrites the index without its free pages when more than a quarter is free, or when it is
  /// larger than `maximumByteCount`; readers are not blocked.
  func compact(to maximumByteCount: Int = .max) {
    let failure = writer.withLock { writer -> String? in
      do throws(SQLiteFailure) {
        guard let database = writer?.database else { return nil }
        let free = try database.integer("PRAGMA freelist_count")
        let count = try database.integer("PRAGMA page_count")
        let size = count * (try database.integer("PRAGMA page_size"))
        if free * 4 > count || size > maximumByteCount { try database.execute("VACUUM") }
        database.truncateLog()
        return nil
      } catch {
        return error.message
      }
    }
    if let failure { log("the cache's index was not compacted: \(failure)") }
  }

  /// Whether anything was written by this instance.
  var hasWriter: Bool { writer.withLock { $0 != nil } }

  /// Checkpoints the write-ahead log and closes the connections.
  func close() {
    writer.withLock { $0 = nil }
    for reader in readers { reader.withLock { $0 = nil } }
  }

  // MARK: Opening

  private func reopenIfReplaced() throws {
    let current = try files.facts(at: path)?.identity
    if current == identity.load(ordering: .relaxed) { return }
    close()
    if current == nil { try blobs.prepare() }
    try open()
  }

  private func open() throws {
    try openOrCreate()
    try checkGenerations()
    let words = IndexGenerations(path: generationsPath, files: files)
    generations.withLock { $0 = words }
    front.withLock { $0.removeAll() }
    identity.store(try files.facts(at: path)?.identity ?? 0, ordering: .relaxed)
  }

  private var generationsPath: String { blobs.directory + "/index.generations" }

  /// Refuses a link or a FIFO in place of the shared words: processes without them would miss the
  /// changes of those that have them.
  private func checkGenerations() throws(FileSystemFailure) {
    if let facts = try files.facts(at: generationsPath), !facts.isRegular {
      throw FileSystemFailure.irregular(generationsPath)
    }
  }

  /// Refuses a link or a FIFO in place of a file that SQLite would open.
  private func checkFiles() throws(FileSystemFailure) {
    do throws(FileSystemFailure) {
      _ = try IndexFiles(of: path, in: files)
    } catch  where !error.isIrregular {
      // SQLite reports other failures itself.
    }
  }

  private func openOrCreate() throws {
    let found = try IndexFiles(of: path, in: files)
    identity.store(found.identity, ordering: .relaxed)
    do {
      if found.exist, try readVersion() == IndexSchema.version { return }
    } catch let failure as SQLiteFailure where failure.isDamage {
      return try replaceDamaged(failure)
    }
    try alone {
      // SQLite would take a log without its database for that of the new one.
      if try files.facts(at: path) == nil { try removeLog() }
      try checkFiles()
      let database = try SQLiteDatabase(path: path, access: .creating)
      switch try database.integer("PRAGMA user_version") {
      case IndexSchema.version: return
      case 0: try Self.create(in: database)
      case let version: try Self.migrate(database, from: version)
      }
    }
  }

  /// The version of an index that exists.
  ///
  /// - Throws: `cacheUnusable` when a newer program created it.
  private func readVersion() throws -> Int64 {
    try readers[0].withLock { reader in
      let files = mode == .reading ? try IndexFiles(of: path, in: files) : nil
      let database = try SQLiteDatabase(path: path, access: files?.access ?? .writing)
      let version = try database.integer("PRAGMA user_version")
      if version > IndexSchema.version {
        throw ImageError(
          .cacheUnusable,
          """
          the cache in \(path) has format \(version), made by a newer version; this one knows up to \
          \(IndexSchema.version): update imgcache or use another \
          DiskCache.Configuration.directory
          """)
      }
      if version == IndexSchema.version { reader = try IndexReader(path: path, files: files) }
      return version
    }
  }

  /// Checks whether an index that may not be written to can be read.
  private func checkReadable() throws {
    try checkGenerations()
    let version = try readVersion()
    guard version < IndexSchema.version else { return }
    throw ImageError(
      .cacheUnusable,
      """
      the cache in \(blobs.directory) has format \(version), and without write permission it cannot be \
      brought to format \(IndexSchema.version); open it once as its owner
      """)
  }

  private static func create(in database: SQLiteDatabase) throws {
    try database.execute(IndexSchema.layout)
    try database.execute("BEGIN IMMEDIATE")
    try database.execute(IndexSchema.creation)
    try database.execute("COMMIT")
  }

  /// Migrates an index of an older version, step by step, all or nothing.
  private static func migrate(_ database: SQLiteDatabase, from version: Int64) throws {
    try database.execute("BEGIN IMMEDIATE")
    for step in version..<IndexSchema.version {
      guard let migration = IndexSchema.migrations[step] else { continue }
      try database.execute(migration)
    }
    try database.execute("PRAGMA user_version = \(IndexSchema.version); COMMIT")
  }

  /// Renames a damaged index and creates a new one with what can be salvaged.
  private func replaceDamaged(_ failure: SQLiteFailure) throws {
    guard mode == .writing else { throw failure }
    let seen = identity.load(ordering: .relaxed)
    try alone {
      close()
      let current = try files.facts(at: path)?.identity
      if current != seen, current != nil { return }  // Another process has replaced it.
      let aside = path + ".damaged"
      for suffix in ["-wal", "-shm"] { try? files.remove(aside + suffix) }
      if try files.facts(at: path) != nil { try files.rename(path, to: aside) }
      // The log goes with the damaged file: SQLite reads its intact part.
      if try files.facts(at: path + "-wal") != nil {
        try files.rename(path + "-wal", to: aside + "-wal")
      }
      try removeLog()
      let database = try SQLiteDatabase(path: path, access: .creating)
      try Self.create(in: database)
      let kept = (try? IndexSalvage.carry(from: aside, into: database)) ?? 0
      for suffix in ["", "-wal", "-shm"] { try? files.remove(aside + suffix) }
      identity.store(try files.facts(at: path)?.identity ?? 0, ordering: .relaxed)
      front.withLock { $0.removeAll() }
      if let words = generations.withLock({ $0 }) {
        words.begin([0])
        words.end([0])
      }
      log("the cache's index was damaged (\(failure.message)); \(kept) entries were carried over")
    }
  }

  private func removeLog() throws {
    for suffix in ["-wal", "-shm"] { try files.remove(path + suffix) }
  }

  /// Returns what is wrong with the index, its contents compared with its own indexes; `nil` when
  /// nothing is.
  func fault() -> String? {
    if mode == .absent { return nil }
    return read { reader -> String? in
      let statement = try reader.database.prepare("PRAGMA integrity_check(1)")
      guard try statement.step() else { return "it cannot be checked" }
      return statement.text(0) == "ok" ? nil : statement.text(0)
    } ?? "it cannot be read"
  }

  /// Creates a new index with what can be salvaged.
  func rebuild(_ reason: String) throws(ImageError) {
    do {
      try replaceDamaged(SQLiteFailure(code: 0, message: reason))
    } catch {
      throw Self.translate(error)
    }
  }

  /// Runs a body while no other process creates, migrates or replaces the index.
  private func alone(_ body: () throws -> Void) throws {
    let path = path + ".lock"
    let file: Int32
    do {
      file = try files.open(path, forWriting: true)
    } catch {
      file = (try? files.create(path, mode: 0o644)) ?? -1
      if file < 0 { return try alone(opening: path, body) }
    }
    defer { files.close(file) }
    try files.lock(file)
    try body()
  }

  private func alone(opening path: String, _ body: () throws -> Void) throws {
    let file = try files.open(path, forWriting: true)
    defer { files.close(file) }
    try files.lock(file)
    try body()
  }

  // MARK: Failures

  static func translate(_ error: any Error) -> ImageError {
    switch error {
    case let error as ImageError: return error
    case let failure as FileSystemFailure: return failure.error
    case let failure as SQLiteFailure:
      if failure.isFull {
        return ImageError(.diskFull, ImageError.diskFullMessage(failure.message), cause: failure)
      }
      if failure.isAccess || failure.isCorruption {
        return ImageError(
          .cacheUnusable, "the cache's index cannot be used: \(failure.message)", cause: failure)
      }
      return ImageError(
        .storeFailed, "the cache's index refused a change: \(failure.message)", cause: failure)
    default:
      return ImageError(.storeFailed, "the cache could not store it: \(error)", cause: error)
    }
  }
}
