import Testing

@testable import CachePolicies

@Suite struct `The window of W-TinyLFU` {
  /// The shares after samples of ten requests, so many of them hits.
  private func shares(
    from share: Double, isAdaptive: Bool = true, hits: [Int]
  ) -> (shares: [Double], changes: [Bool]) {
    var climber = WindowClimber(share: share, isAdaptive: isAdaptive)
    var (shares, changes): ([Double], [Bool]) = ([], [])
    for count in hits {
      let learned = (0..<10).map { climber.learn(isHit: $0 < count, period: 10) }
      shares.append(climber.share)
      changes.append(learned.contains(true))
    }
    return (shares, changes)
  }

  private func isNear(_ one: [Double], _ other: [Double]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-9 }
  }

  @Test func `grows by a long stride while the hit ratio rises, up to 99 percent`() {
    let (shares, changes) = shares(from: 0.3, hits: [1, 2, 3, 4, 5, 6, 7])

    #expect(isNear(shares, [0.3, 0.5, 0.7, 0.9, 0.99, 0.99, 0.99]))
    #expect(!changes[0] && changes[1] && !changes[6])
  }

  @Test func `turns back where the hit ratio falls, down to a fifth of a percent`() {
    // The second turn helped, the third did not.
    #expect(isNear(shares(from: 0.3, hits: [5, 3, 4, 3]).shares, [0.3, 0.1, 0.002, 0.202]))
  }

  @Test func `takes shorter steps while the hit ratio hardly changes`() {
    let steps = [0, 0.19, 0.1805, 0.171475, 0.16290125]

    var share = 0.1
    let expected = steps.map { step in
      share += step
      return share
    }
    #expect(isNear(shares(from: 0.1, hits: [5, 5, 5, 5, 5]).shares, expected))
  }

  @Test func `stays where it is not adaptive`() {
    let (shares, changes) = shares(from: 0.3, isAdaptive: false, hits: [1, 9, 2])

    #expect(shares == [0.3, 0.3, 0.3] && !changes.contains(true))
  }
}
