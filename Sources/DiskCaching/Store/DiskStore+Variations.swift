import CachePolicies
package import HTTPCaching
package import ImageModel

extension DiskStore {
  /// As cheap as the look-up of one record. Hidden entries are among them; see ``shows(_:)``.
  package func variations(of url: String) -> [CacheRecord] {
    entries(of: url).map(\.currentRecord)
  }

  func entries(of url: String) -> [IndexEntry] {
    let key = CacheKey.original(url: url)
    guard !key.isEmpty else { return [] }
    let found = index.entries(under: key.indexHash).filter { $0.record.key.isVariation(of: url) }
    return found.count > 1
      ? found.sorted { $0.record.responseTime > $1.record.responseTime } : found
  }

  /// What may answer a request with some credentials, newest first.
  package func variations(for request: RequestCredentials) -> [CacheRecord] {
    variations(of: request.url).filter { shows($0, to: request) }
  }

  /// The newest original that may answer a request with some credentials. A proxy on the directory
  /// keeps redirects, errors and parts as well.
  package func record(for request: RequestCredentials) -> CacheRecord? {
    variations(for: request).first { !$0.isNegative && $0.isUsableByPipelines }
  }

  /// Whether bytes are stored for a URL that may not answer a request with some credentials.
  package func hidesBytes(from request: RequestCredentials) -> Bool {
    variations(of: request.url).contains { !$0.isNegative && !shows($0, to: request) }
  }

  /// Replaces the metadata of an original; if its selecting fields have changed, it is kept under
  /// the new ones as well. Equal bytes are one file. Returns `nil` if the entry no longer exists.
  /// Without credentials of a request that confirmed it, it is for the same as before.
  @discardableResult
  package func update(
    _ key: CacheKey, of url: String, as response: StoredResponse,
    to request: RequestCredentials? = nil
  ) throws(ImageError) -> CacheRecord? {
    guard var record = record(for: key) else { return nil }
    record.adopt(response)
    let isForAll = response.isForAll
    let mark = isForAll ? "" : key.mark.isEmpty ? request.map { keyMark(of: $0) } ?? "" : key.mark
    let renewed = CacheKey.original(url: url, vary: masked(response.selection)).marked(mark)
    if let own = request?.own, !own.isEmpty {
      let fields = OriginMarks.fields(of: self.mark(of: own))
      let others = OriginMarks.fields(of: record.originMark).subtracting(fields)
      record.originMark = OriginMarks.joined(isForAll ? others : others.union(fields))
    }
    if renewed != record.key, let bytes = read(record.key)?.bytes {
      record.key = renewed
      record = try store(bytes, record)
      // It is no longer for all.
      if key.mark.isEmpty, !mark.isEmpty { try remove([key]) }
      return record
    }
    try update(record)
    return record
  }

  /// Counts an access to an entry whose bytes were not read, as with a 304.
  package func touch(_ key: CacheKey) {
    if let entry = find(key) { accessed(entry) }
  }

  /// Drops the least recently used variations of a URL where a new one would exceed
  /// ``StoredResponse/maximumVariantCount``, except pinned entries, and none of a protected URL.
  func dropExcessVariations(beside record: CacheRecord, _ writer: IndexWriter) throws {
    guard case .original(let url, let vary) = record.key, !vary.isEmpty,
      !ledger.withLock({ $0.protected.contains(record.key.indexHash) })
    else { return }
    let found = try writer.variations(of: url)
    let excess = found.count + 1 - StoredResponse.maximumVariantCount
    guard excess > 0 else { return }
    let now = writer.table.tick()
    let dropped = found.filter { $0.match.entry.flags.isDisjoint(with: .retained) }
      .sorted { $0.match.entry.note.age(at: now) > $1.match.entry.note.age(at: now) }
      .prefix(excess)
    for entry in dropped {
      // Removals move entries.
      if let current = try writer.entry(for: entry.record.key) { try writer.delete(current) }
    }
    count(.evictions, by: dropped.count, in: writer.table)
  }
}
