import CachePolicies

/// The access counts of evicted entries, for policies whose counts outlive eviction.
///
/// An index of a version without the table gets it when such a policy first runs; nothing else
/// depends on it.
extension IndexWriter {
  /// Rows beyond which counts are halved and zeros dropped: about two mebibytes.
  static let maximumGhostCount = GDSFTBRank.maximumGhostCount

  /// Creates the table where it is missing.
  ///
  /// - Returns: Rows in it.
  func prepareGhosts() throws -> Int {
    try database.execute(
      "CREATE TABLE IF NOT EXISTS ghost(hash INTEGER PRIMARY KEY, accesses INTEGER NOT NULL)")
    return Int(try database.integer("SELECT count(*) FROM ghost"))
  }

  /// Remembers an entry that is being evicted.
  func remember(_ hash: UInt64, accesses: Int) throws {
    let change = try statement("INSERT OR REPLACE INTO ghost VALUES(?1, ?2)")
    change.bind(1, Int64(bitPattern: hash))
    change.bind(2, Int64(accesses))
    try change.run()
  }

  /// Returns the access count of an evicted entry, and forgets it.
  func recall(_ hash: UInt64) throws -> Int {
    let query = try statement("DELETE FROM ghost WHERE hash = ?1 RETURNING accesses")
    query.bind(1, Int64(bitPattern: hash))
    defer { query.reset() }
    return try query.step() ? Int(query.integer(0)) : 0
  }

  /// Halves all counts and drops zeros; then, if needed, some of the rest, down to half of
  /// `maximum`.
  ///
  /// - Returns: The number of rows left.
  func fadeGhosts(maximum: Int = maximumGhostCount) throws -> Int {
    try database.execute(
      """
      UPDATE ghost SET accesses = min(accesses, 15) / 2;
      DELETE FROM ghost WHERE accesses = 0;
      """)
    let excess =
      Int(try database.integer("SELECT count(*) FROM ghost")) - maximum / 2
    if excess > 0 {
      // Hashes have no order that matters: this is as good as random.
      try database.execute(
        "DELETE FROM ghost WHERE hash IN (SELECT hash FROM ghost ORDER BY hash LIMIT \(excess))")
    }
    return Int(try database.integer("SELECT count(*) FROM ghost"))
  }
}
