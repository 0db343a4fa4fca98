public import HTTPCaching
import HTTPTypes
import ImageModel

extension DiskCache {
  /// Returns a store that keeps the responses of a shared cache in the directory, as originals under
  /// their URLs.
  ///
  /// - Parameters:
  ///   - profile: The rules of the shared cache. By them, what a private cache has put into the
  ///     directory for its one user is not served.
  ///   - log: Receives a line for each response that cannot be stored.
  public func streamingStore(
    profile: CacheProfile, log: @escaping @Sendable (String) -> Void
  ) -> any StreamingResponseStore {
    StreamingDiskStore(self, profile: profile, log: log)
  }
}

private final class StreamingDiskStore: StreamingResponseStore {
  private let directory: DiskCache
  fileprivate var cache: DiskStore { directory.core }
  private let profile: CacheProfile
  fileprivate let log: @Sendable (String) -> Void
  /// Bytes of bodies that are arriving, or have arrived and are still read from there.
  private let stagedByteCount = Locked(0)

  init(_ cache: DiskCache, profile: CacheProfile, log: @escaping @Sendable (String) -> Void) {
    directory = cache
    self.profile = profile
    self.log = log
  }

  func entries(for url: String, request: HTTPFields) -> [StreamingEntry] {
    cache.entries(of: url).compactMap { found in
      let record = found.record
      // The directory may hold responses that a private cache put there for its one user, some that
      // were fetched with credentials of another process, and some of another resource, to which a
      // pipeline was redirected.
      guard !record.isNegative, !record.isAlwaysStale, record.effectiveURL == nil,
        cache.shows(record), HTTPStorability.finalStatuses.contains(record.status)
      else { return nil }
      let response = cache.response(of: record, to: request)
      let isAllowed =
        record.originMark.isEmpty
        ? profile.mayStore(status: record.status, response.fields, for: [:])
        : cache.covers(record)
      guard isAllowed || profile.usesPrivateEntries else { return nil }
      return entry(found, response)
    }
  }

  func stage(byteCount: Int?) -> (any StagedResponse)? {
    let announced = byteCount ?? 0
    guard announced == 0 || reserve(announced) else { return nil }
    do throws(ImageError) {
      return StagedOnDisk(self, try cache.stage(), reserving: announced)
    } catch {
      unreserve(announced)
      log("a response is not stored: \(error.message)")
      return nil
    }
  }

  /// Reserves bytes for a body that is arriving: all of them together may be as large as the largest
  /// that the cache could store.
  fileprivate func reserve(_ count: Int) -> Bool {
    stagedByteCount.withLock { total in
      let (sum, overflow) = total.addingReportingOverflow(count)
      guard !overflow, cache.mayHold(sum) else { return false }
      total = sum
      return true
    }
  }

  fileprivate func unreserve(_ count: Int) { stagedByteCount.withLock { $0 -= count } }

  func update(
    _ entry: StreamingEntry, as response: StoredResponse, for url: String
  ) -> StreamingEntry {
    logging { try cache.update(entry.key, of: url, as: response) }
    return StreamingEntry(key: entry.key, response: response, open: entry.open)
  }

  func touch(_ entry: StreamingEntry, for url: String) { cache.touch(entry.key) }

  func revision(of url: String) -> UInt64? { cache.revision(of: url) }

  func reuse(
    _ key: CacheKey, of url: String, at revision: UInt64, needsBody: Bool
  ) -> (any StoredBody)? {
    cache.reuse(key, at: revision, needsBody: needsBody)
  }

  func remove(_ entry: StreamingEntry, for url: String) {
    logging { try cache.remove([entry.key]) }
  }

  func purge(_ urls: [String], tags: [String]) throws -> Int {
    try cache.purge(CachePurge(urls: urls, tags: tags.compactMap { CacheTag($0) }))
  }

  func urls(under prefixes: [String], tagged tags: [String]) throws -> [String]? {
    try cache.urls(under: prefixes, tagged: tags.compactMap { CacheTag($0) })
  }

  var lastSharedPurge: Date { get async { await directory.lastSharedPurge } }

  func forget(_ purge: TierPurge) async throws { try await directory.forget(purge) }

  func removeAll(inGroups groups: Set<String>, of origin: String) {
    logging { try cache.removeAll(inGroups: groups, of: origin) }
  }

  func variedResponses() -> [(url: String, fields: HTTPFields)] {
    let records = try? cache.variedRecords()
    return (records ?? []).map { ($0.key.name, $0.headers.fields) }
  }

  func removeAll(for url: String) {
    logging { try cache.remove(urls: [url]) }
  }

  private func entry(_ found: IndexEntry, _ stored: StoredResponse) -> StreamingEntry {
    var response = stored
    // A pipeline leaves a field without a value.
    if !profile.storesSetCookie || response.fields[.setCookie] == "" {
      response.fields[.setCookie] = nil
    }
    let cache = cache
    return StreamingEntry(key: found.record.key, response: response) {
      // What has replaced the entry since has other bytes.
      if found.record.byteCount <= DiskStore.wholeByteCount {
        return cache.read(found).flatMap {
          $0.record.content == found.record.content ? $0.bytes : nil
        }
      }
      return cache.open(found).flatMap { $0.content == found.record.content ? $0.body : nil }
    }
  }

  private func logging(_ body: () throws -> Void) {
    do { try body() } catch { log("the cache: \(error)") }
  }
}

private final class StagedOnDisk: StagedResponse {
  private let store: StreamingDiskStore
  private let blob: StagedBlob
  private let reserved: Locked<Int>

  init(_ store: StreamingDiskStore, _ blob: StagedBlob, reserving byteCount: Int) {
    self.store = store
    self.blob = blob
    reserved = Locked(byteCount)
  }

  deinit { store.unreserve(reserved.withLock { $0 }) }

  /// Adds bytes until it, or all responses that are arriving, are larger than the cache.
  func append(_ bytes: [UInt8]) throws {
    do throws(ImageError) {
      let count = blob.byteCount + bytes.count
      try store.cache.checkSize(of: "its beginning", count)
      try reserved.withLock { reserved throws(ImageError) in
        guard count > reserved else { return }
        guard store.reserve(count - reserved) else {
          throw ImageError(.cacheFull, "the responses that are arriving are larger than the cache")
        }
        reserved = count
      }
      try blob.append(bytes)
    } catch {
      store.log("a response is not stored: \(error.message)")
      throw error
    }
  }

  func read(at offset: Int, count: Int) throws -> [UInt8] {
    try blob.read(at: offset, count: count)
  }

  func commit(_ response: StoredResponse, for url: String) throws {
    var record = CacheRecord(
      key: .original(url: url, vary: store.cache.masked(response.selection)),
      at: response.responseTime)
    record.adopt(response)
    record.originMark = store.cache.mark(ofURL: url)
    do throws(ImageError) {
      try store.cache.commit(blob, record)
    } catch {
      // A refusal is a decision, not a failure: the response is read from here as long as it is used.
      if error.code != .notAdmitted { throw error }
    }
  }
}
