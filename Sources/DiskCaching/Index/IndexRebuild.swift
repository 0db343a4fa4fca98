import ImageModel

/// Makes a table again: from the log, after damage or a power loss, or from the table itself, with
/// another capacity or with a log without what is out of date. Runs under the lock.
struct IndexRebuild {
  /// The files, the number of entries, and whether there was a log to make them from.
  typealias Made = (files: CacheIndex.Files, count: Int, isRepair: Bool)

  private let index: CacheIndex
  private let old: CacheIndex.Files?
  private var files: any FileSystem { index.files }
  private var directory: String { index.blobs.directory }

  init(of index: CacheIndex, replacing old: CacheIndex.Files?) {
    self.index = index
    self.old = old
  }

  // MARK: From the log

  /// Makes a table from the log, or an empty one if there is none.
  func run(inMemory: Bool = false) throws -> Made {
    let numbers = try logNumbers()
    let log: RecordLog
    var number = try currentLog(of: numbers) ?? 0
    if number > 0 {
      log = try RecordLog.open(
        RecordLog.path(in: directory, number: number), in: files, isWritable: !inMemory)
    } else {
      if inMemory { throw FileSystemFailure(number: FileSystemFailure.absent, path: directory) }
      number = 1
      log = try RecordLog.create(RecordLog.path(in: directory, number: number), in: files)
    }
    // Where the log ends: behind what the table names, as long as the machine did not stop.
    var end = try log.byteCount()
    if let old, old.table.isOfThisBoot, let state = old.table.state {
      end = min(end, state.logByteCount)
    }
    var found = Found()
    try log.forEachRecord(upTo: end) { offset, head, bytes in
      found.add(head, at: offset, bytes)
    }
    let table = try table(EntryTable.Layout(count: found.entries.count + 1), number, inMemory)
    var state = found.state(end: (end + 15) & ~15)
    for entry in found.entries.values.sorted(by: { $0.born < $1.born }) {
      table.append(entry, at: state.count)
      state.count += 1
    }
    found.share(in: table, &state)
    carryOver(to: table)
    for index in 0..<state.count { restoreAccess(of: index, in: table) }
    if !numbers.isEmpty { table.poke(EntryTable.Word.mayHaveOrphans, 1) }
    let made = CacheIndex.Files(table: table, log: log, after: nil)
    try restoreRetention(in: made, &state)
    table.setState(state)
    if !inMemory { try publish(table) }
    for other in numbers where other != number && !inMemory {
      try? files.remove(RecordLog.path(in: directory, number: other))
    }
    return (made, state.totals.images.count, !numbers.isEmpty)
  }

  /// The log in use, if there is any.
  ///
  /// A compaction that was interrupted leaves two. Nothing is added to the former log meanwhile, nor
  /// after it: the one with the later record is in use. If they end alike, the new one may be
  /// incomplete.
  private func currentLog(of numbers: [UInt64]) throws -> UInt64? {
    if numbers.count < 2 { return numbers.first }
    if let old, old.table.isOfThisBoot, numbers.contains(old.table.logNumber) {
      return old.table.logNumber
    }
    var latest: (number: UInt64, sequence: UInt64)?
    for number in numbers {
      let path = RecordLog.path(in: directory, number: number)
      let log = try RecordLog.open(path, in: files, isWritable: false)
      var sequence: UInt64 = 0
      try log.forEachRecord(upTo: try log.byteCount()) { _, head, _ in
        sequence = max(sequence, head.sequence)
      }
      if sequence > latest?.sequence ?? 0 || latest == nil { latest = (number, sequence) }
    }
    return latest?.number
  }

  private func logNumbers() throws -> [UInt64] {
    try files.names(in: directory)
      .filter { $0.hasPrefix(RecordLog.namePrefix) }
      .compactMap { UInt64($0.dropFirst(RecordLog.namePrefix.count)) }
      .sorted()
  }

  private struct Found {
    var entries: [UInt64: TableEntry] = [:]  // by the number of their record
    var contentOf: [UInt64: (file: UInt64, byteCount: Int)] = [:]
    var lastSequence: UInt64 = 0

    mutating func add(_ head: RecordHead, at offset: Int, _ bytes: UnsafeRawBufferPointer) {
      lastSequence = max(lastSequence, head.sequence)
      if head.previous != 0 {
        entries[head.previous] = nil
        contentOf[head.previous] = nil
      }
      var reader = head.reader(of: bytes)
      var entry = TableEntry()
      switch head.kind {
      case .entry:
        guard let (record, _) = CacheRecord.read(&reader), record.key.indexHash == head.hash
        else { return }
        entry = TableEntry(of: record)
        if let content = record.content {
          contentOf[head.sequence] = (
            content.hash.fileWord(in: BlobArea(of: record.key)), content.byteCount
          )
        }
      case .state where StateRecord(&reader) != nil: entry.flags = StateRecord.flag
      case .group where GroupRecord(&reader) != nil: entry.flags = GroupRecord.flag
      case .removal, .state, .group: return
      }
      entry.hash = head.hash
      entry.sequence = head.sequence
      entry.born = head.born
      entry.recordOffset = offset
      entry.recordByteCount = head.paddedByteCount
      entries[head.sequence] = entry
    }

    func state(end: Int) -> TableState {
      var state = TableState()
      state.logByteCount = end
      state.nextSequence = lastSequence + 1
      var counted: Set<UInt64> = []
      for (sequence, entry) in entries {
        state.liveByteCount += entry.recordByteCount
        guard entry.isEntry else { continue }
        state.totals.add(1, of: entry.area, isNegative: entry.isNegative)
        if let content = contentOf[sequence], counted.insert(content.file).inserted {
          state.totals.add(byteCount: content.byteCount, in: entry.area)
        }
      }
      return state
    }

    func share(in table: EntryTable, _ state: inout TableState) {
      var owners: [UInt64: UInt64] = [:]
      for content in contentOf.values { owners[content.file, default: 0] += 1 }
      for (content, count) in owners where count > 1 {
        table.setShared(content, count)
        state.sharedCount += 1
      }
    }
  }

  private func restoreAccess(of place: Int, in table: EntryTable) {
    guard let old else { return }
    let entry = table.entry(at: place)
    guard
      let match = old.table.find(entry.hash).all.first(where: {
        $0.entry.sequence == entry.sequence
      }), old.table.isIntact(at: match.index)
    else { return }
    table.setAccess(match.entry.access, at: place)
    table[note: place] = match.entry.note
  }

  private func restoreRetention(in made: CacheIndex.Files, _ state: inout TableState) throws {
    let table = made.table
    var retention: [String: TableEntry.Flags] = [:]
    for place in 0..<state.count where table.entry(at: place).flags.contains(.isGroup) {
      let group = try made.log.withRecord(of: table.entry(at: place)) { GroupRecord(&$1) }
      if let group, !group.retention.isEmpty { retention[group.name] = group.retention }
    }
    if retention.isEmpty { return }
    for place in 0..<state.count where table.entry(at: place).flags.contains(.hasGroups) {
      let read = try made.log.withRecord(of: table.entry(at: place)) { CacheRecord.read(&$1) }
      guard let (record, _) = read else { continue }
      let marks = record.groups.reduce(into: TableEntry.Flags()) {
        $0.formUnion(retention[$1] ?? [])
      }
      if !marks.isEmpty { table.setRetention(marks, at: place) }
      state.totals.retain(1, table.entry(at: place))
    }
  }

  // MARK: From the table

  /// Copies the table, and perhaps the log, without what is out of date there.
  func copy(to capacity: Int, rewriting: Bool = false) throws -> CacheIndex.Files {
    guard let old, let oldState = old.table.state else { return try run().files }
    var (log, number, state) = (old.log, old.table.logNumber, oldState)
    if rewriting {
      number += 1
      let path = RecordLog.path(in: directory, number: number)
      try files.remove(path)
      log = try RecordLog.create(path, in: files)
      (state.logByteCount, state.liveByteCount) = (0, 0)
    }
    do {
      let table = try table(
        EntryTable.Layout(capacity: capacity), number, false, identity: old.table.identity)
      var batch: [UInt8] = []
      for place in 0..<state.count {
        var entry = old.table.entry(at: place)
        if rewriting {
          // With a damaged record the log has to be read instead.
          guard let bytes = try old.log.bytes(of: entry) else { throw Damage() }
          batch += bytes
          entry.recordOffset = state.logByteCount
          state.logByteCount += entry.recordByteCount
          state.liveByteCount += entry.recordByteCount
          if batch.count > 1 << 18 {
            try log.append(batch, at: state.logByteCount - batch.count)
            batch.removeAll(keepingCapacity: true)
          }
        }
        table.append(entry, at: place)
      }
      if !batch.isEmpty { try log.append(batch, at: state.logByteCount - batch.count) }
      let shared = old.table.shared
      // A damaged table may have more than find room.
      guard shared.count == state.sharedCount, shared.count <= table.layout.sharedCapacity else {
        throw Damage()
      }
      for (content, count) in shared { table.setShared(content, count) }
      table.setState(state)
      carryOver(to: table)
      // Files in doubt remain so.
      for word in EntryTable.Word.published..<EntryTable.Word.state {
        table.poke(word, old.table.peek(word))
      }
      // In any mode: after a power loss there has to be one whole log.
      if rewriting { try log.synchronize() }
      try publish(table)
      if rewriting, (try? index.blobs.synchronizeDirectory(directory)) != nil {
        try? files.remove(RecordLog.path(in: directory, number: old.table.logNumber))
      }
      return CacheIndex.Files(table: table, log: log, after: old)
    } catch is Damage {
      if rewriting { try files.remove(RecordLog.path(in: directory, number: number)) }
      return try run().files
    } catch {
      if rewriting { try? files.remove(RecordLog.path(in: directory, number: number)) }
      throw error
    }
  }

  private struct Damage: Error {}

  // MARK: Both

  private func table(
    _ layout: EntryTable.Layout, _ logNumber: UInt64, _ inMemory: Bool,
    identity: UInt64 = .random(in: 1 ... .max)
  ) throws -> EntryTable {
    if inMemory {
      return try EntryTable.create(in: nil, layout, logNumber: logNumber, identity: identity)
    }
    try files.remove(newPath)
    let file = OpenFile(try files.create(newPath, mode: 0o644), files)
    do {
      return try EntryTable.create(in: file, layout, logNumber: logNumber, identity: identity)
    } catch {
      try? files.remove(newPath)
      throw error
    }
  }

  private var newPath: String { directory + "/index.table.new" }

  private func publish(_ table: EntryTable) throws {
    if index.blobs.synchronizes {
      let file = try files.open(newPath, forWriting: true)
      defer { files.close(file) }
      try files.synchronize(file)
    }
    let path = directory + "/index.table"
    EntryTable.markReplaced(at: path, in: files)
    try files.rename(newPath, to: path)
  }

  /// Takes over counters, logical clock, latest purge, ghosts, and whether files may have no entry.
  private func carryOver(to table: EntryTable) {
    guard let old else { return }
    let words = [
      EntryTable.Word.clock, EntryTable.Word.mayHaveOrphans, EntryTable.Word.purgeCount,
      EntryTable.Word.lastPurge,
    ]
    for word in words + Array(EntryTable.Word.policy..<EntryTable.Word.redo) {
      table.poke(word, old.table.peek(word))
    }
    table.adoptGhosts(of: old.table)
  }
}
