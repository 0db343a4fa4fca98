import Testing

@testable import CachePolicies

@Suite struct `The window of W-TinyLFU` {
  /// Counts one sample of ten requests, so many of them hits; returns whether the share changed.
  private func sample(_ climber: inout WindowClimber, hits: Int) -> Bool {
    var hasChanged = false
    for request in 0..<10 {
      if climber.learn(isHit: request < hits, period: 10) { hasChanged = true }
    }
    return hasChanged
  }

  private func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }

  @Test func `keeps its share through the first sample`() {
    var climber = WindowClimber(share: 0.3, isAdaptive: true)

    #expect(!sample(&climber, hits: 5))
    #expect(climber.share == 0.3)
  }

  @Test func `grows by a long stride while the hit ratio rises, up to 99 percent`() {
    var climber = WindowClimber(share: 0.3, isAdaptive: true)
    var shares: [Double] = []

    for hits in [1, 2, 3, 4, 5, 6] {
      _ = sample(&climber, hits: hits)
      shares.append(climber.share)
    }

    #expect(zip(shares, [0.3, 0.5, 0.7, 0.9, 0.99, 0.99]).allSatisfy(isNear))
    // At the bound it changes no more.
    #expect(!sample(&climber, hits: 7))
  }

  @Test func `turns back where the hit ratio falls, down to a fifth of a percent`() {
    var climber = WindowClimber(share: 0.3, isAdaptive: true)
    _ = sample(&climber, hits: 5)

    #expect(sample(&climber, hits: 3))
    #expect(isNear(climber.share, 0.1))
    // That helped: on in the same direction.
    #expect(sample(&climber, hits: 4))
    #expect(climber.share == 0.002)
    // That did not: back.
    #expect(sample(&climber, hits: 3))
    #expect(isNear(climber.share, 0.202))
  }

  @Test func `takes shorter steps while the hit ratio hardly changes`() {
    var climber = WindowClimber(share: 0.1, isAdaptive: true)
    var share = climber.share
    var steps: [Double] = []

    for _ in 0..<5 {
      _ = sample(&climber, hits: 5)
      steps.append(climber.share - share)
      share = climber.share
    }

    #expect(zip(steps, [0, 0.19, 0.1805, 0.171475, 0.16290125]).allSatisfy(isNear))
  }

  @Test func `stays where it is not adaptive`() {
    var climber = WindowClimber(share: 0.3, isAdaptive: false)

    for hits in [1, 9, 2] { #expect(!sample(&climber, hits: hits)) }

    #expect(climber.share == 0.3)
  }
}
