public import ImageModel
public import LoadScheduling

/// Originals, variants and documents as regular files in a directory, found through an index.
///
/// Any number of processes, and threads in each, may use one directory. Methods that touch the disk
/// are asynchronous and run on threads of the cache; a task that runs on a `BlockingExecutor`
/// already calls them without a thread switch. Cancelling the calling task does not interrupt them.
/// A read never fails: what cannot be read is a miss.
///
/// A store writes and hashes a file; then, under the lock of the index, it makes room, gives the file
/// its hash as its name, and writes the record. A removal removes the record first, then the file. A
/// crash therefore leaves at worst a file without a record, which ``collectGarbage()`` removes.
public final class DiskCache: Sendable {
  /// The synchronous core, for code that is on a thread that may block.
  package let core: DiskStore
  private let threads: Locked<Threads>

  private struct Threads {
    /// The executor that was given or is shared; otherwise the cache's own once it is needed.
    var executor: BlockingExecutor?
    var isOwn = false
  }

  /// Two that read while one writes.
  private static let threadCount = 3

  /// Opens a directory, or creates it if ``Configuration/access`` permits. Blocks meanwhile.
  ///
  /// `executor` has the threads to use. Default: those of the pipeline that has the cache, as long
  /// as it is open; otherwise three of the cache's own, started when they are first needed.
  ///
  /// - Throws: `ImageError` with code `cacheUnusable` when the directory cannot be created or
  ///   used, has an empty path or one that begins with `~`, was made by a newer version, or belongs
  ///   to another user and is writable by all.
  public convenience init(
    _ configuration: Configuration, executor: BlockingExecutor? = nil
  ) throws(ImageError) {
    self.init(try DiskStore(configuration), executor: executor)
  }

  init(_ core: DiskStore, executor: BlockingExecutor? = nil) {
    self.core = core
    threads = Locked(Threads(executor: executor))
  }

  deinit {
    threads.withLock { if $0.isOwn { $0.executor?.stop() } }
  }

  /// The configuration that the cache was opened with.
  public var configuration: Configuration { core.configuration }

  /// The prefixes of bodies in this directory, shared by all processes, for
  /// `HTTPFetcher.Configuration.partialBodies`. They take a quarter of the limit at most.
  public var partialBodies: PartialBodies { core.partialBodies }

  /// Uses the threads of a pipeline in place of the cache's own, unless another's are in use.
  package func share(_ executor: BlockingExecutor) {
    threads.withLock { threads in
      guard threads.isOwn || threads.executor?.hasEnded ?? true else { return }
      threads.executor?.stop()
      threads = Threads(executor: executor)
    }
  }

  /// Runs steps that belong together on the cache's threads, or on the calling thread where that
  /// may block or the system grants no other.
  ///
  /// `nonisolated(nonsending)`, as its callers: without it the runtime would pass through Swift's
  /// own threads, or at least check, and an inline call would cost five times as much.
  package nonisolated(nonsending) func perform<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (DiskStore) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if BlockingExecutor.isCurrentThread { return try body(core) }
    let executor = threads.withLock { threads in
      if threads.executor?.hasEnded ?? true {
        let own = try? BlockingExecutor(name: "disk", threadCount: Self.threadCount)
        threads = Threads(executor: own, isOwn: true)
      }
      return threads.executor
    }
    guard let executor else { return try body(core) }
    return try await executor.runUncancelled { [core] () throws(Failure) in try body(core) }
  }

  // MARK: Reading

  /// Returns the record of an entry, without a look at its file. Does not count as an access.
  ///
  /// For the key of a URL alone it is the response that neither fields nor credentials of the request
  /// selected, or else the newest of those that were.
  nonisolated(nonsending) public func record(for key: CacheKey) async -> CacheRecord? {
    await perform { $0.find(key)?.currentRecord }
  }

  /// Returns the records of entries, without a look at their files; absent ones are left out. Does
  /// not count as an access.
  nonisolated(nonsending) public func records(for keys: [CacheKey]) async -> [CacheKey: CacheRecord]
  {
    await perform { store in
      var records: [CacheKey: CacheRecord] = [:]
      for key in keys where records[key] == nil { records[key] = store.record(for: key) }
      return records
    }
  }

  /// Whether bytes are stored for a key. Does not count as an access.
  nonisolated(nonsending) public func holds(_ key: CacheKey) async -> Bool {
    await record(for: key).map { !$0.isNegative } ?? false
  }

  /// Reads an entry. Damaged or missing bytes are dropped, counted and read as a miss.
  ///
  /// Negative entries that have not expired are returned, with no bytes.
  ///
  /// `protecting` is whether the entry, which was requested by name, is protected from eviction by
  /// this instance.
  nonisolated(nonsending) public func read(_ key: CacheKey, protecting: Bool = false) async
    -> CachedEntry?
  {
    await perform { $0.read(key, protecting: protecting) }
  }

  /// Returns the path of the regular, read-only file with an entry's bytes, after comparing its
  /// length and, as ``Configuration/readVerification`` says, its checksum.
  nonisolated(nonsending) public func path(for key: CacheKey, protecting: Bool = false) async
    -> String?
  {
    await perform { $0.path(for: key, protecting: protecting) }
  }

  /// Returns the records of all responses stored for a URL, newest first, negative and stale ones
  /// included (RFC 9111 §4.1). Does not count as an access.
  ///
  /// Each is a separate entry, under `.original(url:vary:)`. The caller decides which one a request
  /// may use: it compares the `Vary` of ``CacheRecord/headers`` and the key's `vary` with the
  /// request.
  nonisolated(nonsending) public func variations(of url: String) async -> [CacheRecord] {
    await perform { store in store.variations(of: url).filter(store.shows) }
  }

  // MARK: Writing

  /// Stores bytes under the record's key, in place of an older entry.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - record: Their metadata; ``CacheRecord/groups`` are added to.
  ///   - protecting: Whether the entry is protected from eviction; see ``read(_:protecting:)``.
  /// - Returns: The record with its content.
  /// - Throws: `ImageError`: `cacheFull` when the bytes do not fit beside pinned and protected
  ///   entries, `notAdmitted` as ``Configuration/refusesNewcomers`` says, `diskFull`, `storeFailed` or
  ///   `cacheUnusable`.
  @discardableResult
  nonisolated(nonsending) public func store(
    _ bytes: [UInt8], _ record: CacheRecord, protecting: Bool = false
  ) async throws(ImageError) -> CacheRecord {
    try await perform { store throws(ImageError) in
      try store.store(bytes, record, protecting: protecting)
    }
  }

  /// Adds the placeholder of an image to the record of the entry it was made from; does nothing if
  /// that has one or other bytes by now, or the directory cannot be written to.
  ///
  /// - Parameters:
  ///   - thumbHash: See ``CacheRecord/thumbHash``.
  ///   - dominantColor: See ``CacheRecord/dominantColor``.
  ///   - record: The entry.
  nonisolated(nonsending) public func addPlaceholder(
    thumbHash: [UInt8], dominantColor: UInt32, of record: CacheRecord
  ) async {
    await perform { store in
      guard var kept = store.record(for: record.key), kept.thumbHash.isEmpty,
        let content = kept.content, content.hash == record.content?.hash
      else { return }
      (kept.thumbHash, kept.dominantColor) = (thumbHash, dominantColor)
      try? store.update(kept)
    }
  }

  /// Removes entries; absent ones are not an error.
  ///
  /// - Returns: The number of entries removed.
  @discardableResult
  nonisolated(nonsending) public func remove(_ keys: [CacheKey]) async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in try store.remove(keys) }
  }
}
