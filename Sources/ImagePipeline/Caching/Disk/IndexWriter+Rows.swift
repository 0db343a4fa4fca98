/// Rows that are to go.
extension IndexWriter {
  /// What the removal of an entry needs to know.
  struct Row {
    let row: Int64
    let hash: UInt64
    let content: CacheContent?
    let area: BlobArea
  }

  /// Reads rows of `id, hash, sha, byte_count, checksum, area`.
  func rows(of query: SQLiteStatement) throws -> [Row] {
    var found: [Row] = []
    while try query.step() {
      let content = query.hash(2).map {
        CacheContent(
          hash: $0, byteCount: Int(query.integer(3)),
          checksum: UInt32(truncatingIfNeeded: query.integer(4)))
      }
      found.append(
        Row(
          row: query.integer(0), hash: UInt64(bitPattern: query.integer(1)), content: content,
          area: BlobArea(rawValue: Int(query.integer(5))) ?? .pictures))
    }
    return found
  }

  /// Removes a row; its bytes go with their last record.
  func delete(_ entry: Row) throws {
    try delete(entry.row, hash: entry.hash, content: entry.content, area: entry.area)
  }
}
