import HTTPCaching
package import ImageModel

extension DiskStore {
  /// Bodies up to this length are read at once; longer ones are sent from their file.
  private static let readByteCount = 32 << 10
  /// Bodies up to this length are read whole before they are sent.
  static let wholeByteCount = 4 << 20
  /// Longer bodies are not verified on an event loop, which would be held up for a millisecond.
  private static let verifiedByteCount = 1 << 20

  /// Identifies what is stored for a URL: the numbers of all records, none of which ever changes;
  /// `nil` when nothing is stored. Reads memory that all processes share.
  func revision(of url: String) -> UInt64? {
    let key = CacheKey.original(url: url)
    if key.isEmpty { return nil }
    return index.matches(under: key.indexHash)
      .flatMap { open, matches in Self.revision(matches, in: open.table) }
  }

  /// The sum of the numbers of all records under a hash, and the identity of their table.
  fileprivate func sequences(under hash: UInt64) -> (sum: UInt64, table: UInt64) {
    guard let (open, matches) = index.matches(under: hash) else { return (0, 0) }
    var sum = WordSum()
    matches.forEach { sum.add($0.entry.sequence) }
    return (sum.value, open.table.identity)
  }

  /// Whether an entry under a key was fetched with credentials, also where this process may not
  /// read it.
  package func isMarked(_ key: CacheKey) -> Bool {
    index.entries(under: key.indexHash).contains { !$0.record.originMark.isEmpty }
  }

  /// Whether entries can be stored, and the identity of the table that has them.
  package var isWritable: Bool { index.mode == .writing }
  package var tableIdentity: UInt64 { index.readable()?.table.identity ?? 0 }

  private static func revision(_ matches: EntryMatches, in table: EntryTable) -> UInt64? {
    if matches.first == nil { return nil }
    var sum = WordSum()
    sum.add(table.identity)
    matches.forEach { sum.add($0.entry.sequence) }
    return sum.value
  }

  /// Counts an access to an entry and returns its body, where nothing stored for its URL has changed
  /// since a revision and the disk need not be waited for.
  func reuse(_ key: CacheKey, at revision: UInt64, needsBody: Bool) -> (any StoredBody)? {
    guard let (open, matches) = index.matches(under: key.indexHash),
      Self.revision(matches, in: open.table) == revision
    else { return nil }
    var found: IndexEntry?
    matches.forEach { match in
      if found == nil, let entry = index.entry(match, in: open), entry.record.key == key {
        found = entry
      }
    }
    guard let found, let content = found.record.content, !isTooOld(found) else { return nil }
    guard let body = needsBody ? cachedBody(content, of: found) : [] else { return nil }
    accessed(found)
    return body
  }

  /// The body of an entry if the system has it in memory; `nil` also for one that is damaged or that
  /// is too long to be verified here, which ``read(_:protecting:)`` and ``open(_:)`` decide.
  private func cachedBody(_ content: CacheContent, of found: IndexEntry) -> (any StoredBody)? {
    let count = content.byteCount
    if count <= Self.readByteCount {
      guard let bytes = openBody(content, of: found)?.readCached(byteCount: count),
        !verifies(found) || bytes.withUnsafeBytes({ CRC32C.checksum(of: $0) }) == content.checksum
      else { return nil }
      return bytes
    }
    guard let file = blobs.files.openCached(found.stored.path, byteCount: count) else { return nil }
    let body = BodyFile(file)
    guard verifies(found) else { return body }
    let isSound =
      count <= Self.verifiedByteCount ? isWhole(body, content) : isVerified(body, content)
    return isSound ? body : nil
  }

  private func openBody(_ content: CacheContent, of found: IndexEntry) -> BodyFile? {
    let now = configuration.clock().microseconds
    if let open = openBodies.withLock({ $0[content] }), open.isValid(at: now) { return open.file }
    guard
      let file = blobs.files.openCached(found.stored.path, byteCount: content.byteCount)
        .map({ BodyFile($0) })
    else { return nil }
    openBodies.withLock {
      $0.insert(OpenBody(key: content, file: file, opened: now)) { !$0.isValid(at: now) }
    }
    return file
  }
}

/// What is stored under some keys, to see later whether that has changed.
///
/// It may be kept in the same cache: the numbers of its records are those before its own, none of
/// which another record has later.
package struct EntryRevisions: Sendable {
  private var revisions: [(hash: UInt64, sum: UInt64)] = []
  /// The tables that they were read from; of those that were kept before, none.
  private var tables: Set<UInt64> = []

  package init() {}

  package mutating func record(_ key: CacheKey, in store: DiskStore) {
    let hash = key.indexHash
    let (sum, table) = store.sequences(under: hash)
    revisions.append((hash, sum))
    tables.insert(table)
  }

  /// Whether all is as it was noted. Reads memory that all processes share.
  package func hold(in store: DiskStore) -> Bool {
    revisions.allSatisfy { hash, sum in
      let now = store.sequences(under: hash)
      return now.sum == sum && tables.allSatisfy { $0 == now.table }
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.integer(UInt32(clamping: revisions.count))
    for (hash, sum) in revisions {
      writer.integer(hash)
      writer.integer(sum)
    }
  }

  package init(_ reader: inout ByteReader) {
    for _ in 0..<reader.integer(UInt32.self) {
      revisions.append((reader.integer(UInt64.self), reader.integer(UInt64.self)))
      if reader.isOverrun { break }
    }
  }
}
