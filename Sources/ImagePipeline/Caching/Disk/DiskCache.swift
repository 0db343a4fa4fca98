#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Originals, variants and documents as regular files in a directory, found through an index.
///
/// Any number of processes, and threads in each, may use one directory. Methods are synchronous and may wait for
/// the disk: call them from threads that may. A read never fails: what cannot be read is a miss.
public final class DiskCache: Sendable {
  /// What the cache was opened with.
  public let configuration: Configuration

  /// Opens a directory, making or migrating it as needed.
  ///
  /// - Throws: ``ImageError`` with code `cacheUnusable` when the directory cannot be made or written to, or was
  ///   made by a newer version.
  public init(_ configuration: Configuration) throws(ImageError) {
    self.configuration = configuration
  }

  // MARK: Reading

  /// The record of an entry, without a look at its file. Counts as no access.
  public func record(for key: CacheKey) -> CacheRecord? { nil }

  /// Reads an entry whole. Damaged or missing bytes are dropped, counted and read as a miss.
  ///
  /// Negative entries that have not expired are returned, with no bytes.
  ///
  /// - Parameter protecting: Keeps the entry from eviction by this instance: it was asked for by name.
  public func read(_ key: CacheKey, protecting: Bool = false) -> CachedEntry? { nil }

  /// The path of the regular, read-only file with an entry's bytes; its length was compared.
  public func path(for key: CacheKey, protecting: Bool = false) -> String? { nil }

  // MARK: Writing

  /// Begins a temporary file for bytes that arrive in pieces.
  public func stage() throws(ImageError) -> StagedBlob {
    throw ImageError(.cacheUnusable, "the disk cache is not built yet")
  }

  /// Publishes staged bytes under the record's key and returns the record with its content.
  ///
  /// - Throws: ``ImageError``: `cacheFull` when the bytes do not fit beside what is pinned or protected,
  ///   `diskFull`, `storeFailed` or `cacheUnusable`.
  @discardableResult
  public func commit(
    _ staged: StagedBlob, _ record: CacheRecord, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord { record }

  /// Stores bytes that are at hand; as ``commit(_:_:protecting:)``.
  @discardableResult
  public func store(
    _ bytes: [UInt8], _ record: CacheRecord, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord { record }

  /// Takes a whole file on the same file system into the cache: it is hashed, renamed and gone from its place.
  @discardableResult
  public func adopt(
    fileAt path: String, _ record: CacheRecord, protecting: Bool = false
  ) throws(ImageError) -> CacheRecord { record }

  /// Remembers that there is nothing for a key; see ``CacheRecord/failure`` and ``CacheRecord/expires``.
  public func storeNegative(_ record: CacheRecord) throws(ImageError) {}

  /// Replaces what is known of an entry (after a 304); its bytes stay. No effect when the entry is gone.
  public func update(_ record: CacheRecord) throws(ImageError) {}

  /// Removes entries; absent ones are no error.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func remove(_ keys: [CacheKey]) throws(ImageError) -> Int { 0 }

  /// Removes all entries that a selection names.
  @discardableResult
  public func remove(matching selection: EntrySelection) throws(ImageError) -> Int { 0 }

  // MARK: Groups

  /// Adds entries to a group; absent entries are skipped.
  public func addGroup(_ group: String, to keys: [CacheKey]) throws(ImageError) {}

  /// Keeps a group's entries, now and later, from eviction, or no longer.
  ///
  /// - Returns: How many entries the group has.
  @discardableResult
  public func setPinned(_ pinned: Bool, group: String) throws(ImageError) -> Int { 0 }

  /// Gives a group's entries a time to live of their own, counted like the maximum age; `nil` takes it back.
  public func setMaximumAge(_ age: Duration?, group: String) throws(ImageError) {}

  /// The names of all groups, sorted.
  public func groups() -> [String] { [] }

  // MARK: Looking around

  /// Calls `body` with each entry that a selection names, oldest first, groups filled in, until it returns false.
  public func forEachEntry(
    matching selection: EntrySelection = .all, _ body: (CacheRecord) -> Bool
  ) {}

  /// All entries that a selection names, oldest first, with their groups.
  public func entries(matching selection: EntrySelection = .all) -> [CacheRecord] { [] }

  /// What the cache holds and how it fared; includes what this process has not yet written down.
  public func statistics() -> CacheStatistics { CacheStatistics() }

  /// Counts an event; written down with the next batch.
  public func count(_ counter: CacheCounter, by amount: Int = 1) {}

  /// A small value kept with the directory, such as the last refresh of a feed.
  public func state(_ name: String) -> String? { nil }

  /// Sets or, with `nil`, removes a small value.
  public func setState(_ value: String?, for name: String) throws(ImageError) {}

  /// The values whose names begin with `prefix`.
  public func states(withPrefix prefix: String) -> [String: String] { [:] }

  /// Writes down accesses and counters now. Also done every few seconds and at the end of the instance.
  public func flush() {}
}
