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
    return key.isEmpty ? nil : revision(under: key.indexHash)
  }

  fileprivate func revision(under hash: UInt64) -> UInt64? {
    index.matches(under: hash).flatMap { open, matches in Self.revision(matches, in: open.table) }
  }

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
    let isWhole =
      count <= Self.verifiedByteCount
      ? body.checksum(byteCount: count) == content.checksum : isVerified(body, content)
    return isWhole ? body : nil
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
package struct EntryRevisions: Sendable {
  private var revisions: [(hash: UInt64, revision: UInt64?)] = []

  package init() {}

  package mutating func record(_ key: CacheKey, in store: DiskStore) {
    let hash = key.indexHash
    revisions.append((hash, store.revision(under: hash)))
  }

  /// Whether all is as it was noted. Reads memory that all processes share.
  package func hold(in store: DiskStore) -> Bool {
    revisions.allSatisfy { store.revision(under: $0.hash) == $0.revision }
  }
}
