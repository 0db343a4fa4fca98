package import ImageModel
import Synchronization

/// The synchronous core of ``DiskCache``: methods block on the disk and on other processes.
///
/// It is for code that is on threads that may block and is itself synchronous: the stores of an
/// ``HTTPCache``, staged bodies, steps of ``DiskCache``. A task awaits that instead.
package final class DiskStore: Sendable {
  package let configuration: DiskCache.Configuration

  let blobs: BlobStore
  let index: CacheIndex
  let ledger = Locked(StoreLedger())
  let eviction: Locked<DiskEviction>
  /// Bytes of images at most, beside those that are kept.
  var limit: Int { limitWord.load(ordering: .relaxed) }
  let limitWord: Atomic<Int>
  /// Bytes of the file system that are left to others; `nil` for none.
  let minimumFreeByteCount: Int?
  let marks: OriginMarks
  let openBodies = Locked(
    RecentEntries<OpenBody>(count: OpenBody.maximumCount, attemptsPerReplacement: 8))
  private let verifiedFiles = Locked(RecentEntries<VerifiedFile>(count: VerifiedFile.maximumCount))
  let boot: Int64
  private let readCount = Atomic<Int>(0)
  /// Whether this instance has counted an event.
  let hasCounted = Atomic<Bool>(false)
  /// Requests that the policy has learned from since that was written.
  let learned = Atomic<Int>(0)
  let purges: PurgeWatch

  /// Opens a directory through a layer that tests make fail; see ``DiskCache/init(_:executor:)``.
  package init(
    _ configuration: DiskCache.Configuration, files: any FileSystem = POSIXFileSystem()
  ) throws(ImageError) {
    try ImageError.check(
      configuration.directory, of: "DiskCache.Configuration.directory", .cacheUnusable)
    self.configuration = configuration
    let eviction = DiskEviction(configuration.policy, seed: configuration.evictionSeed)
    var blobs = BlobStore(
      directory: files.canonicalPath(of: configuration.directory), files: files,
      synchronizes: configuration.durability == .strict)
    if let maximum = configuration.maximumByteCount {
      blobs.temporaryFolderCount = min(64, max(1, maximum >> 20))
    }
    let mode = try Self.mode(blobs, configuration)
    blobs.files = blobs.files.rooted(at: blobs.directory)
    self.blobs = blobs
    let index = try Self.openIndex(blobs, configuration, mode)
    self.index = index
    purges = PurgeWatch(
      stamp: { index.readable()?.table.purgeStamp ?? 0 },
      marks: { PurgeMarks(index.state(PurgeMarks.stateName)) })
    limitWord = Atomic(Self.limit(of: configuration, in: index))
    minimumFreeByteCount = Self.minimumFreeByteCount(of: configuration, blobs.files)
    marks = OriginMarks(blobs, index, headers: configuration.originHeaders)
    boot = BootIdentity.current
    PolicySnapshot.read(of: eviction.name, in: blobs).map(eviction.restore)
    self.eviction = Locked(eviction)
    tellMode()
  }

  private static func mode(
    _ blobs: BlobStore, _ configuration: DiskCache.Configuration
  ) throws(ImageError) -> CacheIndex.Mode {
    do {
      _ = try FormatFile.isCurrent(in: blobs.directory, blobs.files)
    } catch let refusal as ImageError {
      throw refusal
    } catch {
      // What else is wrong with the directory shows when it is opened.
    }
    let missing = try blobs.missingFolders()
    let access = configuration.access
    do throws(FileSystemFailure) {
      if access == .existing, try !hasIndex(blobs) { return .absent }
      if access == .create || missing.first == blobs.directory
        || blobs.files.mayWrite(in: blobs.directory)
      {
        try blobs.prepare()
        return .writing
      }
      return try hasIndex(blobs) ? .reading : .absent
    } catch {
      guard access != .create, error.isForbidden || error.isFull, !error.isIrregular,
        missing.first != blobs.directory
      else { throw BlobStore.unusable(blobs.directory, error) }
      return (try? hasIndex(blobs)) ?? false ? .reading : .absent
    }
  }

  private static func hasIndex(_ blobs: BlobStore) throws(FileSystemFailure) -> Bool {
    for path in ["\(blobs.directory)/index.table", FormatFile.path(in: blobs.directory)] {
      if try blobs.files.facts(at: path) != nil { return true }
    }
    return false
  }

  private static func openIndex(
    _ blobs: BlobStore, _ configuration: DiskCache.Configuration, _ mode: CacheIndex.Mode
  ) throws(ImageError) -> CacheIndex {
    do throws(ImageError) {
      return try CacheIndex(
        of: blobs, mode: mode, stageHook: configuration.stageHook, log: configuration.log)
    } catch {
      // Another user's index, or a full disk: it may still be readable.
      guard mode == .writing, configuration.access != .create,
        let index = try? CacheIndex(of: blobs, mode: .reading, log: configuration.log)
      else { throw error }
      return index
    }
  }

  private func tellMode() {
    let (isAbsent, access) = (index.mode == .absent, configuration.access)
    if isAbsent, access == .existing {
      configuration.log("no cache in \(blobs.directory)")
    } else if isAbsent || index.mode == .reading && access == .createOrRead {
      configuration.log(
        """
        the cache directory \(blobs.directory) is not writable: what it has is served, and nothing \
        is stored
        """)
    }
  }

  deinit { close() }

  // MARK: Reading

  package func record(for key: CacheKey) -> CacheRecord? { find(key)?.currentRecord }

  package func read(_ key: CacheKey, protecting: Bool = false) -> CachedEntry? {
    if protecting { protect(key) }
    guard let found = find(key) else { return missed() }
    return read(found)
  }

  /// Reads an entry that was found, or what has replaced it since.
  func read(_ found: IndexEntry) -> CachedEntry? {
    if found.record.isNegative { return isTooOld(found) ? missed() : negative(found) }
    return use(found) { found, content throws(FileSystemFailure) in
      guard let bytes = try blobs.read(content, at: found.stored.path),
        !verifies(found) || bytes.withUnsafeBytes({ CRC32C.checksum(of: $0) }) == content.checksum
      else { return nil }
      return CachedEntry(record: found.record, bytes: bytes)
    }
  }

  package func path(for key: CacheKey, protecting: Bool = false) -> String? {
    if protecting { protect(key) }
    guard let found = find(key) else { return missed() }
    return open(found)?.path
  }

  /// Opens the file with the bytes of an entry that was found, or of what has replaced it since.
  /// Length and checksum are compared as on reading.
  func open(_ found: IndexEntry) -> (path: String, content: CacheContent, body: BodyFile)? {
    use(found) { found, content throws(FileSystemFailure) in
      guard let body = try blobs.open(content, at: found.stored.path),
        !verifies(found) || isWhole(body, content)
      else { return nil }
      return (found.stored.path, content, body)
    }
  }

  /// Counts the access to an entry of which a body returns something; `nil` for damaged bytes.
  private func use<Value>(
    _ found: IndexEntry, isRetry: Bool = false,
    _ body: (IndexEntry, CacheContent) throws(FileSystemFailure) -> Value?
  ) -> Value? {
    guard let content = found.record.content, !isTooOld(found) else { return missed() }
    let key = found.record.key
    do throws(FileSystemFailure) {
      if let value = try body(found, content) {
        accessed(found)
        return value
      }
    } catch {
      configuration.log("cannot read \(key.name) from the cache: \(error.reason) (\(error.path))")
      return missed()
    }
    // Another process may have evicted or replaced the entry since it was found, which is not
    // damage.
    guard let present = find(key) else { return missed() }
    if present.record.content == content { return damaged(found, content) }
    return isRetry ? missed() : use(present, isRetry: true, body)
  }

  /// Whether a file has the checksum of its record; one that has not changed since it was compared
  /// is not read again.
  func isWhole(_ body: BodyFile, _ content: CacheContent) -> Bool {
    let version = body.version
    if let version, isVerified(version, content) { return true }
    guard body.checksum(byteCount: content.byteCount) == content.checksum else { return false }
    if let version {
      verifiedFiles.withLock {
        $0.insert(VerifiedFile(version: version, checksum: content.checksum))
      }
    }
    return true
  }

  /// Whether the checksum of a file was compared before. Does not block.
  func isVerified(_ body: BodyFile, _ content: CacheContent) -> Bool {
    body.version.map { isVerified($0, content) } ?? false
  }

  private func isVerified(_ version: BodyFile.Version, _ content: CacheContent) -> Bool {
    let file = VerifiedFile(version: version, checksum: content.checksum)
    return verifiedFiles.withLock { $0[file] != nil }
  }

  /// The path of the file of an entry that has just been read or stored; `nil` for one without
  /// bytes. Looks at no file, and does not count as an access.
  package func location(of record: CacheRecord) -> String? {
    record.content.map { blobs.path(of: $0.hash, in: BlobArea(of: record.key)) }
  }

  func protect(_ key: CacheKey) {
    ledger.withLock { _ = $0.protected.insert(key.indexHash) }
  }

  func find(_ key: CacheKey) -> IndexEntry? {
    if key.isEmpty { return nil }
    guard let (open, matches) = index.matches(under: key.indexHash) else { return nil }
    let anyVariation: String? = if case .original(let url, "") = key { url } else { nil }
    var (exact, variation): (IndexEntry?, IndexEntry?)
    matches.forEach { match in
      guard let entry = index.entry(match, in: open) else { return }
      let record = entry.record
      // The mark in a key proves the credentials.
      guard shows(record) || record.key == key && !key.mark.isEmpty else { return }
      if record.key == key {
        // Of two with one key, which damage can leave, the newer one is valid.
        if exact?.match.entry.sequence ?? 0 < match.entry.sequence { exact = entry }
      } else if let anyVariation, record.status != 206, record.key.isVariation(of: anyVariation),
        variation.map({ $0.record.responseTime < record.responseTime }) ?? true
      {
        variation = entry
      }
    }
    return exact ?? variation
  }

  /// Whether an entry exceeds the maximum age; a later write removes it.
  func isTooOld(_ found: IndexEntry) -> Bool {
    guard let maximum = configuration.maximumAge, !found.match.entry.flags.contains(.isPinned)
    else { return false }
    let oldest = configuration.clock().microseconds - maximum.microseconds
    return found.record.responseTime.microseconds < oldest
      && (found.match.entry.area == .images || !found.table.hasPinned)
  }

  func verifies(_ found: IndexEntry) -> Bool {
    switch configuration.readVerification {
    case .always: true
    case .never: false
    case .sampled:
      found.stored.boot != boot || readCount.add(1, ordering: .relaxed).oldValue & 15 == 0
    }
  }

  /// Notes an access, with two small stores into memory that all processes share.
  func accessed(_ found: IndexEntry) {
    let table = found.table
    count(.diskHits, in: table)
    guard table.isWritable else { return }
    table.touch(found.match, at: configuration.clock().microseconds)
    if found.match.entry.isEvictable { requested(found.match, in: table) }
  }

  /// The number of requests after which the state of the policy is saved.
  private static let flushInterval = 16_384
  static let leastLearned = 16

  func requested(_ match: EntryMatch, in table: EntryTable) {
    let now = table.tick()
    eviction.withLock { eviction in
      if table.born(at: match.index) == match.entry.born {
        eviction.requested(match.index, now, table)
      }
    }
    let count = learned.add(1, ordering: .relaxed).newValue
    if count >= Self.flushInterval { flush() }
  }

  private func missed<Result>() -> Result? {
    count(.diskMisses)
    return nil
  }

  private func negative(_ found: IndexEntry) -> CachedEntry? {
    if let expires = found.record.expires, expires <= configuration.clock() { return missed() }
    accessed(found)
    return CachedEntry(record: found.record, bytes: [])
  }

  /// Drops an entry whose bytes are damaged; the next store replaces it.
  private func damaged<Result>(_ found: IndexEntry, _ content: CacheContent) -> Result? {
    count(.damaged)
    let key = found.record.key
    let reason =
      blobs.holds(content, at: found.stored.path)
      ? "its bytes are not those that were stored" : "its file is missing or has another length"
    // Where it cannot be dropped, as on a read-only disk, it is reported once.
    if ledger.withLock({ $0.reported.insert(key.indexHash).inserted }) {
      configuration.log("dropped \(key.name) from the cache: \(reason)")
    }
    try? drop(found)
    return missed()
  }

  /// Removes an entry unless it was replaced since it was found.
  func drop(_ found: IndexEntry) throws(ImageError) {
    try index.write { writer in
      guard let current = try writer.entry(for: found.record.key),
        current.record.content == found.record.content
      else { return }
      try writer.delete(current)
    }
  }
}

struct StoreLedger: Sendable {
  /// The key hashes of protected entries, which this instance does not evict.
  var protected: Set<UInt64> = []
  /// The key hashes of damaged entries that were reported: once each until they are stored again.
  var reported: Set<UInt64> = []
  /// Whether the last store failed because the disk was full or not writable.
  var isStoreFailing = false
  var evicted = (count: 0, byteCount: 0)
  /// The place in the table up to which entries were looked through for their age.
  var expiryPlace = 0
}
