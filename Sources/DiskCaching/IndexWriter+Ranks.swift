import CachePolicies

/// Ranks of many entries at once.
extension IndexWriter {
  /// Returns a small value as it is in this transaction.
  func state(_ name: String) throws -> String? {
    let query = try statement("SELECT value FROM state WHERE name = ?1")
    query.bind(1, name)
    defer { query.reset() }
    return try query.step() ? query.text(0) : nil
  }

  /// Sets the rank of every entry.
  func rankAll(_ rank: (EvictionFacts) -> Double) throws {
    try rerank("SELECT id, byte_count, accesses, accessed FROM entry", rank: rank)
  }

  /// Sets accesses after a moment to `time`.
  func clampAccesses(
    after moment: Int64, to time: Int64, rank: (EvictionFacts) -> Double
  ) throws {
    // By the index of ranks where they are times; elsewhere ranks do not depend on the clock.
    try rerank(
      """
      SELECT id, byte_count, accesses, accessed FROM entry
      WHERE area IN (0, 1) AND pins = 0 AND sha IS NOT NULL AND rank > \(moment)
        AND accessed > \(moment)
      """, at: time, rank: rank)
  }

  private func rerank(
    _ sql: String, at time: Int64? = nil, rank: (EvictionFacts) -> Double
  ) throws {
    let query = try database.prepare(sql)
    var found: [(row: Int64, facts: EvictionFacts)] = []
    while try query.step() {
      let accessed = time ?? query.integer(3)
      let facts = EvictionFacts(
        byteCount: Int(query.integer(1)), accessCount: Int(query.integer(2)),
        lastAccess: Double(accessed))
      found.append((query.integer(0), facts))
    }
    let change = try statement("UPDATE entry SET accessed = ?2, rank = ?3 WHERE id = ?1")
    for (row, facts) in found {
      change.bind(1, row)
      change.bind(2, Int64(facts.lastAccess))
      change.bind(3, rank(facts))
      try change.run()
    }
  }
}
