package enum PolicyReplay {
  package struct Requests: Sendable {
    package var keys: [UInt32]
    /// The size of each request in bytes, 0 or more; twice their sum fits an `Int`.
    package var sizes: [Int]
    /// Whether the capacity is a number of objects rather than bytes.
    package var countsObjects: Bool

    package init(keys: [UInt32], sizes: [Int], countsObjects: Bool) {
      precondition(sizes.count == keys.count, "a size for each request")
      self.keys = keys
      self.sizes = sizes
      self.countsObjects = countsObjects
    }
  }

  package struct Counts: Sendable, Hashable {
    package var hits = 0
    /// The bytes of the hits, by the sizes of their requests.
    package var hitSize = 0
    package var evictions = 0
  }

  package typealias Outcome = (warmUp: Counts, rest: Counts)

  /// Performs one request of a cache: a key's number, its size, and the evictions to add to;
  /// returns whether it hits.
  package typealias Access = (UInt32, Int, inout Int) -> Bool

  /// Replays a part of the requests; returns `false` where `progress` stopped it.
  static func pass<Cache: ReplayedCache>(
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
