#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CachePolicies
import ImageModel
import Synchronization

/// The synchronous core of ``DiskCache``: methods block on the disk and on other processes.
///
/// It is for code that already runs on threads that may block and is itself synchronous: the stores
/// of an ``HTTPCache``, staged bodies, and the steps that ``DiskCache`` runs as one. A task awaits
/// ``DiskCache`` instead.
package final class DiskStore: Sendable {
  package let configuration: DiskCache.Configuration

  let blobs: BlobStore
  let index: CacheIndex
  let ledger = Locked(AccessLedger())
  let policy: Locked<any RankPolicy>
  let limit: Locked<Int>
  let rankState = Locked(RankState())
  /// The current boot; see ``BootIdentity``.
  let boot: Int64
  private let readCount = Atomic<Int>(0)

  /// Opens a directory through a layer that tests make fail; see ``DiskCache/init(_:executor:)``.
  package init(
    _ configuration: DiskCache.Configuration, files: any FileSystem = POSIXFileSystem()
  ) throws(ImageError) {
    guard let rank = configuration.policy.rank else {
      throw ImageError(
        .invalidArgument, "eviction policy \(configuration.policy) is not available on disk")
    }
    self.configuration = configuration
    policy = Locked(rank)
    var blobs = BlobStore(
      directory: files.canonicalPath(of: configuration.directory), files: files,
      synchronizes: configuration.durability == .strict)
    if let maximum = configuration.maximumByteCount {
      blobs.temporaryFolderCount = min(64, max(1, maximum >> 20))
    }
    self.blobs = blobs
    let mode = try Self.mode(blobs, configuration)
    index = try Self.openIndex(blobs, configuration, mode)
    limit = Locked(configuration.maximumByteCount ?? 0)
    boot = BootIdentity.current
    if configuration.maximumByteCount == nil { adaptLimit() }
    index.setMaximumLogByteCount(budget(of: .images).logByteCount)
    tellMode()
  }

  /// Creates missing folders, and decides what may be done with the directory.
  private static func mode(
    _ blobs: BlobStore, _ configuration: DiskCache.Configuration
  ) throws(ImageError) -> CacheIndex.Mode {
    let missing = try blobs.missingFolders()
    let access = configuration.access
    let index: FileFacts?
    do throws(FileSystemFailure) {
      index = try blobs.files.facts(at: blobs.directory + "/index.sqlite")
      if access == .existing, index == nil { return .absent }
      if access == .create || missing.first == blobs.directory
        || blobs.files.mayWrite(in: blobs.directory)
      {
        try blobs.prepare()
        return .writing
      }
    } catch {
      guard access != .create, error.isForbidden || error.isFull, !error.isIrregular,
        missing.first != blobs.directory
      else { throw BlobStore.unusable(blobs.directory, error) }
      let kept = try? blobs.files.facts(at: blobs.directory + "/index.sqlite")
      return kept == nil ? .absent : .reading
    }
    return index == nil ? .absent : .reading
  }

  private static func openIndex(
    _ blobs: BlobStore, _ configuration: DiskCache.Configuration, _ mode: CacheIndex.Mode
  ) throws(ImageError) -> CacheIndex {
    do throws(ImageError) {
      return try CacheIndex(
        of: blobs, durability: configuration.durability, mode: mode, log: configuration.log)
    } catch {
      // Another user's index, or a full disk: it may still be readable.
      guard mode == .writing, configuration.access != .create,
        let index = try? CacheIndex(
          of: blobs, durability: configuration.durability, mode: .reading, log: configuration.log)
      else { throw error }
      return index
    }
  }

  private func tellMode() {
    switch (index.mode, configuration.access) {
    case (.absent, .existing):
      configuration.log("no cache in \(blobs.directory)")
    case (.absent, _), (.reading, .createOrRead):
      configuration.log(
        """
        the cache directory \(blobs.directory) is not writable: what it has is served, and nothing \
        is stored
        """)
    case (.reading, _), (.writing, _): break
    }
  }

  deinit { close() }

  // MARK: Reading

  package func record(for key: CacheKey) -> CacheRecord? {
    find(key)?.found.record
  }

  package func read(_ key: CacheKey, protecting: Bool = false) -> CachedEntry? {
    if protecting { protect(key) }
    return read(key, isRetry: false)
  }

  private func read(_ key: CacheKey, isRetry: Bool) -> CachedEntry? {
    guard let entry = find(key) else { return missed() }
    let found = entry.found
    if isTooOld(found.record) { return missed() }
    guard let content = found.record.content else { return negative(found) }
    do throws(FileSystemFailure) {
      let bytes = try blobs.read(content, at: entry.path)
      if let bytes,
        !verifies(found) || bytes.withUnsafeBytes({ CRC32C.checksum(of: $0) }) == content.checksum
      {
        accessed(found)
        return CachedEntry(record: found.record, bytes: bytes)
      }
      // Another process may have evicted or replaced the entry since it was found, which is not
      // damage.
      if isUnchanged(found) { return damaged(found, "its bytes are not those that were stored") }
      return isRetry ? missed() : read(key, isRetry: true)
    } catch {
      configuration.log("cannot read \(key.name) from the cache: \(error.reason) (\(error.path))")
      return missed()
    }
  }

  package func path(for key: CacheKey, protecting: Bool = false) -> String? {
    if protecting { protect(key) }
    guard let entry = find(key), let content = entry.found.record.content,
      !isTooOld(entry.found.record)
    else { return missed() }
    guard blobs.holds(content, at: entry.path) else {
      guard isUnchanged(entry.found) else { return missed() }
      return damaged(entry.found, "its file is missing or has another length")
    }
    accessed(entry.found)
    return entry.path
  }

  /// The path of the file of an entry that has just been read or stored; `nil` for one without
  /// bytes. Looks at no file, and does not count as an access.
  package func location(of record: CacheRecord) -> String? {
    record.content.map { blobs.path(of: $0.hash, in: BlobArea(of: record.key)) }
  }

  func protect(_ key: CacheKey) {
    ledger.withLock { _ = $0.protected.insert(key.indexHash) }
  }

  /// Finds an entry; see ``DiskCache/record(for:)``.
  func find(_ key: CacheKey) -> RecordFront.Entry? {
    if key.isEmpty { return nil }
    let entries = index.entries(like: key, hash: key.indexHash)
    if let entry = entries.first(where: { $0.found.record.key == key }) { return entry }
    guard case .original(let url, "") = key else { return nil }
    return
      entries
      .filter { $0.found.record.key.isVariation(of: url) && $0.found.record.status != 206 }
      .max { $0.found.record.responseTime < $1.found.record.responseTime }
  }

  /// Whether an entry exceeds the maximum age; the next write removes it.
  private func isTooOld(_ record: CacheRecord) -> Bool {
    guard let maximum = configuration.maximumAge, !record.isPinned else { return false }
    let age = configuration.clock().microseconds - record.responseTime.microseconds
    return age > maximum.microseconds
  }

  private func verifies(_ found: IndexedRecord) -> Bool {
    switch configuration.readVerification {
    case .always: true
    case .never: false
    case .sampled:
      found.boot != boot || readCount.add(1, ordering: .relaxed).oldValue & 15 == 0
    }
  }

  /// Whether the index still names the same bytes; asks the index itself.
  private func isUnchanged(_ found: IndexedRecord) -> Bool {
    let key = found.record.key
    let hash = key.indexHash
    let current = index.read { try $0.record(for: key, hash: hash) } ?? nil
    return current?.record.content == found.record.content
  }

  func accessed(_ found: IndexedRecord) {
    let now = configuration.clock()
    let isDue = ledger.withLock { ledger in
      let time = ledger.time(now)
      ledger.touch(found.row, at: time)
      ledger.count(.diskHits)
      return ledger.isDue(at: time)
    }
    if isDue { flush() }
  }

  private func missed<Result>() -> Result? {
    count(.diskMisses)
    return nil
  }

  private func negative(_ found: IndexedRecord) -> CachedEntry? {
    if let expires = found.record.expires, expires <= configuration.clock() { return missed() }
    accessed(found)
    return CachedEntry(record: found.record, bytes: [])
  }

  /// Drops an entry whose bytes are damaged; the next store replaces it.
  private func damaged<Result>(_ found: IndexedRecord, _ reason: String) -> Result? {
    count(.damaged)
    let key = found.record.key
    // Where it cannot be dropped, as on a read-only disk, it is reported once.
    if ledger.withLock({ $0.reported.insert(key.indexHash).inserted }) {
      configuration.log("dropped \(key.name) from the cache: \(reason)")
    }
    try? drop(found)
    return missed()
  }

  /// Removes an entry unless it was replaced since it was found.
  func drop(_ found: IndexedRecord) throws(ImageError) {
    let blobs = blobs
    try index.write { writer in
      try writer.removeDoomed(from: blobs)
      guard let current = try writer.record(for: found.record.key),
        current.record.content == found.record.content
      else { return }
      try writer.delete(current)
    }
  }
}
