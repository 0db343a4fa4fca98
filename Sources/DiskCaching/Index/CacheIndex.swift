import ImageModel
import Synchronization

/// The index of a directory: an ``EntryTable`` that all processes map, made from a ``RecordLog``.
///
/// Look-ups take no lock. Changes are made under a lock of the file `index.lock`, by one process at
/// a time. A table that is missing, damaged or older than the machine's last start is made again
/// from the log, without manual repair.
final class CacheIndex: Sendable {
  enum Mode: Sendable {
    case writing
    /// Look-ups; no file is created or changed.
    case reading
    /// Nothing: there is not an index, and none is created.
    case absent
  }

  final class Files: Sendable {
    let table: EntryTable
    let log: RecordLog
    /// Records that were read recently, by their numbers: a record never changes.
    let recent: Locked<RecentEntries<StoredRecord>>

    /// Records keep their numbers where the former table is the same but for its size.
    init(table: EntryTable, log: RecordLog, after former: Files?) {
      self.table = table
      self.log = log
      let isSame = former?.table.identity == table.identity
      recent =
        (isSame ? former?.recent : nil)
        ?? Locked(
          RecentEntries(count: StoredRecord.maximumRecentCount, attemptsPerReplacement: 4))
    }
  }

  /// Bytes that a log may have, by the width of its field in ``TableEntry``.
  static let maximumLogByteCount = 0xFFFF_FFFF << 4

  let mode: Mode
  let blobs: BlobStore
  let files: any FileSystem
  let stageHook: (@Sendable (StoreStage) -> Void)?
  let log: @Sendable (String) -> Void
  private let current = Locked<Files?>(nil)
  private let queue = Locked<[PendingWrite]>([])
  let knownContents = Locked<[BlobArea: Contents]>([:])
  /// The states that were read last, by the numbers of their records, and the table they are of.
  let knownStates = Locked<(table: UInt64, records: [UInt64: StateRecord])>((0, [:]))
  private let lock: Locked<IndexLock>
  private let lastLook = Locked<ContinuousClock.Instant?>(nil)
  /// Whether a record was found damaged, so that the next change begins with a rebuilt table.
  let isDamaged = Atomic<Bool>(false)

  /// Opens the index of a directory, which exists; creates the index where the mode allows that.
  init(
    of blobs: BlobStore, mode: Mode = .writing,
    stageHook: (@Sendable (StoreStage) -> Void)? = nil, log: @escaping @Sendable (String) -> Void
  ) throws(ImageError) {
    self.stageHook = stageHook
    self.mode = mode
    self.blobs = blobs
    files = blobs.files
    self.log = log
    lock = Locked(IndexLock(in: blobs))
    if mode == .absent { return }
    try translatingErrors {
      let isCurrent = try FormatFile.isCurrent(in: blobs.directory, files)
      if mode == .writing, !isCurrent { try changing { _ in } }
      _ = try opened()
    }
  }

  var byteCount: Int {
    guard let open = try? opened() else { return 0 }
    return open.table.layout.byteCount + ((try? open.log.byteCount()) ?? 0)
  }

  // MARK: Reading

  /// Returns the entries under a key's hash: variations of the key, and on a collision others.
  func entries(under hash: UInt64) -> [IndexEntry] {
    guard let (open, matches) = matches(under: hash) else { return [] }
    return matches.all.compactMap { entry($0, in: open) }
  }

  func matches(under hash: UInt64) -> (open: Files, matches: EntryMatches)? {
    guard let open = readable(), let found = matches(of: hash, in: open) else { return nil }
    if found.matches.first != nil { return found }
    // The table may be one that was removed.
    guard let other = replacement(of: open) else { return nil }
    return matches(of: hash, in: other)
  }

  private func matches(of hash: UInt64, in open: Files) -> (open: Files, matches: EntryMatches)? {
    if let matches = open.table.read({ open.table.find(hash) }) { return (open, matches) }
    return reporting { try settled { open, _ in (open, open.table.find(hash)) } }
  }

  func entry(_ match: EntryMatch, in open: Files) -> IndexEntry? {
    reporting { try read(match, in: open) } ?? nil
  }

  /// Reads the record of a match; `nil` when it is not an entry, or damaged.
  func read(_ match: EntryMatch, in open: Files) throws -> IndexEntry? {
    guard match.entry.isEntry else { return nil }
    let sequence = match.entry.sequence
    if let stored = open.recent.withLock({ $0[sequence] }) {
      return IndexEntry(match: match, stored: stored, table: open.table)
    }
    let stored = try open.log.withRecord(of: match.entry) { head, reader -> StoredRecord? in
      guard let (record, boot) = CacheRecord.read(&reader), record.key.indexHash == head.hash
      else { return nil }
      let area = BlobArea(of: record.key)
      let path = record.content.map { blobs.path(of: $0.hash, in: area) } ?? ""
      return StoredRecord(record: record, sequence: head.sequence, boot: boot, path: path)
    }
    guard let stored else {
      isDamaged.store(true, ordering: .relaxed)
      return nil
    }
    open.recent.withLock { $0.insert(stored) }
    return IndexEntry(match: match, stored: stored, table: open.table)
  }

  func named<Record: NamedRecord>(_ name: String) -> Record? {
    matches(under: Record.hash(of: name))
      .flatMap { open, matches in named(name, among: matches, in: open)?.record }
  }

  func named<Record: NamedRecord>(
    _ name: String, among matches: EntryMatches, in open: Files
  ) -> (record: Record, match: EntryMatch)? {
    for match in matches.all where match.entry.flags.contains(Record.flag) {
      let record = try? open.log.withRecord(of: match.entry) { Record(&$1) }
      if let record, record.name == name { return (record, match) }
    }
    return nil
  }

  func state(_ name: String) -> String? { (named(name) as StateRecord?)?.value }

  /// Calls a body with a table that does not change meanwhile; `nil` where there is not an index.
  func snapshot<Value>(_ body: (Files, TableState) -> Value) throws(ImageError) -> Value? {
    if mode == .absent { return nil }
    return try translatingErrors {
      let open = try opened()
      let value = open.table.read(maximumRuns: 16) { open.table.state.map { body(open, $0) } }
      return try value.flatMap { $0 } ?? settled(body)
    }
  }

  /// Calls a body with a table that could not be read without the lock: a writer died inside a
  /// change, others make one change after another, or its state is damaged.
  private func settled<Value>(_ body: (Files, TableState) -> Value) throws -> Value {
    guard mode == .writing else {
      let open = try rebuiltInMemory()
      return body(open, open.table.state ?? TableState())
    }
    var value: Value?
    try changing { writer in value = body(writer.open, writer.state) }
    guard let value else { throw ImageError(.cacheUnusable, "the cache's index was not read") }
    return value
  }

  func readable() -> Files? {
    mode == .absent ? nil : reporting { try opened() }
  }

  /// Returns what a body reads; `nil` after a failure, which is logged.
  func reporting<Value>(_ body: () throws -> Value) -> Value? {
    do {
      return try body()
    } catch {
      log("the cache's index cannot be read: \(ImageError(ofStore: error).message)")
      return nil
    }
  }

  // MARK: Changing

  /// Runs changes in one process at a time. Those of several threads share the lock and, in strict
  /// mode, the wait for the disk: the thread that gets the lock also runs those that wait.
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
    let result = Locked<Result?>(nil)
    let change = PendingWrite { writer in
      let value = try body(writer)
      result.withLock { $0 = value }
    }
    queue.withLock { $0.append(change) }
    lock.withLock { lock in
      if change.isDecided { return }
      let batch = queue.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      do {
        try changing(&lock) { writer in
          for change in batch { change.run(writer) }
        }
        for change in batch { change.finish() }
      } catch {
        for change in batch { change.finish(error) }
      }
    }
    try translatingErrors { try change.outcome() }
    guard let value = result.withLock({ $0 }) else {
      throw ImageError(.storeFailed, "a change of the cache's index was not made")
    }
    return value
  }

  private func changing(_ body: (IndexWriter) throws -> Void) throws {
    try lock.withLock { lock in try changing(&lock, body) }
  }

  private func changing(_ lock: inout IndexLock, _ body: (IndexWriter) throws -> Void) throws {
    try lock.acquire()
    defer { lock.release() }
    let writer = IndexWriter(try openedAlone(), of: self)
    try writer.begin()
    try body(writer)
    // What other processes see is on the disk before a store is acknowledged.
    if blobs.synchronizes { try writer.synchronize() }
  }

  // MARK: Opening

  private var tablePath: String { blobs.directory + "/index.table" }

  /// Returns the open files, opened again where others have replaced them.
  private func opened() throws -> Files {
    if let open = current.withLock({ $0 }), !open.table.isReplaced {
      if open.table.file != nil || !isDueForFile() { return open }
      return replacement(of: open) ?? open
    }
    return try reopened()
  }

  /// Returns the files to use instead of those whose table has no name: it was removed, or was made
  /// in memory where none could be used; `nil` where there are not any yet.
  private func replacement(of open: Files) -> Files? {
    if let file = open.table.file {
      guard !file.isNamed, let other = try? reopened(), other !== open else { return nil }
      return other
    }
    guard let other = (try? openExisting()) ?? nil, other.table.turn & 1 == 0,
      other.table.state != nil
    else { return nil }
    use(other)
    return other
  }

  /// Whether a second has passed since a table in memory was compared with the file.
  private func isDueForFile() -> Bool {
    let now = ContinuousClock.now
    return lastLook.withLock { last in
      if let last, now - last < .seconds(1) { return false }
      last = now
      return true
    }
  }

  private func reopened() throws -> Files {
    if let open = try openExisting() {
      current.withLock { $0 = open }
      return open
    }
    guard mode == .writing else { return try rebuiltInMemory() }
    try changing { _ in }
    guard let open = current.withLock({ $0 }) else {
      throw ImageError(.cacheUnusable, "the cache's index cannot be opened")
    }
    return open
  }

  /// Opens the existing files; `nil` if they must be created, or created again.
  private func openExisting() throws(FileSystemFailure) -> Files? {
    // A few times: another process may be replacing both files.
    for _ in 0..<3 {
      guard let table = try openTable(), table.isOfThisBoot else { return nil }
      if !table.isReplaced, let log = try openLog(of: table) {
        return Files(table: table, log: log, after: current.withLock { $0 })
      }
    }
    return nil
  }

  /// Opens files from before the machine's last start, for counters and accesses alone.
  private func formerFiles() throws(FileSystemFailure) -> Files? {
    guard let table = try openTable(), !table.isOfThisBoot, let log = try openLog(of: table) else {
      return nil
    }
    return Files(table: table, log: log, after: nil)
  }

  private func openTable() throws(FileSystemFailure) -> EntryTable? {
    guard let (file, facts) = try files.openIfPresent(tablePath, forWriting: mode == .writing)
    else {
      return nil
    }
    return EntryTable.open(
      OpenFile(file, files), byteCount: facts.byteCount, isWritable: mode == .writing)
  }

  private func openLog(of table: EntryTable) throws(FileSystemFailure) -> RecordLog? {
    let path = RecordLog.path(in: blobs.directory, number: table.logNumber)
    guard let (file, _) = try files.openIfPresent(path, forWriting: mode == .writing) else {
      return nil
    }
    return RecordLog(OpenFile(file, files))
  }

  /// Returns the files under the lock, made where they are missing or damaged.
  private func openedAlone() throws -> Files {
    let isSound = !isDamaged.load(ordering: .relaxed)
    var open = try ownFiles()
    if let open, isSound {
      open.table.recover()
      if open.table.state != nil { return open }
    }
    let isMarked = try FormatFile.isCurrent(in: blobs.directory, files)
    if open == nil { open = try openExisting() }
    open?.table.recover()
    if let open, isSound, let state = open.table.state,
      try open.log.byteCount() >= state.logByteCount
    {
      use(open)
    } else {
      let isNew = try open == nil && files.facts(at: tablePath) == nil
      let former = try formerFiles()
      let made = try IndexRebuild(of: self, replacing: open ?? former).run()
      isDamaged.store(false, ordering: .relaxed)
      use(made.files)
      if !isNew, made.isRepair, former == nil {
        log("the cache's index was damaged; \(made.count) entries were carried over")
      }
      open = made.files
    }
    if !isMarked { try FormatFile.write(in: blobs) }
    guard let used = current.withLock({ $0 }) ?? open else {
      throw ImageError(.cacheUnusable, "the cache's index cannot be opened")
    }
    return used
  }

  func use(_ open: Files) { current.withLock { $0 = open } }

  /// The files in use, under the lock; `nil` when others have to be opened. One that was removed
  /// by someone is made again from what is in use, so nothing is lost.
  private func ownFiles() throws -> Files? {
    guard let open = current.withLock({ $0 }), !open.table.isReplaced else { return nil }
    let (hasTable, hasLog) = (open.table.file?.isNamed ?? true, open.log.file.isNamed)
    if hasTable, hasLog { return open }
    // Without both the directory was removed, and the files of entries with it.
    if !hasTable, try !hasLog || files.facts(at: tablePath) != nil { return nil }
    open.table.recover()
    let capacity = open.table.layout.capacity
    let made = try IndexRebuild(of: self, replacing: open).copy(to: capacity, rewriting: !hasLog)
    use(made)
    return made
  }

  /// A table in memory, made from the log, where none may be written.
  private func rebuiltInMemory() throws -> Files {
    let made = try IndexRebuild(of: self, replacing: formerFiles()).run(inMemory: true)
    use(made.files)
    return made.files
  }

  // MARK: Upkeep

  func close() {
    lock.withLock { $0.close() }
    current.withLock { $0 = nil }
  }

  func rebuild() throws(ImageError) {
    isDamaged.store(true, ordering: .relaxed)
    try translatingErrors { try changing { _ in } }
  }
}
