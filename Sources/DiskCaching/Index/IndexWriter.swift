import CachePolicies
import Dispatch
import ImageModel

/// Changes of the index. Everything below runs under its lock, so in one process at a time, and
/// each change is made whole or not at all.
final class IndexWriter {
  unowned let index: CacheIndex
  private(set) var open: CacheIndex.Files
  private(set) var state = TableState()
  private(set) var hasAppended = false
  /// Folders in which files got names, to be synchronized.
  var namedIn: Set<String> = []
  /// Grows with each change; entries that were looked up before may be elsewhere or gone then.
  private(set) var changeCount = 0

  init(_ open: CacheIndex.Files, of index: CacheIndex) {
    self.open = open
    self.index = index
  }

  var table: EntryTable { open.table }
  var blobs: BlobStore { index.blobs }
  var totals: IndexTotals { state.totals }

  /// Reads the state, and removes the files that a process which died left behind.
  func begin() throws {
    state = table.state ?? TableState()
    for word in [EntryTable.Word.published, EntryTable.Word.doomed] {
      guard let (area, hash) = fileInDoubt(word) else { continue }
      try blobs.remove(hash, in: area)
      table.poke(word, 0)
    }
  }

  private func fileInDoubt(_ word: Int) -> (BlobArea, BlobHash)? {
    let hash = BlobHash(words: (2..<6).map { table.peek(word + $0) })
    guard table.peek(word) != 0,
      let area = BlobArea(rawValue: Int(truncatingIfNeeded: table.peek(word + 1))),
      TableChange.words(of: hash, in: area)[0] == table.peek(word)
    else { return nil }
    return (area, hash)
  }

  /// Waits until the disk has the records and the names of files: in order where the names have to
  /// be there first; else a power loss may leave a record whose file is missing.
  func synchronize(inOrder: Bool = false) throws {
    let folders = namedIn.map { [blobs] folder in
      { @Sendable () throws in try blobs.synchronizeDirectory(folder) }
    }
    let records = { @Sendable [log = open.log] () throws in try log.synchronize() }
    var waits = inOrder ? [] : folders
    if inOrder { for folder in folders { try folder() } }
    if hasAppended { waits.append(records) }
    let (all, failure) = (waits, Locked<(any Error)?>(nil))
    DispatchQueue.concurrentPerform(iterations: all.count) { index in
      do { try all[index]() } catch { failure.withLock { [error] in $0 = error } }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    namedIn = []
    hasAppended = false
  }

  /// Begins again with other files, after those in use turned out to be damaged or full.
  private func use(_ files: CacheIndex.Files) {
    open = files
    changeCount += 1
    index.use(files)
    state = files.table.state ?? TableState()
  }

  // MARK: Looking up

  func entry(for key: CacheKey) throws -> IndexEntry? {
    try entries(under: key.indexHash).last { $0.record.key == key }
  }

  func variations(of url: String) throws -> [IndexEntry] {
    try entries(under: CacheKey.original(url: url).indexHash)
      .filter { $0.record.key.isVariation(of: url) }
  }

  /// The entries under a hash, those with newer records last.
  private func entries(under hash: UInt64) throws -> [IndexEntry] {
    let matches = table.find(hash)
    guard matches.first != nil else { return [] }
    let found = matches.all.filter(\.entry.isEntry)
    var entries = found.compactMap { index.entry($0, in: open) }
    if entries.count < found.count {
      try repair()
      entries = table.find(hash).all.compactMap { index.entry($0, in: open) }
    }
    return entries.sorted { $0.match.entry.sequence < $1.match.entry.sequence }
  }

  func repair() throws {
    let made = try IndexRebuild(of: index, replacing: open).run()
    index.log("the cache's index was damaged; \(made.count) entries were carried over")
    use(made.files)
  }

  /// The entry at a place of the table; `nil` for a state, a group or a damaged record.
  func entry(at place: Int) -> IndexEntry? {
    guard place < state.count else { return nil }
    return index.entry(EntryMatch(index: place, entry: table.entry(at: place)), in: open)
  }

  // MARK: Changing

  /// Writes an entry. The groups of the replaced one stay; the file may be another entry's already.
  func put(
    _ record: CacheRecord, replacing old: IndexEntry?, isOwned: Bool, boot: Int64,
    note: EvictionNote
  ) throws {
    var record = record
    if let old { record.groups.formUnion(old.record.groups) }
    let retention = try enter(record.groups)
    if old == nil { try reservePlace() }
    let area = BlobArea(of: record.key)
    var entry = TableEntry(of: record)
    entry.flags.formUnion(retention)
    entry.note = note
    entry.born = old?.match.entry.born ?? state.nextSequence
    let body = record
    try append(.entry, entry, previous: old?.match.entry.sequence ?? 0) {
      body.write(to: &$0, boot: boot)
    } change: { change, entry in
      if let content = record.content, content.hash != old?.record.content?.hash {
        if isOwned {
          change.share(content.hash.fileWord(in: area))
        } else {
          change.state.totals.add(byteCount: content.byteCount, in: area)
        }
      }
      change.state.totals.add(1, of: area, isNegative: record.isNegative)
      // The file has its entry.
      change.record(EntryTable.Word.published, nil, in: area)
      change.put(entry, replacing: old?.match)
      guard let old else { return }
      change.state.totals.add(-1, of: area, isNegative: old.record.isNegative)
      guard let replaced = old.record.content, replaced.hash != record.content?.hash else { return }
      Self.release(replaced, in: area, &change)
    }
    // What is replaced was acknowledged: its file goes when the disk has the new one.
    if blobs.synchronizes, table.peek(EntryTable.Word.doomed) != 0 {
      try synchronize(inOrder: true)
    }
    removeFile(inDoubt: EntryTable.Word.doomed)
  }

  /// Replaces the record of an entry; its bytes stay.
  func update(_ old: IndexEntry, _ record: CacheRecord) throws {
    let retention = try enter(record.groups)
    var entry = TableEntry(of: record)
    entry.flags.formUnion(retention)
    let present = table.entry(at: old.match.index)
    entry.access = present.access
    entry.note = present.note
    entry.born = old.match.entry.born
    try append(.entry, entry, previous: old.match.entry.sequence) {
      record.write(to: &$0, boot: old.stored.boot)
    } change: { change, entry in
      change.put(entry, replacing: old.match)
    }
  }

  /// Removes an entry, and its file unless others own it.
  func delete(_ old: IndexEntry) throws {
    let area = BlobArea(of: old.record.key)
    try append(.removal, old.match.entry, previous: old.match.entry.sequence) { _ in
    } change: { change, removal in
      change.state.totals.add(-1, of: area, isNegative: old.record.isNegative)
      change.remove(old.match, recordedIn: removal)
      if let content = old.record.content { Self.release(content, in: area, &change) }
    }
    removeFile(inDoubt: EntryTable.Word.doomed)
  }

  private static func release(
    _ content: CacheContent, in area: BlobArea, _ change: inout TableChange
  ) {
    if change.release(content.hash.fileWord(in: area)) { return }
    change.state.totals.add(byteCount: -content.byteCount, in: area)
    change.record(EntryTable.Word.doomed, content.hash, in: area)
  }

  /// Removes a file that was just published, or whose last entry is gone: record first, file later.
  func removeFile(inDoubt word: Int) {
    guard let (area, hash) = fileInDoubt(word) else { return }
    // Where it cannot be removed it is an orphan, which the collection of garbage finds.
    try? blobs.remove(hash, in: area)
    table.poke(word, 0)
  }

  func recordPublished(_ hash: BlobHash, in area: BlobArea) {
    for (offset, word) in TableChange.words(of: hash, in: area).enumerated().reversed() {
      table.poke(EntryTable.Word.published + offset, word)
    }
  }

  private func append(
    _ kind: RecordKind, _ entry: TableEntry, previous: UInt64,
    _ body: (inout ByteWriter) -> Void, change: (inout TableChange, TableEntry) -> Void
  ) throws {
    var entry = entry
    var head = RecordHead()
    head.kind = kind
    head.sequence = state.nextSequence
    head.hash = entry.hash
    head.previous = previous
    head.born = entry.born
    let record = head.record(body)
    guard record.count <= RecordHead.maximumByteCount else {
      throw ImageError(
        .storeFailed,
        "what is known of the entry takes \(record.count) bytes, more than a record can")
    }
    if state.logByteCount + record.count > CacheIndex.maximumLogByteCount { try rewrite() }
    try open.log.append(record, at: state.logByteCount)
    hasAppended = true
    entry.sequence = head.sequence
    entry.recordOffset = state.logByteCount
    entry.recordByteCount = record.count
    var made = TableChange(of: table, state)
    made.state.nextSequence += 1
    made.state.logByteCount += record.count
    made.state.liveByteCount += record.count
    change(&made, entry)
    made.seal()
    index.stageHook?(.appended)
    try make(made)
    state = made.state
    changeCount += 1
  }

  /// Makes a change, by a copy of the table where it does not fit the redo area.
  private func make(_ change: borrowing TableChange) throws {
    if table.apply(change, half: { index.stageHook?(.changing) }) { return }
    let changed = CacheIndex.Files(table: try table.copy(with: change), log: open.log, after: open)
    use(try IndexRebuild(of: index, replacing: changed).copy(to: table.layout.capacity))
  }

  // MARK: Room in the table

  func reservePlace() throws {
    let layout = table.layout
    let isFull =
      state.count >= layout.capacity || state.sharedCount * 4 >= layout.sharedCapacity * 3
    if isFull { use(try IndexRebuild(of: index, replacing: open).copy(to: layout.capacity * 2)) }
  }

  /// Bytes by which the index grows when an entry is added that does not fit the table.
  var growthByteCount: Int {
    state.count < table.layout.capacity
      ? 0
      : EntryTable.Layout(capacity: 2 * table.layout.capacity).byteCount - table.layout.byteCount
  }

  /// The smallest layout with some room to grow, or the present one.
  var neededLayout: EntryTable.Layout {
    let layout = EntryTable.Layout(count: state.count + state.count / 4)
    return layout.capacity < table.layout.capacity ? layout : table.layout
  }

  func rewrite() throws {
    use(
      try IndexRebuild(of: index, replacing: open).copy(to: neededLayout.capacity, rewriting: true))
  }

  // MARK: States and groups

  private func stored<Record: NamedRecord>(
    _ type: Record.Type, _ name: String
  ) -> (record: Record, match: EntryMatch)? {
    index.named(name, among: table.find(Record.hash(of: name)), in: open)
  }

  func state(_ name: String) -> String? { stored(StateRecord.self, name)?.record.value }

  func setState(_ value: String?, for name: String) throws {
    if let value {
      try set(StateRecord(name: name, value: value))
    } else {
      try remove(StateRecord.self, named: name)
    }
  }

  /// Returns the record of a group, which is created if it is missing.
  func group(_ name: String) throws -> GroupRecord {
    if let known = stored(GroupRecord.self, name)?.record { return known }
    let record = GroupRecord(name: name)
    try set(record)
    return record
  }

  /// Creates groups that are missing, and returns the marks of an entry in them.
  func enter(_ groups: Set<String>) throws -> TableEntry.Flags {
    var retention = TableEntry.Flags()
    for name in groups { retention.formUnion(try group(name).retention) }
    return retention
  }

  func setRetention(_ retention: TableEntry.Flags, _ match: EntryMatch) throws {
    var entry = table.entry(at: match.index)
    guard entry.hash == match.entry.hash else { return }
    entry.flags.subtract(.retained)
    entry.flags.formUnion(retention)
    var change = TableChange(of: table, state)
    change.setEntry(entry, at: match.index)
    change.seal()
    try make(change)
    state = change.state
  }

  /// Writes a record in place of one with the same name, unless they are equal.
  func set<Record: NamedRecord>(_ record: Record) throws {
    let old = stored(Record.self, record.name)
    if old?.record == record { return }
    if old == nil { try reservePlace() }
    var entry = TableEntry()
    entry.hash = Record.hash(of: record.name)
    entry.flags = Record.flag
    entry.born = old?.match.entry.born ?? state.nextSequence
    try append(Record.kind, entry, previous: old?.match.entry.sequence ?? 0) {
      record.write(to: &$0)
    } change: { change, entry in
      change.put(entry, replacing: old?.match)
    }
  }

  func remove<Record: NamedRecord>(_ type: Record.Type, named name: String) throws {
    guard let match = stored(type, name)?.match else { return }
    try append(.removal, match.entry, previous: match.entry.sequence) { _ in
    } change: { change, removal in
      change.remove(match, recordedIn: removal)
    }
  }
}

extension TableEntry {
  /// The table's copy of a record, except for its position in the log.
  init(of record: CacheRecord) {
    self.init()
    hash = record.key.indexHash
    switch record.key {
    case .original: break
    case .variant: flags.insert(.isVariant)
    case .document: flags.insert(.isDocument)
    }
    if record.isNegative { flags.insert(.isNegative) }
    if !record.groups.isEmpty { flags.insert(.hasGroups) }
    for group in record.groups { groupBits |= GroupRecord.bit(of: group) }
    for name in record.indexedNames { groupBits |= GroupRecord.bit(of: name) }
    blockCount = BlobStore.counted(record.byteCount) / BlobStore.blockByteCount
    let date =
      record.isNegative ? record.expires?.microseconds ?? .max : record.responseTime.microseconds
    moment = UInt32(clamping: date / 1_000_000)
    access = Access(time: record.lastAccess.microseconds, count: record.accessCount)
  }
}
