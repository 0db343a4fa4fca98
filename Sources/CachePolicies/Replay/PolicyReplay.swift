import ImageModel

/// Replays a trace through the policies that the caches run on, specialised for each.
package enum PolicyReplay {
  /// A policy to replay: a cache's, or one for comparison only.
  package enum Subject: Sendable, Hashable {
    case policy(EvictionPolicy)
    /// A policy as the disk tier runs it.
    case disk(EvictionPolicy)
    case fifo, clock, lfu
  }

  /// Requests as numbers.
  package struct Requests: Sendable {
    /// The key of each request.
    package var keys: [UInt32]
    /// The size of each request in bytes, 0 or more; twice their sum fits an `Int`.
    package var sizes: [Int]
    /// Whether the capacity is a number of objects rather than bytes.
    package var countsObjects: Bool

    /// Creates requests from as many keys as sizes.
    package init(keys: [UInt32], sizes: [Int], countsObjects: Bool) {
      precondition(sizes.count == keys.count, "a size for each request")
      self.keys = keys
      self.sizes = sizes
      self.countsObjects = countsObjects
    }
  }

  /// The outcome of some requests.
  package struct Counts: Sendable, Hashable {
    /// The number of hits.
    package var hits = 0
    /// The bytes of the hits, by the sizes of their requests.
    package var hitSize = 0
    /// The number of evictions.
    package var evictions = 0

    /// Creates counts of 0.
    package init() {}
  }

  /// Replays all requests.
  ///
  /// - Parameters:
  ///   - warmUp: The number of requests at the beginning that are counted apart.
  ///   - progress: Receives how many more requests were replayed; returns `false` to stop.
  /// - Returns: The counts of the warm-up and those of the rest.
  package static func run(
    _ subject: Subject, _ requests: Requests, capacity: Int, warmUp: Int = 0,
    expectedCount: Int = 0, progress: (Int) -> Bool = { _ in true }
  ) -> (warmUp: Counts, rest: Counts) {
    func replay(_ policy: some Replacement) -> (warmUp: Counts, rest: Counts) {
      replay(PolicyCache(policy, capacity: capacity, expectedCount: expectedCount))
    }
    func replay(_ empty: some ReplayedCache) -> (warmUp: Counts, rest: Counts) {
      Self.replay(empty, requests, warmUp: warmUp, progress)
    }
    return switch subject {
    case .policy(.lru): replay(LRUReplacement())
    case .policy(.sieve): replay(SIEVEReplacement())
    case .policy(.s3FIFO): replay(S3FIFOReplacement())
    case .policy(.arc): replay(ARCReplacement())
    case .policy(.slru): replay(SLRUReplacement())
    case .policy(.wTinyLFU): replay(WTinyLFUReplacement())
    case .policy(.gdsf): replay(RankReplacement(GDSFRank()))
    case .policy(.gdsfTB(let exponent)): replay(GDSFTBReplacement(exponent: exponent))
    case .policy(.lhdTB(let exponent)): replay(LHDTBReplacement(exponent: exponent))
    case .fifo: replay(FIFOReplacement())
    case .clock: replay(ClockReplacement())
    case .lfu: replay(RankReplacement(LFURank()))
    case .disk(let policy):
      withoutActuallyEscaping(progress) { progress in
        SampledReplay(requests: requests, capacity: capacity, warmUp: warmUp, progress: progress)
          .visit(policy)
      }
    }
  }

  /// Replays all requests through the disk's form of a policy.
  private struct SampledReplay: SampledPolicyVisitor {
    let requests: Requests
    let capacity: Int
    let warmUp: Int
    let progress: (Int) -> Bool

    func visit(_ policy: some SampledPolicy) -> (warmUp: Counts, rest: Counts) {
      PolicyReplay.replay(
        SampledCache(policy, capacity: capacity), requests, warmUp: warmUp, progress)
    }
  }

  private static func replay(
    _ empty: some ReplayedCache, _ requests: Requests, warmUp: Int, _ progress: (Int) -> Bool
  ) -> (warmUp: Counts, rest: Counts) {
    var cache = empty
    let split = max(0, min(warmUp, requests.keys.count))
    var (first, rest) = (Counts(), Counts())
    guard pass(&cache, requests, 0..<split, &first, progress),
      pass(&cache, requests, split..<requests.keys.count, &rest, progress)
    else { return (first, rest) }
    return (first, rest)
  }

  /// Replays a part of the requests.
  private static func pass<Cache: ReplayedCache>(
    _ cache: inout Cache, _ requests: Requests, _ range: Range<Int>,
    _ counts: inout Counts, _ progress: (Int) -> Bool
  ) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + 1 << 16, range.upperBound)
      for index in start..<end {
        let size = requests.sizes[index]
        let isHit = cache.access(
          Cache.key(requests.keys[index]), size: requests.countsObjects ? 1 : size,
          evictions: &counts.evictions)
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

/// A cache that a trace is replayed through.
private protocol ReplayedCache {
  /// Returns the key of a number.
  static func key(_ number: UInt32) -> UInt64
  mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool
}

extension PolicyCache: ReplayedCache {
  fileprivate static func key(_ number: UInt32) -> UInt64 { UInt64(number) }
}

extension SampledCache: ReplayedCache {
  /// A hash, as on disk: parts of it choose the place of a ghost.
  fileprivate static func key(_ number: UInt32) -> UInt64 { SplitMix64.mixed(UInt64(number)) }
}
