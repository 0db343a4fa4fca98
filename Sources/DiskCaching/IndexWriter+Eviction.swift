import ImageModel

/// Making room, in the transaction of the store that needs it.
extension IndexWriter {
  /// Receives the hash, the rank and the accesses of an evicted entry.
  typealias EvictionNote = (_ hash: UInt64, _ rank: Double, _ accesses: Int) throws -> Void

  /// Bytes that an area's files and folders may have.
  struct Room {
    let budget: DiskBudget
    var byteCount: Int
    /// Files about to be added.
    var addedCount = 0

    /// Bytes by which the area is too large.
    func excess(of area: BlobArea, in totals: IndexTotals) -> Int {
      let files = totals.count(of: area) + addedCount
      return totals.countedByteCount(of: area) + budget.folderByteCount(fileCount: files)
        - byteCount
    }
  }

  /// What the deletion of an entry needs to know.
  struct Row {
    let row: Int64
    let hash: UInt64
    let content: CacheContent?
    let area: BlobArea
  }

  /// A row that may be evicted.
  private struct Candidate {
    let entry: Row
    let rank: Double
    let accesses: Int
  }

  /// Evicts entries, lowest rank first, until an area's files and folders fit.
  ///
  /// - Parameters:
  ///   - room: Bytes for files and folders, counted as `budget` does.
  ///   - row: A row that is about to be replaced and must stay.
  ///   - spared: Whether the entry with this key hash must stay.
  ///   - evicted: Called for each evicted entry.
  /// - Returns: The number evicted; `nil` when not enough may be evicted and the transaction has to
  ///   be rolled back.
  func shrink(
    _ area: BlobArea, to room: Room, keeping row: Int64? = nil,
    sparing spared: (UInt64) -> Bool, evicted: EvictionNote
  ) throws -> Int? {
    var count = 0
    while true {
      let excess = try room.excess(of: area, in: currentTotals())
      if excess <= 0 { return count }
      let files = try currentTotals().count(of: area)
      let budget = room.budget
      // What removing one file frees beside its blocks.
      let folder =
        budget.folderByteCount(fileCount: files) - budget.folderByteCount(fileCount: files - 1)
      let gone = try evict(in: area, keeping: row, sparing: spared, evicted: evicted) {
        $1 + $0 * folder >= excess
      }
      if gone == 0 { return nil }
      count += gone
    }
  }

  /// Evicts entries with the lowest ranks, at most so many.
  ///
  /// - Returns: The number evicted.
  func evict(
    _ maximumCount: Int, in area: BlobArea, keeping row: Int64? = nil,
    sparing spared: (UInt64) -> Bool, evicted: EvictionNote
  ) throws -> Int {
    try evict(in: area, keeping: row, sparing: spared, evicted: evicted) { count, _ in
      count >= maximumCount
    }
  }

  private func evict(
    in area: BlobArea, keeping row: Int64?, sparing spared: (UInt64) -> Bool,
    evicted: EvictionNote, until isEnough: (_ count: Int, _ counted: Int) -> Bool
  ) throws -> Int {
    let candidates = try candidates(
      in: area, keeping: row, sparing: spared, until: isEnough)
    for candidate in candidates {
      try delete(candidate.entry)
      try evicted(candidate.entry.hash, candidate.rank, candidate.accesses)
    }
    return candidates.count
  }

  private func candidates(
    in area: BlobArea, keeping row: Int64?, sparing spared: (UInt64) -> Bool,
    until isEnough: (_ count: Int, _ counted: Int) -> Bool
  ) throws -> [Candidate] {
    let query = try statement(
      """
      SELECT id, hash, sha, byte_count, checksum, area, rank, accesses FROM entry
      WHERE area = ?1 AND pins = 0 AND sha IS NOT NULL ORDER BY rank
      """)
    query.bind(1, Int64(area.rawValue))
    defer { query.reset() }
    var found: [Candidate] = []
    var counted = 0
    while !isEnough(found.count, counted), try query.step() {
      if query.integer(0) == row || spared(UInt64(bitPattern: query.integer(1))) { continue }
      let entry = Row(query)
      guard let content = entry.content else { continue }
      found.append(
        Candidate(entry: entry, rank: query.double(6), accesses: Int(query.integer(7))))
      counted += DiskBudget.counted(content.byteCount)
    }
    return found
  }

  /// Removes at most `limit` entries that were fetched or confirmed before a moment, unless pinned.
  func expire(before date: Int64, limit: Int, sparing spared: (UInt64) -> Bool) throws -> Int {
    try drop(
      """
      SELECT id, hash, sha, byte_count, checksum, area FROM entry
      WHERE responded < ?1 AND pins = 0 ORDER BY responded LIMIT ?2
      """, date, limit, sparing: spared)
  }

  /// Removes at most `limit` negative entries that expired before a moment.
  func expireNegative(before date: Int64, limit: Int) throws -> Int {
    try drop(
      """
      SELECT id, hash, sha, byte_count, checksum, area FROM entry
      WHERE expires < ?1 AND sha IS NULL ORDER BY expires LIMIT ?2
      """, date, limit, sparing: { _ in false })
  }

  /// Removes negative entries, those that expire first before others.
  ///
  /// - Returns: The number removed.
  func dropNegatives(_ count: Int) throws -> Int {
    if try currentTotals().negativeCount == 0 { return 0 }
    let dropped = try expireNegative(before: .max, limit: count)
    if dropped > 0 { return dropped }
    // Those that do not expire are in no index.
    return try drop(
      """
      SELECT id, hash, sha, byte_count, checksum, area FROM entry
      WHERE responded < ?1 AND sha IS NULL LIMIT ?2
      """, .max, count, sparing: { _ in false })
  }

  private func drop(
    _ sql: String, _ date: Int64, _ limit: Int, sparing spared: (UInt64) -> Bool
  ) throws -> Int {
    let query = try statement(sql)
    query.bind(1, date)
    query.bind(2, Int64(limit))
    return try deleteRows(of: query, sparing: spared)
  }

  /// Deletes the rows of a query for `id, hash, sha, byte_count, checksum, area`.
  ///
  /// - Returns: The number deleted.
  func deleteRows(
    of query: SQLiteStatement, sparing spared: (UInt64) -> Bool = { _ in false }
  ) throws -> Int {
    var found: [Row] = []
    while try query.step() {
      let row = Row(query)
      if !spared(row.hash) { found.append(row) }
    }
    for entry in found { try delete(entry) }
    return found.count
  }

  /// Removes the files marked for removal that no record has named again.
  ///
  /// Runs under the writer's lock, so no store publishes the same bytes meanwhile.
  func removeDoomed(from blobs: BlobStore) throws {
    guard doomedCount > 0 else { return }
    let query = try statement("SELECT area, sha FROM doomed")
    var doomed: [(BlobArea, BlobHash)] = []
    while try query.step() {
      guard let area = BlobArea(rawValue: Int(query.integer(0))), let hash = query.hash(1) else {
        continue
      }
      doomed.append((area, hash))
    }
    for (area, hash) in doomed where try !isReferenced(hash, in: area) {
      try? blobs.remove(hash, in: area)
    }
    try statement("DELETE FROM doomed").run()
    doomedCount = 0
  }

  /// Removes those files of a folder that no record names.
  ///
  /// Runs under the writer's lock, so no store is between publishing a file and writing its record.
  func removeUnreferenced(
    _ names: [String], in folder: String, _ area: BlobArea, from blobs: BlobStore
  ) throws -> (count: Int, byteCount: Int) {
    var removed = (count: 0, byteCount: 0)
    for name in names {
      // A file with another name does not belong to the cache: it stays.
      guard let hash = BlobHash(hex: name), name == hash.hex, try !isReferenced(hash, in: area)
      else { continue }
      let path = "\(folder)/\(name)"
      guard let facts = try blobs.files.facts(at: path), facts.isRegular else { continue }
      try blobs.files.remove(path)
      removed.count += 1
      removed.byteCount += facts.byteCount
    }
    return removed
  }

  /// Recounts the totals.
  func recount() throws {
    try statement(IndexTotals.recount).run()
    forgetTotals()
  }
}

extension IndexWriter.Row {
  /// Reads `id, hash, sha, byte_count, checksum, area`.
  fileprivate init(_ query: SQLiteStatement) {
    row = query.integer(0)
    hash = UInt64(bitPattern: query.integer(1))
    content = query.hash(2).map {
      CacheContent(
        hash: $0, byteCount: Int(query.integer(3)),
        checksum: UInt32(truncatingIfNeeded: query.integer(4)))
    }
    area = BlobArea(rawValue: Int(query.integer(5))) ?? .images
  }
}
