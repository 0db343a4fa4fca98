/// Keeping the ranks in the index those of the policy, and the limit that of the disk.
extension DiskCache {
  /// An access this far ahead of the clock was written under another clock, in microseconds: an
  /// hour.
  private static let toleratedSkew: Int64 = 3_600_000_000
  /// After so many bytes stored the default limit is measured anew.
  private static let bytesBetweenMeasures = 8 << 20

  /// Once for an instance, before its first eviction can happen: ranks of another policy are
  /// computed anew, and accesses from the future are brought to now, lest such entries stay for
  /// ever.
  func prepareRanks(at time: Int64, _ writer: IndexWriter) throws {
    if rankState.withLock({ $0.isPrepared }) { return }
    let name = policy.withLock { $0.name }
    let known = try writer.state("policy")
    if known != name {
      // Lacking a name it is a new cache, or one of before there was a choice: those are ranked by
      // time.
      if known != nil || name != "lru" {
        try writer.rankAll { facts in self.policy.withLock { $0.rank(of: facts) } }
      }
      try writer.setState(name, for: "policy")
    } else if let inflation = try writer.state("policy:inflation").flatMap(Double.init) {
      policy.withLock { $0.inflation = max($0.inflation, inflation) }
    }
    if configuration.maximumAge != nil {
      try writer.database.execute("CREATE INDEX IF NOT EXISTS entry_age ON entry(responded)")
    }
    try writer.clampAccesses(after: time + Self.toleratedSkew, to: time) { facts in
      self.policy.withLock { $0.rank(of: facts) }
    }
    let ghosts = policy.withLock { $0.remembersEvicted } ? try writer.prepareGhosts() : nil
    rankState.withLock { state in
      state.isPrepared = true
      state.ghostCount = ghosts
    }
  }

  /// Tells the policy of an eviction, and remembers the entry's accesses where the policy wants
  /// that.
  func learnEviction(_ hash: UInt64, rank: Double, accesses: Int, _ writer: IndexWriter) throws {
    policy.withLock { $0.evicted(rank: rank) }
    guard let count = rankState.withLock({ $0.ghostCount }) else { return }
    try writer.remember(hash, accesses: accesses)
    let maximum = budget(of: .pictures).maximumGhostCount
    let rest = count < maximum ? count + 1 : try writer.fadeGhosts(maximum: maximum)
    rankState.withLock { $0.ghostCount = rest }
  }

  /// How often an entry that comes back was asked for before it was evicted, as far as that is
  /// remembered.
  func accessesBeforeEviction(_ key: CacheKey, _ writer: IndexWriter) throws -> Int {
    guard rankState.withLock({ $0.ghostCount }) ?? 0 > 0 else { return 0 }
    return try writer.recall(key.indexHash)
  }

  /// Writes down how far the policy's ranks have aged.
  func saveInflation(_ writer: IndexWriter) throws {
    let inflation = policy.withLock { $0.inflation }
    guard rankState.withLock({ $0.isPrepared && $0.savedInflation != inflation }) else { return }
    try writer.setState(String(inflation), for: "policy:inflation")
    rankState.withLock { $0.savedInflation = inflation }
  }

  /// Counts bytes that were stored; now and then the default limit follows the free space.
  func adaptLimit(afterStoring byteCount: Int) {
    guard configuration.maximumByteCount == nil else { return }
    let isDue = rankState.withLock { state in
      state.bytesSinceMeasure += byteCount
      guard state.bytesSinceMeasure > Self.bytesBetweenMeasures else { return false }
      state.bytesSinceMeasure = 0
      return true
    }
    if isDue { adaptLimit() }
  }
}

/// What an instance has done about ranks and limit.
struct RankState: Sendable {
  var isPrepared = false
  var savedInflation = 0.0
  var bytesSinceMeasure = 0
  /// About how many evicted entries are remembered; `nil` where the policy wants none. Other
  /// processes count their own, so the limit may be passed by as much.
  var ghostCount: Int?
}
