/// Several answers of one URL, told apart by fields of the request that `Vary` names (RFC 9111 §4.1).
///
/// Each is an entry of its own, under `.original(url:vary:)`. The caller decides which one a request may have: it
/// compares ``CacheRecord/headers`` (their `Vary`) and the key's `vary` with the request at hand.
extension DiskCache {
  /// The records of every answer kept for a URL, newest response first; negative and stale ones too.
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
