import ImageModel

/// The ranks of the policy in the index, and the default limit by the free space.
extension DiskStore {
  /// An access this far ahead was written under another clock, in microseconds: an hour.
  private static let toleratedSkew: Int64 = 3_600_000_000
  /// Bytes stored between two measurements for the default limit.
  private static let bytesBetweenMeasures = 8 << 20

  /// Prepares for the first eviction of an instance: recomputes the ranks of another policy, and
  /// sets accesses in the future to now, so that such entries do not stay for ever.
  func prepareRanks(at time: Int64, _ writer: IndexWriter) throws {
    if rankState.withLock({ $0.isPrepared }) { return }
    let name = policy.withLock { $0.name }
    let known = try writer.state("policy")
    if known != name {
      // Without a name it is a new cache, or one of a version without a choice, ranked by time.
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

  /// Notes an eviction in the policy, and remembers the entry's accesses where the policy needs
  /// them.
  func learnEviction(_ hash: UInt64, rank: Double, accesses: Int, _ writer: IndexWriter) throws {
    policy.withLock { $0.evicted(rank: rank) }
    guard let count = rankState.withLock({ $0.ghostCount }) else { return }
    try writer.remember(hash, accesses: accesses)
    let maximum = budget(of: .images).maximumGhostCount
    let rest = count < maximum ? count + 1 : try writer.fadeGhosts(maximum: maximum)
    rankState.withLock { $0.ghostCount = rest }
  }

  /// Returns the accesses to an entry before it was evicted, as far as they are remembered.
  func accessesBeforeEviction(_ key: CacheKey, _ writer: IndexWriter) throws -> Int {
    guard rankState.withLock({ $0.ghostCount }) ?? 0 > 0 else { return 0 }
    return try writer.recall(key.indexHash)
  }

  /// Writes the inflation of the policy's ranks.
  func saveInflation(_ writer: IndexWriter) throws {
    let inflation = policy.withLock { $0.inflation }
    guard rankState.withLock({ $0.isPrepared && $0.savedInflation != inflation }) else { return }
    try writer.setState(String(inflation), for: "policy:inflation")
    rankState.withLock { $0.savedInflation = inflation }
  }

  /// Counts bytes stored; after every 8 MiB adapts the default limit to the free space.
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

/// The state of ranks and limit in an instance.
struct RankState: Sendable {
  var isPrepared = false
  var savedInflation = 0.0
  var bytesSinceMeasure = 0
  /// The approximate number of evicted entries remembered; `nil` where the policy needs none. Other
  /// processes count their own, so the limit may be exceeded by as much.
  var ghostCount: Int?
}
