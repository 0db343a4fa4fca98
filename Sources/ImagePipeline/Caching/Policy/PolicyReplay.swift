/// Runs a trace through the policies that the caches run on, specialised for each.
package enum PolicyReplay {
  /// What can be replayed: a cache's policy, or one that is there for comparison only.
  package enum Subject: Sendable, Hashable {
    case policy(EvictionPolicyName)
    case fifo, clock, lfu
  }

  /// Requests as numbers: a key for each, and its size in the capacity's unit.
  package struct Requests: Sendable {
    /// Keys, one a request.
    package var keys: [UInt32]
    /// Sizes, one a request; `nil` counts objects: each is 1.
    package var sizes: [Int]?

    /// Of as many keys as sizes.
    package init(keys: [UInt32], sizes: [Int]?) {
      precondition(sizes.map { $0.count == keys.count } ?? true, "a size for each request")
      self.keys = keys
      self.sizes = sizes
    }
  }

  /// What became of the requests.
  package struct Counts: Sendable, Hashable {
    /// Requests that found their key.
    package var hits = 0
    /// Their sizes.
    package var hitSize = 0
    /// Entries that went for others.
    package var evictions = 0

    /// Nothing yet.
    package init() {}
  }

  /// Replays all requests.
  ///
  /// - Parameters:
  ///   - warmUp: Requests at the beginning that ``Counts`` of the first part are made of.
  ///   - progress: Hears how many requests more were replayed; `false` ends it early.
  /// - Returns: The counts of the warm-up and those of the rest.
  package static func run(
    _ subject: Subject, _ requests: Requests, capacity: Int, warmUp: Int = 0,
    expectedCount: Int = 0, progress: (Int) -> Bool = { _ in true }
  ) -> (warmUp: Counts, rest: Counts) {
    func replay(_ policy: some ReplacementPolicy) -> (warmUp: Counts, rest: Counts) {
      var cache = PolicyCache(policy, capacity: capacity, expectedCount: expectedCount)
      let split = max(0, min(warmUp, requests.keys.count))
      var (first, rest) = (Counts(), Counts())
      guard pass(&cache, requests, 0..<split, &first, progress),
        pass(&cache, requests, split..<requests.keys.count, &rest, progress)
      else { return (first, rest) }
      return (first, rest)
    }
    return switch subject {
    case .policy(.lru): replay(LRUReplacement())
    case .policy(.sieve): replay(SIEVEReplacement())
    case .policy(.s3FIFO): replay(S3FIFOReplacement())
    case .policy(.arc): replay(ARCReplacement())
    case .policy(.slru): replay(SLRUReplacement())
    case .policy(.wTinyLFU): replay(WTinyLFUReplacement())
    case .policy(.gdsf): replay(RankReplacement(GDSFPolicy()))
    case .policy(.gdsfTB(let exponent)): replay(GDSFTBReplacement(exponent: exponent))
    case .fifo: replay(FIFOReplacement())
    case .clock: replay(ClockReplacement())
    case .lfu: replay(RankReplacement(LFUPolicy()))
    }
  }

  /// Any policy over a part of the requests.
  static func pass<Policy: ReplacementPolicy>(
    _ cache: inout PolicyCache<Policy>, _ requests: Requests, _ range: Range<Int>,
    _ counts: inout Counts, _ progress: (Int) -> Bool
  ) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + 1 << 16, range.upperBound)
      if let sizes = requests.sizes {
        for index in start..<end {
          let size = sizes[index]
          if cache.access(UInt64(requests.keys[index]), size: size) {
            counts.hits += 1
            counts.hitSize += size
          } else {
            counts.evictions += cache.evictedCount
          }
        }
      } else {
        for index in start..<end {
          if cache.access(UInt64(requests.keys[index]), size: 1) {
            counts.hits += 1
          } else {
            counts.evictions += cache.evictedCount
          }
        }
      }
      guard progress(end - start) else { return false }
      start = end
    }
    if requests.sizes == nil { counts.hitSize = counts.hits }
    return true
  }
}
