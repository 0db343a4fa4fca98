import CachePolicies

/// Groups, pins, counters and small values.
extension IndexWriter {
  /// Returns the row of a group, which is created when it is missing.
  func group(_ name: String) throws -> (row: Int64, isPinned: Bool) {
    let query = try statement("SELECT id, pinned FROM crowd WHERE name = ?1")
    query.bind(1, name)
    if try query.step() {
      defer { query.reset() }
      return (query.integer(0), query.integer(1) != 0)
    }
    let insertion = try statement("INSERT INTO crowd(name) VALUES(?1)")
    insertion.bind(1, name)
    try insertion.run()
    return (database.lastInsertedRow, false)
  }

  /// Adds an entry to a group; a pinned group pins it.
  func add(_ entry: Int64, to group: (row: Int64, isPinned: Bool)) throws {
    let insertion = try statement("INSERT OR IGNORE INTO member VALUES(?1, ?2)")
    insertion.bind(1, group.row)
    insertion.bind(2, entry)
    try insertion.run()
    guard group.isPinned, database.changedRows > 0 else { return }
    changes(nil)
    let pin = try statement("UPDATE entry SET pins = pins + 1 WHERE id = ?1")
    pin.bind(1, entry)
    try pin.run()
  }

  /// Pins or unpins a group.
  ///
  /// - Returns: The number of its entries.
  func setPinned(_ pinned: Bool, group name: String) throws -> Int {
    let group = try group(name)
    if group.isPinned != pinned {
      changes(nil)
      let change = try statement("UPDATE crowd SET pinned = ?2 WHERE id = ?1")
      change.bind(1, group.row)
      change.bind(2, Int64(pinned ? 1 : 0))
      try change.run()
      let pins = try statement(
        """
        UPDATE entry SET pins = max(0, pins + ?2)
        WHERE id IN (SELECT entry FROM member WHERE crowd = ?1)
        """)
      pins.bind(1, group.row)
      pins.bind(2, Int64(pinned ? 1 : -1))
      try pins.run()
    }
    let count = try statement("SELECT count(*) FROM member WHERE crowd = ?1")
    count.bind(1, group.row)
    defer { count.reset() }
    return try count.step() ? Int(count.integer(0)) : 0
  }

  /// Removes a group, and its entries that are not pinned and in no other group of its family.
  func removeGroup(_ name: String) throws -> Int {
    _ = try setPinned(false, group: name)
    let group = try group(name)
    let family = name.firstIndex(of: ":").map { String(name[...$0]) } ?? name
    let query = try statement(
      """
      SELECT entry.id, entry.hash, sha, byte_count, checksum, area FROM member
      JOIN entry ON entry.id = member.entry
      WHERE member.crowd = ?1 AND pins = 0 AND NOT EXISTS (
        SELECT 1 FROM member AS other JOIN crowd ON crowd.id = other.crowd
        WHERE other.entry = entry.id AND crowd.id <> ?1
          AND substr(crowd.name, 1, length(?2)) = ?2)
      """)
    query.bind(1, group.row)
    query.bind(2, family)
    let count = try deleteRows(of: query)
    for sql in ["DELETE FROM member WHERE crowd = ?1", "DELETE FROM crowd WHERE id = ?1"] {
      let deletion = try statement(sql)
      deletion.bind(1, group.row)
      try deletion.run()
    }
    return count
  }

  /// Sets the maximum age of a group's entries, in microseconds.
  func setMaximumAge(_ age: Int64?, group name: String) throws {
    let group = try group(name)
    let change = try statement("UPDATE crowd SET maximum_age = ?2 WHERE id = ?1")
    change.bind(1, group.row)
    change.bind(2, age)
    try change.run()
  }

  /// Removes entries older than the maximum age of their group.
  ///
  /// `CROSS JOIN` makes SQLite begin with the few groups that have a time.
  func expireGroups(now: Int64) throws -> Int {
    let query = try statement(
      """
      SELECT entry.id, entry.hash, sha, byte_count, checksum, area FROM crowd
      CROSS JOIN member ON member.crowd = crowd.id CROSS JOIN entry ON entry.id = member.entry
      WHERE maximum_age IS NOT NULL AND pins = 0 AND responded < ?1 - maximum_age
      """)
    query.bind(1, now)
    return try deleteRows(of: query)
  }

  /// Adds to the counters; a new run begins its own at zero.
  func count(_ counts: [CacheCounter: Int], beginsRun: Bool) throws {
    if beginsRun { try statement("UPDATE counter SET run = 0").run() }
    let change = try statement(
      """
      INSERT INTO counter VALUES(?1, ?2, ?2)
      ON CONFLICT(name) DO UPDATE SET value = value + ?2, run = run + ?2
      """)
    for (counter, amount) in counts {
      change.bind(1, counter.rawValue)
      change.bind(2, Int64(amount))
      try change.run()
    }
  }

  /// Sets or removes a small value.
  func setState(_ value: String?, for name: String) throws {
    guard let value else {
      let deletion = try statement("DELETE FROM state WHERE name = ?1")
      deletion.bind(1, name)
      return try deletion.run()
    }
    let change = try statement("INSERT OR REPLACE INTO state VALUES(?1, ?2)")
    change.bind(1, name)
    change.bind(2, value)
    try change.run()
  }

  /// Writes accesses to an entry: the last time, the number of further ones, and the new rank.
  func touch(
    _ row: Int64, at time: Int64, times: Int, rank: (EvictionFacts) -> Double
  ) throws {
    let query = try statement("SELECT byte_count, accesses, accessed FROM entry WHERE id = ?1")
    query.bind(1, row)
    guard try query.step() else { return }
    let accesses = Int(query.integer(1)) + times
    let accessed = max(time, query.integer(2))
    let facts = EvictionFacts(
      byteCount: Int(query.integer(0)), accessCount: accesses, lastAccess: Double(accessed))
    query.reset()
    let change = try statement(
      "UPDATE entry SET accessed = ?2, accesses = ?3, rank = ?4 WHERE id = ?1")
    change.bind(1, row)
    change.bind(2, accessed)
    change.bind(3, Int64(accesses))
    change.bind(4, rank(facts))
    try change.run()
  }
}
