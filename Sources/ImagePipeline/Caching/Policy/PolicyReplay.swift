/// Runs a trace through the policies that the caches run on, specialised for each.
package enum PolicyReplay {
  /// What can be replayed: a cache's policy, or one that is there for comparison only.
  package enum Subject: Sendable, Hashable {
    case policy(EvictionPolicyName)
    case fifo, clock, lfu
    case diskGDSFTB(exponent: Double)
  }

  /// Requests as numbers.
  package struct Requests: Sendable {
    /// Keys, one a request.
    package var keys: [UInt32]
    /// Bytes, one a request; 0 or more, all together no more than an `Int` can hold twice.
    package var sizes: [Int]
    /// Whether the capacity is a number of objects and not of bytes.
    package var countsObjects: Bool

    /// Of as many keys as sizes.
    package init(keys: [UInt32], sizes: [Int], countsObjects: Bool) {
      precondition(sizes.count == keys.count, "a size for each request")
      self.keys = keys
      self.sizes = sizes
      self.countsObjects = countsObjects
    }
  }

  /// What became of the requests.
  package struct Counts: Sendable, Hashable {
    /// Requests that found their key.
    package var hits = 0
    /// Their bytes, as large as they were asked for.
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
    case .policy(.lhdTB(let exponent)): replay(LHDTBReplacement(exponent: exponent))
    case .fifo: replay(FIFOReplacement())
    case .clock: replay(ClockReplacement())
    case .lfu: replay(RankReplacement(LFUPolicy()))
    case .diskGDSFTB(let exponent): replay(DiskGDSFTBReplacement(exponent: exponent))
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
      for index in start..<end {
        let size = requests.sizes[index]
        let key = UInt64(requests.keys[index])
        let isHit = cache.access(
          key, size: requests.countsObjects ? 1 : size, evictions: &counts.evictions)
        if isHit {
          counts.hits += 1
          counts.hitSize += size
        }
      }
      guard progress(end - start) else { return false }
      start = end
    }
    return true
  }
}
