import ImageModel

/// A cache under any policy that the requests of a trace are replayed through: closures, inside
/// which its type is known, so that a request costs what it costs in the cache itself.
package struct ReplayCache {
  fileprivate let accessOne: (UInt32, Int, inout Int) -> Bool
  fileprivate let accessRange:
    (PolicyReplay.Requests, Range<Int>, inout PolicyReplay.Counts) -> Void

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - capacity: The limit of the sum of its entries' sizes.
  ///   - expectedCount: The number of keys to reserve room for.
  package init(_ subject: PolicyReplay.Subject, capacity: Int, expectedCount: Int = 0) {
    switch subject {
    case .policy(let policy):
      self = policy.algorithm.replayCache(capacity: capacity, expectedCount: expectedCount)
    case .disk(let policy):
      self = SampledMaker(capacity: capacity).visit(policy)
    }
  }

  fileprivate init(
    accessOne: @escaping (UInt32, Int, inout Int) -> Bool,
    accessRange: @escaping (PolicyReplay.Requests, Range<Int>, inout PolicyReplay.Counts) -> Void
  ) {
    (self.accessOne, self.accessRange) = (accessOne, accessRange)
  }

  /// Performs one request: a hit, or an insertion. An entry that is requested with another size has
  /// that size from then on.
  ///
  /// - Parameter evictions: Incremented by the number of evictions.
  package func access(_ number: UInt32, size: Int, evictions: inout Int) -> Bool {
    accessOne(number, size, &evictions)
  }

  /// Performs some of the requests of a trace in order.
  func access(
    _ requests: PolicyReplay.Requests, _ range: Range<Int>, _ counts: inout PolicyReplay.Counts
  ) {
    accessRange(requests, range, &counts)
  }

  private struct SampledMaker: SampledPolicyVisitor {
    let capacity: Int

    func visit(_ policy: some SampledPolicy) -> ReplayCache {
      SampledCache(policy, capacity: capacity).inClosures()
    }
  }
}

/// A cache that a trace can be replayed through.
protocol ReplayedCache {
  /// Returns the key of a number.
  static func key(_ number: UInt32) -> UInt64
  /// Performs one request: a hit, or an insertion.
  mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool
}

extension PolicyCache: ReplayedCache {
  static func key(_ number: UInt32) -> UInt64 { UInt64(number) }
}

extension SampledCache: ReplayedCache {
  /// A hash, as on disk: parts of it choose the place of a ghost.
  static func key(_ number: UInt32) -> UInt64 { SplitMix64.mixed(UInt64(number)) }
}

extension ReplayedCache {
  func inClosures() -> ReplayCache {
    var cache = self
    return ReplayCache(
      accessOne: { cache.access(Self.key($0), size: $1, evictions: &$2) },
      accessRange: { cache.access($0, $1, &$2) })
  }

  private mutating func access(
    _ requests: PolicyReplay.Requests, _ range: Range<Int>, _ counts: inout PolicyReplay.Counts
  ) {
    for index in range {
      let size = requests.sizes[index]
      let isHit = access(
        Self.key(requests.keys[index]), size: requests.countsObjects ? 1 : size,
        evictions: &counts.evictions)
      if isHit {
        counts.hits += 1
        counts.hitSize += size
      }
    }
  }
}
