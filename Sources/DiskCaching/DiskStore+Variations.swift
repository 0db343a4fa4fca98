import HTTPCaching
import ImageModel

extension DiskStore {
  /// Costs what the look-up of one record costs.
  package func variations(of url: String) -> [CacheRecord] {
    let key = CacheKey.original(url: url)
    guard !key.isEmpty else { return [] }
    var records: [CacheRecord] = []
    for entry in index.entries(like: key, hash: key.indexHash)
    where entry.found.record.key.isVariation(of: url) {
      records.append(entry.found.record)
    }
    if records.count > 1 { records.sort { $0.responseTime > $1.responseTime } }
    return records
  }

  /// Counts an access to an entry whose bytes were not read, as with a 304.
  package func touch(_ key: CacheKey) {
    if let entry = find(key) { accessed(entry.found) }
  }

  /// Drops the least recently used variations of a URL where one more would exceed
  /// ``StoredResponse/maximumVariantCount``, except pinned entries, and none of a protected URL.
  ///
  /// - Parameter record: The entry that is about to be stored.
  /// - Returns: The number of entries dropped.
  func dropExcessVariations(beside record: CacheRecord, _ writer: IndexWriter) throws -> Int {
    guard case .original(let url, let vary) = record.key, !vary.isEmpty,
      !isProtected(record.key.indexHash)
    else { return 0 }
    let found = try writer.variations(of: url)
    let excess = found.count + 1 - StoredResponse.maximumVariantCount
    guard excess > 0 else { return 0 }
    let dropped = found.filter { !$0.record.isPinned }
      .map { (entry: $0, lastAccess: lastAccess(of: $0)) }
      .sorted { $0.lastAccess < $1.lastAccess }
      .prefix(excess)
    for (entry, _) in dropped { try writer.delete(entry) }
    return dropped.count
  }

  /// The last access to an entry in microseconds, unwritten ones included.
  private func lastAccess(of entry: IndexedRecord) -> Int64 {
    max(
      entry.record.lastAccess.microseconds,
      ledger.withLock { $0.lastAccess(of: entry.row) } ?? .min)
  }
}
