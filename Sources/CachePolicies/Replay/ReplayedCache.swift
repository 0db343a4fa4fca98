import ImageModel

/// A cache that a trace is replayed through.
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

/// An operation on a cache whose type is known where it is visited, so that the compiler generates
/// code for each.
protocol ReplayVisitor {
  associatedtype Result
  func visit(_ empty: some ReplayedCache) -> Result
}

extension PolicyReplay {
  /// Visits an empty cache under a policy.
  static func visit<Visitor: ReplayVisitor>(
    _ subject: Subject, capacity: Int, expectedCount: Int, _ visitor: Visitor
  ) -> Visitor.Result {
    func visit(_ policy: some Replacement) -> Visitor.Result {
      visitor.visit(PolicyCache(policy, capacity: capacity, expectedCount: expectedCount))
    }
    return switch subject {
    case .policy(.lru): visit(LRUReplacement())
    case .policy(.sieve): visit(SIEVEReplacement())
    case .policy(.s3FIFO): visit(S3FIFOReplacement())
    case .policy(.arc): visit(ARCReplacement())
    case .policy(.slru): visit(SLRUReplacement())
    case .policy(.wTinyLFU): visit(WTinyLFUReplacement())
    case .policy(.gdsf): visit(RankReplacement(GDSFRank()))
    case .policy(.gdsfTB(let exponent)): visit(GDSFTBReplacement(exponent: exponent))
    case .policy(.lhdTB(let exponent)): visit(LHDTBReplacement(exponent: exponent))
    case .fifo: visit(FIFOReplacement())
    case .clock: visit(ClockReplacement())
    case .lfu: visit(RankReplacement(LFURank()))
    case .disk(let policy): SampledVisitor(visitor: visitor, capacity: capacity).visit(policy)
    }
  }

  /// Visits the disk's form of a policy.
  private struct SampledVisitor<Visitor: ReplayVisitor>: SampledPolicyVisitor {
    let visitor: Visitor
    let capacity: Int

    func visit(_ policy: some SampledPolicy) -> Visitor.Result {
      visitor.visit(SampledCache(policy, capacity: capacity))
    }
  }
}
