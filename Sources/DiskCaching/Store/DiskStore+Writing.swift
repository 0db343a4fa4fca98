import CachePolicies
package import ImageModel
import Synchronization

extension DiskStore {
  /// Creates a temporary file for bytes that arrive in pieces.
  package func stage() throws(ImageError) -> StagedBlob {
    guard index.mode == .writing else {
      throw failed(
        ImageError(.cacheUnusable, "the cache directory \(blobs.directory) is not writable"))
    }
    try checkFreeSpace()
    return try storing { try StagedBlob(in: blobs) }
  }

  package func stage(_ bytes: RawSpan) throws(ImageError) -> StagedBlob {
    let staged = try stage()
    do throws(ImageError) { try staged.append(bytes) } catch { throw failed(error) }
    return staged
  }

  /// Ends the writing of staged bytes, and returns which they are; the file may still be discarded.
  package func content(of staged: StagedBlob) throws(ImageError) -> CacheContent {
    try storing { try staged.finish() }
  }

  /// Publishes staged bytes as ``DiskCache/store(_:_:protecting:)`` does. Their file is renamed; if
  /// this fails, it is removed with the last reference. A variant is not stored either if its
  /// original was purged since it was requested, or since the variant's load began.
  @discardableResult
  package func commit(
    _ staged: StagedBlob, _ record: CacheRecord, of original: CacheRecord? = nil,
    begun: Date? = nil, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord {
    if record.key.isEmpty { throw ImageError(.storeFailed, "an entry without a name is not kept") }
    if protecting { protect(record.key) }
    var record = record
    record.content = try storing { try staged.seal() }
    configuration.stageHook?(.written)
    try put(record, of: original, begun: begun, publishing: staged)
    return record
  }

  @discardableResult
  package func store(
    _ bytes: [UInt8], _ record: CacheRecord, of original: CacheRecord? = nil,
    begun: Date? = nil, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord {
    try checkSize(record, bytes.count)
    return try commit(
      try stage(bytes.span.bytes), record, of: original, begun: begun, protecting: protecting)
  }

  /// Records that there is nothing for a key: ``CacheRecord/failure``, ``CacheRecord/expires``.
  package func storeNegative(_ record: CacheRecord) throws(ImageError) {
    if record.key.isEmpty { return }
    var record = record
    record.content = nil
    try put(record, of: nil, begun: nil, publishing: nil)
  }

  /// Replaces the record of an entry, as after a 304; bytes, accesses and groups stay, and it is
  /// added to the record's groups. Has no effect when the entry is absent.
  package func update(_ record: CacheRecord) throws(ImageError) {
    try write { writer in
      guard let current = try writer.entry(for: record.key),
        !self.isPurged(record, begun: nil, writer)
      else { return }
      var record = record
      record.content = current.record.content
      record.groups.formUnion(current.record.groups)
      try writer.update(current, record)
      try self.enforceLimits(writer, keeping: current.match.entry.born, orNothing: true)
    }
  }

  // MARK: Removing

  @discardableResult
  package func remove(_ keys: [CacheKey]) throws(ImageError) -> Int {
    try remove { writer in
      try keys.count { key in
        guard let found = try writer.entry(for: key) else { return false }
        try writer.delete(found)
        return true
      }
    }
  }

  @discardableResult
  package func remove(urls: [String]) throws(ImageError) -> Int {
    try remove { writer in
      try urls.count { url in
        var isFound = false
        while let entry = try writer.variations(of: url).last {
          try writer.delete(entry)
          isFound = true
        }
        return isFound
      }
    }
  }

  @discardableResult
  package func remove(matching selection: EntrySelection) throws(ImageError) -> Int {
    var count = 0
    try forEachPage(of: selection) { page throws(ImageError) in
      count += try remove(page.map(\.record.key))
    }
    return count
  }

  func remove(_ body: @escaping @Sendable (IndexWriter) throws -> Int) throws(ImageError) -> Int {
    index.mode == .absent ? 0 : try write(body)
  }

  // MARK: Groups

  /// Adds entries to a group; absent ones are skipped. Writes nothing when all are in it already.
  package func addGroup(_ group: String, to keys: [CacheKey]) throws(ImageError) {
    let keys = keys.filter { find($0).map { !$0.record.groups.contains(group) } ?? false }
    if keys.isEmpty { return }
    try write { writer in
      for key in keys {
        guard let found = try writer.entry(for: key) else { continue }
        var record = found.record
        if record.groups.insert(group).inserted { try writer.update(found, record) }
      }
    }
  }

  /// Changes the record of a group and the marks of its entries, and returns their number.
  func setRetention(
    of group: String, _ change: @escaping @Sendable (inout GroupRecord) -> Void
  ) throws(ImageError) -> Int {
    try index.write { writer in
      let old = try writer.group(group)
      var known = old
      change(&known)
      try writer.set(known)
      let members = try writer.members(of: group)
      if known.retention != old.retention {
        for member in members {
          try writer.setRetention(writer.enter(member.record.groups), member.match)
        }
      }
      return members.count
    }
  }

  // MARK: The transaction

  /// Changes the index. A failure counts as a store that failed.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (IndexWriter) throws -> Value
  ) throws(ImageError) -> Value {
    try storing { try index.write(body) }
  }

  /// Runs steps of a store. A failure counts as a store that failed.
  private func storing<Value>(_ body: () throws -> Value) throws(ImageError) -> Value {
    do { return try body() } catch { throw failed(ImageError(ofStore: error)) }
  }

  private func put(
    _ record: CacheRecord, of original: CacheRecord?, begun: Date?, publishing staged: StagedBlob?
  ) throws(ImageError) {
    try checkSize(record, record.byteCount)
    if staged != nil { try checkFreeSpace() }
    try write { writer in
      let requested = original ?? record
      guard !self.isPurged(requested, begun: begun ?? requested.requestTime, writer) else {
        throw ImageError(.purged, "\(record.key.name) was purged while it was being loaded")
      }
      do {
        try self.put(record, publishing: staged, writer)
      } catch {
        writer.removeFile(inDoubt: EntryTable.Word.published)
        throw error
      }
    }
    configuration.stageHook?(.committed)
    count(.stores)
    ledger.withLock { ledger in
      ledger.reported.remove(record.key.indexHash)
      ledger.isStoreFailing = false
    }
  }

  private func put(
    _ record: CacheRecord, publishing staged: StagedBlob?, _ writer: IndexWriter
  ) throws {
    let (key, now) = (record.key, configuration.clock())
    try expireSome(at: now.microseconds, writer)
    var old = try writer.entry(for: key)
    if old == nil { try dropExcessVariations(beside: record, writer) }
    let tick = writer.table.tick()
    var note = EvictionNote()
    if !record.isNegative, BlobArea(of: key) == .images,
      old.map({ !$0.match.entry.isEvictable }) ?? true
    {
      note = eviction.withLock { $0.admit(key.indexHash, tick, writer.table) }
    }
    if !fits(record, replacing: old, writer) {
      try makeRoom(for: record, note, replacing: &old, at: tick, writer)
    }
    let isOwned = try publish(staged, of: record, replacing: old, writer)
    if old == nil { try writer.reservePlace() }
    var record = record
    let table = writer.table
    _ = learned.add(1, ordering: .relaxed)
    if let old, old.match.entry.isEvictable {
      eviction.withLock { $0.requested(old.match.index, tick, table) }
      note = table[note: old.match.index]
    }
    record.lastAccess = now
    record.accessCount = (old?.match.entry.access.count ?? max(0, Int(note.count) / 256 - 1)) + 1
    try writer.put(record, replacing: old, isOwned: isOwned, boot: boot, note: note)
    configuration.stageHook?(.recorded)
  }

  /// Evicts until a record and its bytes fit, and looks up again what it replaces if entries moved.
  private func makeRoom(
    for record: CacheRecord, _ note: EvictionNote, replacing old: inout IndexEntry?,
    at tick: UInt32, _ writer: IndexWriter
  ) throws {
    var addsFile = true
    if let content = record.content, content.hash != old?.record.content?.hash {
      addsFile = try !isOwned(content, in: BlobArea(of: record.key), writer)
    }
    let before = writer.changeCount
    try makeRoom(for: record, note, replacing: old, addsFile: addsFile, at: tick, writer)
    if writer.changeCount == before { return }
    old = try writer.entry(for: record.key)
    if let content = record.content, !addsFile,
      try !isOwned(content, in: BlobArea(of: record.key), writer)
    {
      // Eviction took the entry that had these bytes.
      try makeRoom(for: record, note, replacing: old, addsFile: true, at: tick, writer)
      old = try writer.entry(for: record.key)
    }
  }

  /// Gives staged bytes their name; returns whether another entry than the replaced one owns them.
  private func publish(
    _ staged: StagedBlob?, of record: CacheRecord, replacing old: IndexEntry?, _ writer: IndexWriter
  ) throws -> Bool {
    guard let staged, let content = record.content else { return false }
    let area = BlobArea(of: record.key)
    let isNew = try staged.publish(as: content, in: area)
    if blobs.synchronizes { writer.namedIn.insert(blobs.folder(of: content.hash, in: area)) }
    defer { configuration.stageHook?(.published) }
    if content.hash == old?.record.content?.hash { return false }
    if !isNew, try !writer.mayHaveOrphans || writer.isOwned(content.hash, in: area) { return true }
    writer.recordPublished(content.hash, in: area)
    return false
  }

  private func isOwned(
    _ content: CacheContent, in area: BlobArea, _ writer: IndexWriter
  ) throws -> Bool {
    try blobs.files.exists(at: blobs.path(of: content.hash, in: area))
      && (!writer.mayHaveOrphans || writer.isOwned(content.hash, in: area))
  }
}

extension Duration {
  /// Whole microseconds, cut off at 292 years, so that it can be added to a time.
  var microseconds: Int64 { nanoseconds / 1000 }
}
