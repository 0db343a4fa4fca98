/// Several answers of one URL, told apart by fields of the request that `Vary` names (RFC 9111
/// §4.1).
///
/// Each is an entry of its own, under `.original(url:vary:)`. The caller decides which one a
/// request may have: it compares ``CacheRecord/headers`` (their `Vary`) and the key's `vary` with
/// the request at hand.
extension DiskCache {
  /// The records of every answer kept for a URL, newest response first; negative and stale ones
  /// too.
  ///
  /// Costs what the look-up of one record costs, and counts as no access.
  public func variations(of url: String) -> [CacheRecord] {
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

  /// Counts an access to an entry that answered without its bytes, as with a 304.
  package func touch(_ key: CacheKey) {
    if let entry = find(key) { accessed(entry.found) }
  }

  /// Drops the least recently used variations of a URL where one more would exceed
  /// ``StoredResponse/maximumVariantCount``; pinned entries stay, and all where the URL was asked for
  /// by name.
  ///
  /// - Parameter record: The entry that is about to be stored.
  /// - Returns: How many went.
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
    for (entry, _) in dropped {
      let key = entry.record.key
      try writer.delete(
        entry.row, hash: key.indexHash, content: entry.record.content, area: BlobArea(of: key))
    }
    return dropped.count
  }

  /// When an entry was last asked for, in microseconds, what is not written down yet included.
  private func lastAccess(of entry: IndexedRecord) -> Int64 {
    max(
      entry.record.lastAccess.microseconds,
      ledger.withLock { $0.lastAccess(of: entry.row) } ?? .min)
  }

  /// Removes every answer kept for these URLs; what is absent is no error.
  ///
  /// - Returns: For how many of the URLs there was one.
  @discardableResult
  public func remove(urls: [String]) throws(ImageError) -> Int {
    if index.mode == .absent { return 0 }
    let blobs = blobs
    let count = try index.write { writer in
      try writer.removeDoomed(from: blobs)
      var count = 0
      for url in urls {
        let found = try writer.variations(of: url)
        for entry in found {
          let key = entry.record.key
          try writer.delete(
            entry.row, hash: key.indexHash, content: entry.record.content, area: BlobArea(of: key))
        }
        if !found.isEmpty { count += 1 }
      }
      return count
    }
    if count > 0 { try removeDoomedFiles() }
    return count
  }
}
